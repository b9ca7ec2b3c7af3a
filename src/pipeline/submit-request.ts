import { SrqError } from '../model/errors.ts';
import type { Identifiers, Outcome, RowResult, Status } from '../model/outcome.ts';
import type { DeliveryLog, LoggedState, MarketplaceApi, ValidateResult } from '../model/ports.ts';
import type { ServiceRequest } from '../model/service-request.ts';

/** A checked request on its way out. */
export interface Submission {
  readonly row: number;
  readonly request: ServiceRequest;
  readonly key: string;
}

export interface SubmitOptions {
  /** Ask for duplicates before creating. */
  readonly validate: boolean;
  readonly onDuplicate: 'skip' | 'create';
  /** Send even what the log knows as created or duplicate. What is in doubt stays unsent all the same. */
  readonly again: boolean;
}

export interface Submitted {
  readonly result: RowResult;
  /** The service gave an answer to validate or create that nobody could read. */
  readonly unreadable: boolean;
  /** Why no further request is worth sending. */
  readonly stop: SrqError | null;
}

/**
 * Takes one request from the log's memory through validate and a durable intent to its recorded outcome. Throws
 * `SrqError('log')` when the log cannot keep the record.
 */
export async function submitRequest(
  submission: Submission,
  api: MarketplaceApi,
  log: DeliveryLog,
  options: SubmitOptions,
): Promise<Submitted> {
  const { request, key } = submission;
  const seen = log.lookup(key);
  const known = knownStatus(seen, options);
  if (known) return plain(knownResult(submission, known, log));

  const subject = { key, row: submission.row, ref: request.ref };
  if (options.validate) {
    const checked = await validateFirst(submission, api, options);
    if (checked) {
      await log.outcome(subject, checked.outcome);
      return { ...checked, result: resultOf(submission, checked.outcome) };
    }
  }
  const sent = await api.create(request, () => log.sending(subject, seen));
  // Another process recorded this request since we looked: what it did decides.
  if (!sent) return plain(knownResult(submission, knownStatus(log.lookup(key), options) ?? 'unknown', log));
  await log.outcome(subject, sent.outcome);
  return { result: resultOf(submission, sent.outcome), unreadable: isUnreadable(sent.outcome), stop: sent.stop };
}

/** How a row ends at once because of what the log knows of its request; null if it may be sent. */
export function knownStatus(
  state: LoggedState,
  options: Pick<SubmitOptions, 'onDuplicate' | 'again'>,
): 'unknown' | 'repeated' | 'duplicate' | null {
  if (state === 'sending' || state === 'unknown') return 'unknown';
  if (options.again) return null;
  if (state === 'created') return 'repeated';
  return state === 'duplicate' && options.onDuplicate === 'skip' ? 'duplicate' : null;
}

/** The result of such a row, with what the log has on it. */
export function knownResult(submission: Submission, status: Status, log: DeliveryLog): RowResult {
  if (status === 'unknown') return inDoubt(submission);
  const record = log.read(submission.key);
  const when = record ? ` on ${record.at}` : '';
  const message =
    status === 'repeated'
      ? `Already created${when}, according to the log.`
      : `Found to be a duplicate${when}, according to the log.`;
  return { ...base(submission, status), ids: record?.ids ?? {}, message };
}

async function validateFirst(
  { request }: Submission,
  api: MarketplaceApi,
  options: SubmitOptions,
): Promise<(Omit<Submitted, 'result'> & { outcome: Outcome }) | null> {
  let answer: ValidateResult;
  try {
    answer = await api.validate(request);
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return { outcome: outcomeOf('failed', error.message), unreadable: false, stop: error };
  }
  if (answer.verdict === 'clear') return null;
  if (answer.verdict === 'duplicate') {
    if (options.onDuplicate === 'create') return null;
    const outcome = outcomeOf('duplicate', 'Validate says that it is a duplicate.', answer.http, answer.ids);
    return { outcome, unreadable: false, stop: null };
  }
  if (answer.refused) {
    return { outcome: outcomeOf(answer.refused, answer.message, answer.http), unreadable: false, stop: null };
  }
  const message = 'Validate gave an answer that srq cannot read, so this request was not created.';
  return { outcome: { ...outcomeOf('failed', message, answer.http), raw: answer.raw }, unreadable: true, stop: null };
}

function outcomeOf(
  status: Outcome['status'],
  message: string | null,
  http: number | null = null,
  ids: Identifiers = {},
): Outcome {
  return { status, ids, http, message, raw: null, ms: null };
}

/** A 2xx web page, or a body that ended too soon or is no data: perhaps not the service at all. */
function isUnreadable(outcome: Outcome): boolean {
  return outcome.status === 'created' && outcome.raw !== null && /^\s*</.test(outcome.raw);
}

function inDoubt(submission: Submission): RowResult {
  return {
    ...base(submission, 'unknown'),
    message: 'An earlier try may have been taken; it is not sent again before that is settled.',
  };
}

function resultOf(submission: Submission, { status, ids, http, message }: Outcome): RowResult {
  return { ...base(submission, status), ids, http, message };
}

function base({ row, request, key }: Submission, status: Status): RowResult {
  return { row, status, ref: request.ref, key, ids: {}, http: null, message: null };
}

function plain(result: RowResult): Submitted {
  return { result, unreadable: false, stop: null };
}
