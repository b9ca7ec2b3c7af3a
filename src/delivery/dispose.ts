import type { Contract } from '../request/contract.ts';
import type { RequestOperationName } from '../request/operations.ts';
import type { JobDecision, QueuedRequest, TakenRequest } from '../request/request-queue.ts';
import { contentKey, type Destination } from '../request/service-request.ts';
import { type LoggedState, STATUS } from '../request/status.ts';
import { contractFindings } from './check/check-contract.ts';
import { loggedStatus, type Submitted } from './submit.ts';

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
    return 'What the queue holds is not what was queued; it was not sent.';
  }
  const given = { texts: { ...request.parts, ...request.params }, hasRecording: false, filled: MAY_BE_FILLED };
  const [wrong] = contractFindings(contract, operations, given).filter(({ severity }) => severity === 'error');
  return wrong ? `This worker's contract refuses it: ${wrong.field}.` : null;
}

/** Delay before a request that turned out not to be taken is sent again. */
const RESEND_MS = 1_000;

/** Delay before a request that another worker is sending is looked at again. */
const UNDER_WAY_MS = 10_000;

/** What the log says of a request whose outcome this worker does not know. */
export interface Standing {
  /**
   * Whether another living process is sending it. That one may have lost its claim, so that the queue would not hear what
   * becomes of the request if it left it.
   */
  readonly isUnderWay: boolean;
  readonly state: LoggedState;
}

/** What a worker knows when it decides where a request goes next. */
export interface WorkerSituation extends Standing {
  /** Whether the worker is about to end, so that an unfinished request does not count as tried. */
  readonly isEnding: boolean;
  /** Whether requests in doubt are settled. Otherwise they are left to a person. */
  readonly settles: boolean;
  /** Milliseconds after a doubtful send before validate is asked about it. */
  readonly waitMs: number;
}

const DONE: JobDecision = { is: 'done' };
const BACK: JobDecision = { is: 'back' };

/** Decides where a request goes after an attempt to send it. */
export function disposalOfRequest(
  { mayTryAgain, hasExpired }: TakenRequest,
  { result, unrecorded, stop }: Submitted,
  { isEnding, settles, waitMs, isUnderWay, state }: WorkerSituation,
): JobDecision {
  if (unrecorded) return BACK;
  if (STATUS[result.status].left === 'send') {
    if (hasExpired) return DONE;
    // What is given back is the first that the next worker takes, and a fault in srq would end that one, too.
    if ((isEnding || stop) && stop?.code !== 'fault') return BACK;
    return mayTryAgain ? { is: 'later' } : DONE;
  }
  if (result.status !== 'unknown') return DONE;
  if (settles) return { is: 'moved', lane: 'doubts', inMs: waitMs };
  if (isUnderWay) return { is: 'moved', lane: 'requests', inMs: UNDER_WAY_MS };
  return maySend(state) ? { is: 'moved', lane: 'requests', inMs: RESEND_MS } : DONE;
}

const maySend = (state: LoggedState) => loggedStatus(state, { onDuplicate: 'skip', again: false }) === null;

/** What is known about a request in doubt after the attempt to settle it. */
export interface SettledState extends Standing {
  /** Whether validate or an idempotency key may still settle it. */
  readonly isHopeful: boolean;
  /** Whether this worker will never know enough to settle it. */
  readonly isPassedOn: boolean;
  /** The age of its last record. */
  readonly ageMs: number;
}

/**
 * A doubt of less than this age is soon looked at again, by any worker. Not every worker knows requests of its time,
 * and with the growing delays of failures it would wait long for one that does.
 */
const YOUNG_MS = 15 * 60_000;
const MIN_LOOK_AGAIN_MS = 10_000;
const LOOK_AGAIN_SHARE = 1 / 4;

/**
 * Decides where a request in doubt goes after the attempt to settle it. If only a person can settle it, it leaves the
 * queue and is listed by `srq resolve`.
 */
export function disposalOfDoubt(
  { mayTryAgain }: TakenRequest,
  { result, unrecorded }: Submitted,
  { state, isUnderWay, isHopeful, isPassedOn, ageMs }: SettledState,
  isEnding: boolean,
): JobDecision {
  if (unrecorded) return BACK;
  if (result.status === 'created' || result.status === 'duplicate' || result.status === 'rejected') return DONE;
  if (maySend(state)) return { is: 'moved', lane: 'requests', inMs: RESEND_MS };
  if (state !== 'sending' && state !== 'unknown') return DONE;
  if (isEnding) return BACK;
  if (isUnderWay) return { is: 'moved', lane: 'doubts', inMs: UNDER_WAY_MS };
  if (!isHopeful) return DONE;
  if (ageMs < YOUNG_MS) {
    // What is passed on waits for another worker, not for time.
    const inMs = isPassedOn ? MIN_LOOK_AGAIN_MS : Math.max(MIN_LOOK_AGAIN_MS, ageMs * LOOK_AGAIN_SHARE);
    return { is: 'moved', lane: 'doubts', inMs, isPassedOn };
  }
  return mayTryAgain ? { is: 'later' } : DONE;
}
