import type { Contract } from '../request/contract.ts';
import type { RequestOperationName } from '../request/operations.ts';
import type { JobDecision, QueuedRequest, TakenRequest } from '../request/request-queue.ts';
import { contentKey, type Destination } from '../request/service-request.ts';
import type { LoggedState } from '../request/status.ts';
import { contractFindings } from './check/check-contract.ts';
import type { Submitted } from './submit.ts';

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

/** A request that was in doubt and turned out not to be taken is sent a moment later. */
const RESEND_MS = 1_000;

/** What a worker needs to know to decide where a request goes on. */
export interface WorkerSituation {
  /** The worker is about to end: what it did not get done is not the request's fault. */
  readonly isEnding: boolean;
  /** Doubts are settled, in place of left to a person. */
  readonly settles: boolean;
  /** After a doubtful send before it is worth asking about, milliseconds. */
  readonly waitMs: number;
}

const DONE: JobDecision = { is: 'done' };
const BACK: JobDecision = { is: 'back' };

/** Where a request goes that was delivered, or was to be. */
export function disposalOfRequest(
  { mayTryAgain }: TakenRequest,
  { result, unrecorded, stop }: Submitted,
  { isEnding, settles, waitMs }: WorkerSituation,
): JobDecision {
  if (unrecorded) return BACK;
  if (result.status === 'failed') {
    if (isEnding || stop) return BACK;
    return mayTryAgain ? { is: 'later' } : DONE;
  }
  if (result.status !== 'unknown') return DONE;
  return settles ? { is: 'moved', lane: 'doubts', inMs: waitMs } : DONE;
}

/** What is known of the request in a doubt after it was tried to settle it. */
export interface SettledState {
  readonly state: LoggedState;
  /** Validate or an idempotency key may yet settle it. */
  readonly isHopeful: boolean;
}

/** Where a request goes that was in doubt. What only a person can settle leaves the queue: `srq resolve` lists it. */
export function disposalOfDoubt(
  { mayTryAgain }: TakenRequest,
  { result, unrecorded }: Submitted,
  { state, isHopeful }: SettledState,
  isEnding: boolean,
): JobDecision {
  if (unrecorded) return BACK;
  if (result.status === 'created' || result.status === 'duplicate' || result.status === 'rejected') return DONE;
  if (state === 'created' || state === 'duplicate' || state === 'parked') return DONE;
  if (state !== 'sending' && state !== 'unknown') return { is: 'moved', lane: 'requests', inMs: RESEND_MS };
  if (isEnding) return BACK;
  return isHopeful && mayTryAgain ? { is: 'later' } : DONE;
}
