import { OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { ReceivedRequest } from './received-request.ts';

type Test = (request: ReceivedRequest) => boolean;

const STATUS = /^(?:\d{3}|[2-5]xx|cut)$/;

/**
 * Returns the test that a query asks for by `operation`, `status`, `country` and `text`. Throws `SrqError('usage')` for
 * values that no request can match.
 */
export function parseFilter(query: URLSearchParams): Test {
  const [operation, status, country] = ['operation', 'status', 'country'].map((name) => query.get(name) ?? '');
  if (operation && !OPERATION_NAMES.some((each) => each === operation))
    throw new SrqError('sandbox.bad-call', `operation is one of ${OPERATION_NAMES.join(', ')}.`);
  if (status && !STATUS.test(status))
    throw new SrqError('sandbox.bad-call', 'status is an HTTP status, 2xx to 5xx, or cut.');
  const words = folded(query.get('text') ?? '')
    .split(/\s+/)
    .filter(Boolean);
  return (request) =>
    (!operation || request.operation === operation) &&
    (!status || fitsStatus(status, request.status)) &&
    (!country || countryOf(request) === country) &&
    (words.length === 0 || hasAll(words, request));
}

function fitsStatus(wanted: string, status: number | null): boolean {
  if (status === null) return wanted === 'cut';
  return wanted.endsWith('xx') ? wanted.startsWith(String(status)[0] ?? '') : wanted === String(status);
}

/** Returns the country among the parameters. Under a contract it may be nested, as in `customer.country`. */
export function countryOf({ params }: ReceivedRequest): string | undefined {
  const name = Object.keys(params).find((each) => each.split('.').at(-1) === 'country');
  return name === undefined ? undefined : params[name];
}

/** The texts that were searched, by the parameters. The inbox repeats its search every second. */
const TEXTS = new WeakMap<ReceivedRequest['params'], string>();

function hasAll(words: readonly string[], { params, requestId, key, fault }: ReceivedRequest): boolean {
  const text = TEXTS.get(params) ?? folded([...Object.values(params), requestId, key, fault].join('\n'));
  TEXTS.set(params, text);
  return words.every((word) => text.includes(word));
}

/** Returns a text in lower case without accents, so that `ines` finds `Inês`. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
