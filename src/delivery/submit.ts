import { repetitionKey, type ServiceRequest } from '../request/lead/service-request.ts';
import { type Identifiers, type Outcome, outcomeOf, type RowResult, reasonOf } from '../request/log/outcome.ts';
import { isTaken, type LoggedState, type Status } from '../request/log/status.ts';
import type {
  DeliveryLog,
  LogSubject,
  LogView,
  MarketplaceApi,
  OutcomeOptions,
  UnprovenAnswer,
  ValidateResult,
} from '../request/ports.ts';
import { expected, SrqError } from '../request/words/errors.ts';
import { type Finality, loggedStatus, NEVER_AGAIN } from './sent-before.ts';
import { ageMs, withdrawCreation } from './withdraw.ts';

/** A checked request that is to be sent. */
export interface Submission {
  readonly row: number;
  readonly request: ServiceRequest;
  readonly key: string;
}

/** Options for sending a request. */
export interface SubmitOptions extends Finality {
  /** Whether validate is asked about duplicates before a request is created. */
  readonly validate: boolean;
  /**
   * Identifies the occasion of a deliberate second send: each occasion has an idempotency key of its own. The default is
   * the run, because an import sends each request once.
   */
  readonly occasion?: string;
}

/** What became of one request, sent or not, and what follows from it for the run. */
export interface Sent extends RowResult {
  /** The reason why no further request should be sent, or null. */
  readonly stop: SrqError | null;
  /** Another request that was told as created and is unknown now, because this one got its identifier, or null. */
  readonly alsoUnknown: RowResult | null;
  /**
   * Whether the log could not store the result. It must then be shown to the user, because it is stored nowhere else.
   */
  readonly unrecorded: boolean;
  /** Whether nothing shows what the service's answer to validate says. */
  readonly unreadable: boolean;
  /** The answer to create if it proves nothing, and validate did not show that the request was taken, or null. */
  readonly unproven: UnprovenAnswer | null;
  /** Whether the result comes from the log and nothing was sent. */
  readonly isFromLog: boolean;
}

type Circumstances = Partial<Omit<Sent, keyof RowResult>>;

/** Builds what became of a request. Its place in the run and its reason follow from the request and the outcome. */
function sentOf(
  { row, request: { ref }, key }: Submission,
  { status, ids, http, message }: Pick<RowResult, 'status' | 'ids' | 'http' | 'message'>,
  circumstances: Circumstances = {},
): Sent {
  return { row, status, ref, key, ids, http, message, reason: reasonOf({ status, http }), ...USUAL, ...circumstances };
}

const USUAL = { stop: null, alsoUnknown: null, unproven: null, unrecorded: false, unreadable: false, isFromLog: false };

/** Returns the part of a result that users see. */
export function shown({ row, status, ref, key, ids, http, message, reason }: RowResult): RowResult {
  return { row, status, ref, key, ids, http, message, reason };
}

/** Builds what became of a request to which nobody sends anything now. */
export function unsent(submission: Submission, status: Status, message: string | null, ids: Identifiers = {}): Sent {
  return sentOf(submission, { status, ids, http: null, message }, { isFromLog: true });
}

/** The message of a row whose outcome is unknown since an earlier run. */
export const IN_DOUBT = 'An earlier try may have been taken; the row is not sent again until that is settled.';

/** How to say what an answer means that srq does not know. */
export const TEACH =
  'If an answer that srq does not know always means a refusal, say so once: srq contract learn --refused-by form. If it means that the request was taken: --taken-by form.';

/** Builds the result of a request whose outcome stays unknown. */
export const inDoubt = (submission: Submission): Sent => unsent(submission, 'unknown', IN_DOUBT);

const NOT_ASKED = { outcome: null, isThere: false, cleared: null } as const;

/**
 * Sends one request: looks it up in the log, asks validate, records the intent durably, sends it and records the
 * outcome. `onCreated` is called as soon as the service has confirmed the creation, before that is recorded.
 *
 * Throws `SrqError('log')` if the first intent cannot be recorded; nothing has been sent then. A fault in srq itself does not
 * throw: the row is returned as failed, or as in doubt if the intent was already recorded.
 */
export async function submitRequest(
  submission: Submission,
  api: MarketplaceApi,
  log: DeliveryLog,
  options: SubmitOptions,
  onCreated?: () => void,
): Promise<Sent> {
  try {
    return await submit(submission, api, log, options, onCreated);
  } catch (error) {
    if (error instanceof SrqError) throw error;
    return faulted(submission, log, error);
  }
}

