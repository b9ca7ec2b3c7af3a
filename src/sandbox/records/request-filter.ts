import { OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { folded } from '../../request/words/names.ts';
import type { ReceivedRequest } from './received-request.ts';

/**
 * Returns the test that a query asks for by `operation` and `text`, whose words may stand anywhere: in a parameter, the
 * operation, the status. Throws `SrqError('usage')` for an operation that there is not.
 */
export function parseFilter(query: URLSearchParams): (request: ReceivedRequest) => boolean {
  const wanted = query.get('operation') ?? '';
  if (wanted && !OPERATION_NAMES.some((each) => each === wanted))
    throw new SrqError('sandbox.bad-call', `operation is one of ${OPERATION_NAMES.join(', ')}.`);
  const words = folded(query.get('text') ?? '').split(' ');
  return ({ params, requestId, key, fault, operation, status, verdict }) => {
    if (wanted && operation !== wanted) return false;
    // The inbox asks for all of them each second.
    if (words.join('') === '') return true;
    const own = [...Object.values(params), requestId, key, fault, operation, status ?? 'cut', verdict];
    const text = folded(own.join('\n'));
    return words.every((word) => text.includes(word));
  };
}
