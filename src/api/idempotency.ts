import type { CreateOperation } from '../model/contract.ts';

/** The header by which the service knows a repeated create, its value made of 32 hex digits; none without a rule for it. */
export function idempotencyHeader({ idempotency }: CreateOperation, key: string | null): Record<string, string> {
  if (idempotency === null || key === null) return {};
  return { [idempotency.header.toLowerCase()]: idempotency.format === 'uuid' ? asUuid(key) : key };
}

/** In the form of a random UUID (RFC 9562, version 4), which every check of that form passes. */
function asUuid(key: string): string {
  const variant = '89ab'[Number.parseInt(key.charAt(16), 16) % 4];
  const parts = [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `${variant}${key.slice(17, 20)}`];
  return [...parts, key.slice(20, 32)].join('-');
}
