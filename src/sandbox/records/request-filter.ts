import { OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { ReceivedRequest } from './received-request.ts';

type Test = (request: ReceivedRequest) => boolean;

/**
 * Returns the test that a query asks for by `operation` and `text`, whose words may stand anywhere: in a parameter, the
 * operation, the status. Throws `SrqError('usage')` for an operation that there is not.
 */
export function parseFilter(query: URLSearchParams): Test {
  const operation = query.get('operation') ?? '';
  if (operation && !OPERATION_NAMES.some((each) => each === operation))
    throw new SrqError('sandbox.bad-call', `operation is one of ${OPERATION_NAMES.join(', ')}.`);
  const words = folded(query.get('text') ?? '')
    .split(/\s+/)
    .filter(Boolean);
  return (request) =>
    (!operation || request.operation === operation) && words.every((word) => textOf(request).includes(word));
}

/** The texts that were searched. The inbox repeats its search every second. */
const TEXTS = new WeakMap<ReceivedRequest, string>();

function textOf(request: ReceivedRequest): string {
  const { params, requestId, key, fault, operation, status, verdict } = request;
  const own = [...Object.values(params), requestId, key, fault, operation, status ?? 'cut', verdict];
  const text = TEXTS.get(request) ?? folded(own.join('\n'));
  TEXTS.set(request, text);
  return text;
}

/** Returns a text in lower case without accents, so that `ines` finds `Inês`. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