async function submit(...[submission, api, log, options, onCreated]: Parameters<typeof submitRequest>): Promise<Sent> {
  const { request, key } = submission;
  await log.prefetch([key]);
  const seen = log.lookup(key);
  if (loggedStatus(seen, options)) return fromLog(submission, log, options);

  const subject = subjectOf(submission);
  const clearance = options.validate ? await validateFirst(request, api, options) : NOT_ASKED;
  if (clearance.outcome) return recordUnsent(submission, log, seen, clearance.outcome, clearance.circumstances);
  const { isThere, cleared } = clearance;
  // What validate finds under a licence may be the very try that the licence is about, so that keeps its idempotency key.
  // What the service has already is sent a second time on purpose.
  const isSecond = isTaken(seen) || (isThere && seen !== 'licensed');
  const again = isSecond || (await isOfSecondSend(submission, seen, log));
  const idempotencyKey = again ? repetitionKey(key, options.occasion ?? log.run) : key;
  const how = { again, wireForm: api.wireForm, wasClear: cleared !== null };
  let [intended, state] = [false, seen];
  // The intent is checked before each attempt, because another process may settle and send the request during a long
  // pause between two attempts.
  const intend = async () => {
    if (!(await log.sending(subject, state, how))) return false;
    [intended, state] = [true, seen === 'licensed' ? 'parked' : 'sending'];
    return true;
  };
  const sent = await api.create(request, intend, { key, idempotencyKey, writeLeaseMs: log.writeLeaseMs, cleared });
  if (!sent) return fromLog(submission, log, options);
  const { outcome, stop, unproven } = sent;
  const sentMs = log.nowMs() - (outcome.ms ?? 0);
  if (!intended) return recordUnsent(submission, log, seen, outcome, { stop });
  if (outcome.status === 'created') onCreated?.();
  const withdrawn = await withdrawCreation(sent, log, api.wireForm);
  const told = await recorded(submission, outcome, { unproven, ...withdrawn }, log, how);
  const mayProve = unproven !== null && cleared !== null && !told.unrecorded && stop === null;
  return mayProve ? proven(submission, told, { unproven, cleared, sentMs }, api, log) : told;
}

/**
 * Finds out by validate whether a request was taken whose answer proves nothing. It is recorded as unknown before, and stays
 * so if nothing shows that it was taken.
 */
async function proven(
  submission: Submission,
  told: Sent,
  { unproven, cleared, sentMs }: { unproven: UnprovenAnswer; cleared: ValidateResult; sentMs: number },
  api: MarketplaceApi,
  log: DeliveryLog,
): Promise<Sent> {
  const { request, key } = submission;
  try {
    const proof = await api.prove(request, key, unproven, cleared);
    if (proof === null) return told;
    const withdrawn = await withdrawCreation(proof, log, api.wireForm);
    if (proof.outcome.status === 'unknown') return { ...told, ...withdrawn };
    // When it was sent can be told from this, by which its age is compared with that of unknown requests.
    const outcome = { ...proof.outcome, ms: ageMs(log, sentMs) };
    return recorded(submission, outcome, withdrawn, log, { seen: log.lookup(key) });
  } catch (error) {
    return { ...told, stop: expected(error) };
  }
}

/**
 * Tells whether the last try was a deliberate second send that the service has not taken. Under the key of the first one an
 * idempotent service would repeat what it answered then, and the request would pass for created.
 */
async function isOfSecondSend({ key }: Submission, seen: LoggedState, log: DeliveryLog): Promise<boolean> {
  return seen !== 'none' && (await log.read(key))?.again === true;
}

/**
 * Turns a fault in srq into a result. The error's message is left out, because it may contain personal data from the
 * request.
 */
async function faulted(submission: Submission, log: DeliveryLog, error: unknown): Promise<Sent> {
  const name = error instanceof Error ? error.name : 'an error';
  const message = `srq failed on row ${submission.row} (${name}).`;
  const hint =
    'This is an error in srq: please report it. The other rows can be sent without this one: --skip, --limit.';
  const stop = new SrqError('srq.fault', message, hint, error);
  const isInDoubt = loggedStatus(log.lookup(submission.key), NEVER_AGAIN) === 'unknown';
  const outcome = outcomeOf(isInDoubt ? 'unknown' : 'failed', message);
  if (!isInDoubt) return sentOf(submission, outcome, { stop });
  const { again = false, wireForm = null, wasClear = false } = (await log.read(submission.key)) ?? {};
  return recorded(submission, outcome, { stop }, log, { again, wireForm, wasClear });
}

