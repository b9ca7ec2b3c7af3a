import { hash } from 'node:crypto';
import type { ServiceRequest } from './service-request.ts';

/** Returns digests of what names the customer of a request: the e-mail address and the telephone number. */
export function customersOf({ params }: Pick<ServiceRequest, 'params'>): string[] {
  const named = [params['email']?.trim().toLowerCase(), params['phone']?.replace(/\D/g, '')];
  return named.flatMap((each) => (each ? [hash('sha256', each, 'base64').slice(0, 16)] : []));
}
