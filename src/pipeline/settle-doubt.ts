import type { Outcome } from '../model/outcome.ts';
import type { Clock, DeliveryLog, LoggedState, MarketplaceApi } from '../model/ports.ts';
import {
  inDoubt,
  recorded,
  type Submission,
  type SubmitOptions,
  type Submitted,
  subjectOf,
  submitRequest,
} from './submit-request.ts';

/** Between the two questions: a service with several machines may answer from one that does not know yet. */
const GAP_MS = 3_000;

export interface Settling {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** After the doubtful send, before validate is asked; null: it has not proven itself and is not asked. */
  readonly waitMs: number | null;
  /** How to send what was not taken; null: leave that to the next run. */
  readonly resend: SubmitOptions | null;
}

/**
 * Settles a request in doubt, if that can be known. Where the service is idempotent it goes again under the same key, once and
 * as long as the service remembers that. Else validate, which must have proven that it sees creations, decides.
 * Twice duplicate: it was taken. Twice clear: one licence to send again, durable before its use. Anything else, and what was
 * in doubt on a licence before, is left to a person.
 */
export async function settleDoubt(submission: Submission, settling: Settling): Promise<Submitted> {
  const { api, log, clock, stopping, waitMs, resend } = settling;
  const { key, request } = submission;
  await log.know([key]);
  const seen = log.lookup(key);
  const record = await log.read(key);
  if (!record || (seen !== 'sending' && seen !== 'unknown')) return inDoubt(submission);
  if (await log.mayBeUnderWay(key)) return inDoubt(submission);
  const ageMs = log.nowMs() - Date.parse(record.at);
  const firstTryMs = Date.parse(record.at) - (record.ms ?? 0);
  const isRemembered = () => mayRepeat(api, log.nowMs() - firstTryMs);
  if (!record.again && isRemembered() && resend) return repeatUnderKey(submission, api, log, seen, isRemembered);
  if (waitMs === null) return inDoubt(submission);
  // Not before the intent of a process that was cut off has run out; one with an outcome has no intent any more.
  const leastMs = seen === 'sending' ? Math.max(waitMs, 2 * (log.intentLifeMs ?? 0)) : waitMs;
  await clock.sleep(Math.max(0, leastMs - ageMs), stopping);
  const first = stopping.aborted ? 'unknown' : (await api.validate(request)).verdict;
  await clock.sleep(GAP_MS, stopping);
  const second = stopping.aborted ? 'unknown' : (await api.validate(request)).verdict;
  if (first === 'unknown' || second === 'unknown') return inDoubt(submission);
  // Its process may have been cut off from the log, and be back.
  if (log.intentLifeMs !== null && (await log.mayBeUnderWay(key))) return inDoubt(submission);

  if (first === 'clear' && second === 'clear') return sendAgain(submission, settling, seen, record.again);
  const outcome = first === second ? TAKEN : CONTRADICTED;
  if (!(await log.outcome(subjectOf(submission), outcome, { seen, by: 'validate' }))) return inDoubt(submission);
  return settled(submission, outcome.status, outcome.message);
}

/** By the age of the first try under the key. One that lies ahead was dated by a clock that cannot be believed. */
function mayRepeat({ idempotencyWindowMs }: MarketplaceApi, ageMs: number): boolean {
  return idempotencyWindowMs !== null && ageMs >= 0 && ageMs < idempotencyWindowMs;
}

/** On a licence. What was no deliberate second send does not become one: its idempotency key stays. */
async function sendAgain(
  submission: Submission,
  { api, log, resend }: Settling,
  seen: LoggedState,
  again: boolean,
): Promise<Submitted> {
  if (!(await log.licence(subjectOf(submission), seen, 'validate'))) return inDoubt(submission);
  if (resend) return submitRequest(submission, api, log, { ...resend, validate: false, again });
  return settled(submission, 'failed', 'Not taken, as validate shows; the next run sends it.');
}

/**
 * Nobody knows whether the earlier try was taken, so this is no licence, which could outlive the service's memory: until the
 * service has said what became of it the request stays in doubt, and parked from the first byte on.
 */
async function repeatUnderKey(
  submission: Submission,
  api: MarketplaceApi,
  log: DeliveryLog,
  seen: LoggedState,
  isRemembered: () => boolean,
): Promise<Submitted> {
  const subject = subjectOf(submission);
  let [intended, state] = [false, seen];
  const intend = async () => {
    // Its turn may have been long in coming.
    if (!isRemembered()) return false;
    if (!(await log.sending(subject, state, { by: 'idempotency' }))) return false;
    [intended, state] = [true, 'parked'];
    return true;
  };
  const sent = await api.create(submission.request, intend, submission.key, log.intentLifeMs);
  if (!sent || !intended) return { ...inDoubt(submission), stop: sent?.stop ?? null };
  const { status, message } = sent.outcome;
  const isTold = status === 'created' || status === 'duplicate';
  const stillDoubted = { ...sent.outcome, status: 'unknown', message: `${EARLIER} ${message ?? ''}`.trim() } as const;
  const outcome = isTold ? sent.outcome : stillDoubted;
  const circumstances = { stop: sent.stop, unreadable: false, wasClear: false };
  return recorded(submission, outcome, circumstances, () => log.outcome(subject, outcome));
}

function settled(submission: Submission, status: Outcome['status'], message: string | null): Submitted {
  const stillDoubted = inDoubt(submission);
  return { ...stillDoubted, result: { ...stillDoubted.result, status, message } };
}

const EARLIER = 'An earlier try may have been taken.';
const NOTHING = { ids: {}, http: null, raw: null, ms: null };
const TAKEN: Outcome = {
  ...NOTHING,
  status: 'created',
  message: 'Taken, as validate shows; the answer with its identifiers was lost.',
};
const CONTRADICTED: Outcome = {
  ...NOTHING,
  status: 'unknown',
  message: 'Validate contradicts itself about this request; only a person can settle it.',
};
