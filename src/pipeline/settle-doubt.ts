import type { Outcome } from '../model/outcome.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../model/ports.ts';
import { inDoubt, type Submission, type SubmitOptions, type Submitted, submitRequest } from './submit-request.ts';

/** Between the two questions: a service with several machines may answer from one that does not know yet. */
const GAP_MS = 3_000;

export interface Settling {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** After the doubtful send, before validate is asked. */
  readonly waitMs: number;
  /** How to send what was not taken; null: leave that to the next run. */
  readonly resend: SubmitOptions | null;
}

/**
 * Lets validate, which must have proven that it sees creations, decide about a request in doubt. Twice duplicate: it was
 * taken. Twice clear: one licence to send again, durable before its use. Anything else, and what was in doubt on a licence
 * before, is left to a person.
 */
export async function settleDoubt(submission: Submission, settling: Settling): Promise<Submitted> {
  const { api, log, clock, stopping, waitMs, resend } = settling;
  const { key, request, row } = submission;
  const seen = log.lookup(key);
  const record = log.read(key);
  if (!record || (seen !== 'sending' && seen !== 'unknown')) return inDoubt(submission);
  if (log.mayBeUnderWay(key)) return inDoubt(submission);
  await clock.sleep(Math.max(0, Date.parse(record.at) + waitMs - clock.nowMs()), stopping);
  const first = stopping.aborted ? 'unknown' : (await api.validate(request)).verdict;
  await clock.sleep(GAP_MS, stopping);
  const second = stopping.aborted ? 'unknown' : (await api.validate(request)).verdict;
  if (first === 'unknown' || second === 'unknown') return inDoubt(submission);

  const subject = { key, row, ref: request.ref };
  if (first === 'clear' && second === 'clear') {
    if (!(await log.licence(subject, seen, 'validate'))) return inDoubt(submission);
    if (resend) return submitRequest(submission, api, log, { ...resend, validate: false });
    return settled(submission, 'failed', 'Not taken, as validate shows; the next run sends it.');
  }
  const outcome = first === second ? TAKEN : CONTRADICTED;
  if (!(await log.outcome(subject, outcome, { seen, by: 'validate' }))) return inDoubt(submission);
  return settled(submission, outcome.status, outcome.message);
}

function settled(submission: Submission, status: Outcome['status'], message: string | null): Submitted {
  const stillDoubted = inDoubt(submission);
  return { ...stillDoubted, result: { ...stillDoubted.result, status, message } };
}

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
