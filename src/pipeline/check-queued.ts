import type { Contract } from '../model/contract.ts';
import type { RequestOperationName } from '../model/operations.ts';
import type { QueuedRequest } from '../model/request-queue.ts';
import { contentKey, type Destination } from '../model/service-request.ts';
import { contractFindings } from './check-contract.ts';

/** What srq fills itself where the file leaves it out; nobody can tell any more whether it did. */
const MAY_BE_FILLED: ReadonlySet<string> = new Set(['lang']);

/**
 * Why a request from the queue must not be sent by this worker, or null: another srq has checked it, perhaps against another
 * contract, and something else may have written into the queue.
 */
export function contractRefusal(
  { key, request }: QueuedRequest,
  contract: Contract,
  operations: readonly RequestOperationName[],
  destination: Destination,
): string | null {
  if (request.audio !== null || contentKey(request, destination) !== key) {
    return 'What the queue holds is not what was queued; it was not sent.';
  }
  const given = { texts: request.params, hasRecording: false, filled: MAY_BE_FILLED };
  const [wrong] = contractFindings(contract, operations, given).filter(({ severity }) => severity === 'error');
  return wrong ? `This worker's contract refuses it: ${wrong.field}.` : null;
}