/**
 * Records that a request is refused before anything is sent. If the log already knows its outcome, that is returned
 * instead.
 */
export async function refuseUnsent(submission: Submission, log: DeliveryLog, outcome: Outcome): Promise<Sent> {
  await log.prefetch([submission.key]);
  const seen = log.lookup(submission.key);
  const isKnown = loggedStatus(seen, NEVER_AGAIN) !== null;
  return isKnown ? fromLog(submission, log) : recordUnsent(submission, log, seen, outcome, {});
}

/**
 * Records the outcome of a request that was not sent. This must neither overwrite what another process has recorded in
 * the meantime nor hide that the service has the request (`--again`, `--on-duplicate create`).
 */
async function recordUnsent(
  submission: Submission,
  log: DeliveryLog,
  seen: LoggedState,
  outcome: Outcome,
  circumstances: Circumstances,
): Promise<Sent> {
  if (isTaken(seen)) return sentOf(submission, outcome, circumstances);
  const again = await isOfSecondSend(submission, seen, log);
  return recorded(submission, outcome, circumstances, log, { seen, again });
}

/**
 * Records an outcome. If another process has found out more meanwhile, that counts. If the log fails, the result is marked as
 * `unrecorded`, so that it is not lost.
 */
export async function recorded(
  submission: Submission,
  outcome: Outcome,
  circumstances: Circumstances,
  log: DeliveryLog,
  how: OutcomeOptions = {},
): Promise<Sent> {
  const told = sentOf(submission, outcome, circumstances);
  try {
    if (await log.outcome(subjectOf(submission), outcome, how)) return told;
  } catch (error) {
    return { ...told, stop: expected(error), unrecorded: true };
  }
  if (loggedStatus(log.lookup(submission.key), NEVER_AGAIN) === null) return told;
  const { stop, unreadable, alsoUnknown } = told;
  return { ...(await fromLog(submission, log)), stop, unreadable, alsoUnknown };
}

/**
 * Returns what the log, as last looked up, says of a request that is not sent because of it. Rejects if the log cannot be
 * read, because the result is then unknown.
 */
export async function fromLog(submission: Submission, log: Pick<LogView, 'lookup' | 'read'>, options = NEVER_AGAIN) {
  const status = loggedStatus(log.lookup(submission.key), options) ?? 'unknown';
  if (status === 'unknown') return inDoubt(submission);
  const record = await log.read(submission.key);
  const what = status === 'repeated' ? 'Already created' : 'Found to be a duplicate';
  const when = record ? ` on ${record.at}` : '';
  return unsent(submission, status, `${what}${when}, according to the log.`, record?.ids);
}

/**
 * Returns the outcome of a request that must not be created, else whether validate says that the service has a request like it,
 * and the answer by which it called the request clear.
 */
async function validateFirst(request: ServiceRequest, api: MarketplaceApi, options: SubmitOptions) {
  const answer = await api.validate(request).catch(expected);
  if (answer instanceof SrqError)
    return { outcome: outcomeOf('failed', answer.message), circumstances: { stop: answer } };
  const { verdict, refused, http, ids, message, raw } = answer;
  if (verdict === 'clear') return { ...NOT_ASKED, cleared: answer };
  if (verdict === 'duplicate' && options.onDuplicate === 'create') return { ...NOT_ASKED, isThere: true };
  const not = (outcome: Outcome, circumstances: Circumstances = {}) => ({ outcome, circumstances });
  if (verdict === 'duplicate') return not(outcomeOf(verdict, 'Validate says that it is a duplicate.', { http, ids }));
  if (refused) return not(outcomeOf(refused, message, { http }));
  const why = `${message ?? 'srq does not know what the answer of validate means.'} The request was not created.`;
  return not(outcomeOf('failed', why, { http, raw }), { unreadable: true });
}

/** Returns the subject under which a request is logged. */
export function subjectOf({ key, row, request }: Submission): LogSubject {
  return { key, row, ref: request.ref, market: request.params['country'] };
}
