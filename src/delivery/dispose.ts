import type { Contract } from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { contentKey, type Destination } from '../request/lead/service-request.ts';
import type { JobDecision, QueuedRequest, TakenRequest } from '../request/log/request-queue.ts';
import { type LoggedState, STATUS } from '../request/log/status.ts';
import { contractFindings } from './check/check-contract.ts';
import { loggedStatus, NEVER_AGAIN } from './sent-before.ts';
import type { Sent } from './submit.ts';

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

/** What a worker knows when it decides where a request goes next. */
export interface WorkerSituation {
  /**
   * Whether another living process is sending it. That one may have lost its claim, so that the queue would not hear what
   * becomes of the request if it left it.
   */
  readonly isUnderWay: boolean;
  readonly state: LoggedState;
  /** Whether the worker is about to end, so that an unfinished request does not count as tried. */
  readonly isEnding: boolean;
}

const DONE: JobDecision = { is: 'done' };
const BACK: JobDecision = { is: 'back' };

/**
 * Decides where a request goes after an attempt to send it. One whose outcome is unknown leaves the queue: a worker has no
 * file with witnesses for validate.
 */
export function disposalOf(
  { mayTryAgain, hasExpired }: TakenRequest,
  { status, unrecorded, stop }: Sent,
  { isEnding, isUnderWay, state }: WorkerSituation,
): JobDecision {
  if (unrecorded) return BACK;
  if (STATUS[status].left === 'send') {
    if (hasExpired) return DONE;
    // What is given back is the first that the next worker takes, and a fault in srq would end that one, too.
    if ((isEnding || stop) && stop?.code !== 'fault') return BACK;
    return mayTryAgain ? { is: 'later' } : DONE;
  }
  if (status !== 'unknown') return DONE;
  if (isUnderWay) return { is: 'moved', inMs: UNDER_WAY_MS };
  return maySend(state) ? { is: 'moved', inMs: RESEND_MS } : DONE;
}

const maySend = (state: LoggedState) => loggedStatus(state, NEVER_AGAIN) === null;
