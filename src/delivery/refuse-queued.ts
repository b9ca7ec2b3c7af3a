import type { Contract } from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { contentKey, type Destination } from '../request/lead/service-request.ts';
import type { QueuedRequest } from '../request/log/request-queue.ts';
import { contractFindings } from './check/check-contract.ts';

/** Fields that srq fills if the file leaves them empty. A queued request does not show whether srq has filled them. */
const MAY_BE_FILLED: ReadonlySet<string> = new Set(['lang']);

/**
 * Returns the reason why this worker must not send a request from the queue, or null. The request was checked by
 * another process, perhaps against another contract, and other programs may have written to the queue.
 */
export function contractRefusal(
  { key, request }: QueuedRequest,
  contract: Contract,
  operations: readonly RequestOperationName[],
  destination: Destination,
): string | null {
  if (request.audio !== null || contentKey(request, destination) !== key) {
    return 'What the queue holds is not what was queued, so it was not sent. Queue its file again: srq enqueue FILE';
  }
  const given = { texts: { ...request.parts, ...request.params }, hasRecording: false, filled: MAY_BE_FILLED };
  const [wrong] = contractFindings(contract, operations, given).filter(({ severity }) => severity === 'error');
  return wrong ? `The API description of this worker refuses it: ${wrong.field}.` : null;
}
