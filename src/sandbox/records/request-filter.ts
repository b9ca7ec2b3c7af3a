import { OPERATION_NAMES, type OperationName } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { KeptContent, ReceivedRequest } from './received-request.ts';

/** Selects requests. A criterion that is left out matches all of them. */
export interface RequestFilter {
  readonly operation?: OperationName;
  /** An HTTP status, `2xx` to `5xx`, or `cut` for connections that ended without an answer. */
  readonly status?: string;
  /** The value of a parameter whose name ends in `country`. */
  readonly country?: string;
  /** Words in lower case without accents, all of which must be in the values, the identifier, the key or the fault. */
  readonly words?: readonly string[];
  /** Highest number of a request that matches. */
  readonly until?: number;
}

/** The part of a request that is available without reading its content. */
export type RequestHead = Pick<ReceivedRequest, 'number' | 'operation' | 'status' | 'fault' | 'requestId'>;

const STATUS = /^(?:\d{3}|[2-5]xx|cut)$/;

/** Reads a filter from a query. Throws `SrqError('usage')` for values that no request can match. */
export function parseFilter(query: URLSearchParams, until: number | null): RequestFilter {
  const [operation, status, country] = [given(query, 'operation'), given(query, 'status'), given(query, 'country')];
  const known = OPERATION_NAMES.find((each) => each === operation);
  if (operation && !known) throw new SrqError('sandbox.bad-call', `operation is one of ${OPERATION_NAMES.join(', ')}.`);
  if (status && !STATUS.test(status))
    throw new SrqError('sandbox.bad-call', 'status is an HTTP status, 2xx to 5xx, or cut.');
  const words = folded(given(query, 'text')).split(/\s+/).filter(Boolean);
  return {
    ...(known && { operation: known }),
    ...(status && { status }),
    ...(country && { country }),
    ...(words.length > 0 && { words }),
    ...(until !== null && { until }),
  };
}

const given = (query: URLSearchParams, name: string): string => query.get(name) ?? '';

/** Tells whether a request matches the criteria that do not need its content. */
export function matchesHead({ operation, status, until }: RequestFilter, head: RequestHead): boolean {
  if (operation !== undefined && head.operation !== operation) return false;
  if (until !== undefined && head.number > until) return false;
  return status === undefined || fitsStatus(status, head.status);
}

function fitsStatus(wanted: string, status: number | null): boolean {
  if (status === null) return wanted === 'cut';
  return wanted.endsWith('xx') ? wanted.startsWith(String(status)[0] ?? '') : wanted === String(status);
}

/** Tells whether a request matches the criteria about its content. `read` is called only if there are any. */
export function matchesContent({ country, words }: RequestFilter, head: RequestHead, read: () => KeptContent): boolean {
  if (country === undefined && words === undefined) return true;
  const { params, key } = read();
  if (country !== undefined && countryOf(params) !== country) return false;
  if (words === undefined) return true;
  const text = folded([...Object.values(params), head.requestId, key, head.fault].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Returns the country among the parameters. Under a contract it may be nested, as in `customer.country`. */
function countryOf(params: Readonly<Record<string, string>>): string | undefined {
  const name = Object.keys(params).find((each) => each.split('.').at(-1) === 'country');
  return name === undefined ? undefined : params[name];
}

/** Returns a text in lower case without accents, so that `ines` finds `Inês`. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
