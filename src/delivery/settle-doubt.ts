import { randomUUID } from 'node:crypto';
import { SrqError } from '../request/errors.ts';
import { type Outcome, reasonOf } from '../request/outcome.ts';
import type { Clock, DeliveryLog, LogRecord, MarketplaceApi, Verdict } from '../request/ports.ts';
import { isTaken, type LoggedState } from '../request/status.ts';
import {
  FEW_CONTROLS_WAIT_MS,
  isTrusted,
  licenceWaitMs,
  recordAgeMs,
  settleWaitMs,
  type VisibilityHistory,
  type VisibilityStats,
  wasReset,
} from '../request/visibility.ts';
import {
  type Control,
  ControlRounds,
  type Controls,
  controlsFor,
  type Doubted,
  firstTryMs,
  type RoundResult,
} from './controls.ts';
import {
  inDoubt,
  loggedStatus,
  recorded,
  type Submission,
  type SubmitOptions,
  type Submitted,
  subjectOf,
  submitRequest,
} from './submit.ts';
import { type Proof, requestKind, storedProof } from './visibility-prober.ts';

/**
 * Pause between the two questions to validate. If the service runs on several machines, one of them may not know of the
 * request yet.
 */
const GAP_MS = 3_000;
/**
 * Interval at which the age of the request in doubt is computed again while waiting, because the machine may sleep or
 * its clock may be set.
 */
const AGE_CHECK_MS = 30_000;
/** The same interval while running probes may still prove that validate sees created requests. */
const PROOF_CHECK_MS = 1_000;

/** How validate is used to settle requests in doubt. */
export interface Validation {
  readonly proof: Proof;
  /** Minimum age of a request in doubt as set by `--settle`, or null for the learned one. */
  readonly settleMs: number | null;
  /** Whether there is a proxy in between. It may still deliver a request after srq has closed the connection. */
  readonly isProxied: boolean;
  readonly rounds: ControlRounds;
  /** Whether to wait until a request in doubt is old enough. Otherwise a younger one is left as it is. */
  readonly waits: boolean;
  /** Called with the time that a request in doubt is going to wait, in milliseconds. */
  readonly waiting?: (waitMs: number) => void;
}

/** Dependencies and options for settling a request in doubt. */
export interface SettleDeps {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** How validate is used, or null if it is not asked. */
  readonly validation: Validation | null;
  /** Loads requests near the one in doubt that are known to be created. */
  readonly loadControls: () => Promise<readonly Control[]>;
  /**
   * Called when this process cannot settle the request, but one that knows requests like it, or has the contract that it
   * was sent by, could.
   */
  readonly lacksControls?: () => void;
  /** Options for sending a request that turned out not to be taken, or null to leave it to the next run. */
  readonly resend: SubmitOptions | null;
}

/**
 * Settles a request in doubt, if that is possible.
 *
 * If the service is idempotent, the request is sent again once under the same key, as long as the service remembers the
 * key. Otherwise validate decides, provided that it has proven that it sees created requests of this kind. If it says
 * duplicate twice, the request was taken. If it says clear twice, and sees the controls at the same time, the request
 * gets one licence to be sent again; the licence is durable before it is used. Both ways are open only if the log says
 * that the first try was written in the form that the contract in force has. In all other cases a person has to decide,
 * as for a request that is in doubt after a licence.
 */
export async function settleDoubt(submission: Submission, deps: SettleDeps): Promise<Submitted> {
  const { api, log, resend } = deps;
  const { key } = submission;
  await log.prefetch([key]);
  const seen = log.lookup(key);
  const record = await log.read(key);
  if (!record || (seen !== 'sending' && seen !== 'unknown')) return inDoubt(submission);
  if (await log.mayBeUnderWay(key)) return inDoubt(submission);
  const ageMs = recordAgeMs(record.at, log.nowMs());
  if (ageMs === null) return stays(submission, untimely(record));
  const isRemembered = () => mayRepeat(api, log.nowMs() - firstTryMs(record));
  // The first try may have been written by another contract. The service would not recognise its repetition by a key that
  // it did not have, or had at another place, and validate may look for it where it does not stand.
  const isOfThisForm = (record.wireForm ?? null) === api.wireForm;
  const mayRepeatIt = isOfThisForm && !record.again && isRemembered();
  if (mayRepeatIt && resend) return repeatUnderKey(submission, api, log, seen, isRemembered);
  if (!deps.validation) return inDoubt(submission);
  if (!isOfThisForm) {
    deps.lacksControls?.();
    return stays(submission, OTHER_FORM);
  }
  return new Inquiry(submission, record, seen, deps, deps.validation).settle();
}

/** Dependencies for sending a single request. */
export interface SingleDeps
  extends Pick<SettleDeps, 'api' | 'log' | 'clock' | 'stopping'>,
    Pick<Validation, 'isProxied'> {
  readonly mayValidate: boolean;
  /** What is known about how well validate sees created requests. */
  readonly evidence: VisibilityHistory;
}

/**
 * Sends one request as an import would. A request that is already in doubt is settled, but without controls and without
 * waiting until it is old enough. It therefore stays in doubt if validate does not see it, or cannot be asked.
 *
 * Throws `SrqError('log')` if nothing was sent and the log cannot say whether the request is in doubt, or cannot record
 * the intent.
 */
export async function submitOrSettle(
  submission: Submission,
  { mayValidate, evidence, isProxied, ...deps }: SingleDeps,
  chosen: SubmitOptions,
): Promise<Submitted> {
  const { api, log, clock, stopping } = deps;
  // A process may send the same request on purpose several times, and a service that is idempotent must not take the
  // last one for the one before.
  const options = { ...chosen, occasion: randomUUID() };
  await log.prefetch([submission.key]);
  if (loggedStatus(log.lookup(submission.key), options) !== 'unknown') {
    return submitRequest(submission, api, log, options);
  }
  const proof = storedProof(
    () => evidence,
    () => log.nowMs(),
  );
  const rounds = new ControlRounds(api, stopping);
  const validation = mayValidate ? { proof, settleMs: null, isProxied, rounds, waits: false } : null;
  const settling = { api, log, clock, stopping, resend: options, validation, loadControls: async () => [] };
  try {
    return await settleDoubt(submission, settling);
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return { ...inDoubt(submission), stop: error };
  }
}

/** Settles one request in doubt by asking validate. */
class Inquiry {
  readonly #submission: Submission;
  readonly #record: LogRecord;
  readonly #seen: LoggedState;
  readonly #deps: SettleDeps;
  readonly #validation: Validation;
  readonly #doubted: Doubted;
  readonly #kind: string;

  constructor(submission: Submission, record: LogRecord, seen: LoggedState, deps: SettleDeps, validation: Validation) {
    this.#submission = submission;
    this.#record = record;
    this.#seen = seen;
    this.#deps = deps;
    this.#validation = validation;
    const sentAtMs = Date.parse(record.at);
    this.#doubted = { request: submission.request, firstTryMs: firstTryMs(record), sentAtMs };
    this.#kind = requestKind(submission.request);
  }

  async settle(): Promise<Submitted> {
    const unripe = await this.#waitUntilOld((sight) => settleWaitMs(sight, this.#waiting()));
    if (unripe) return unripe;
    // A request that validate finds needs no controls and no longer wait.
    const asked = await this.#ask();
    if (asked !== 'clear') return this.#decide(asked, await this.#askAgain());

    const known = await this.#deps.loadControls();
    const controlsAt = (nowMs: number) => controlsFor(this.#doubted, known, nowMs);
    const controls = () => controlsAt(this.#deps.log.nowMs());
    // The tolerance for the age of a control grows with the age of the request in doubt, so more controls may qualify
    // later, up to the longest wait.
    const latest = controlsAt(Math.max(this.#deps.log.nowMs(), this.#doubted.sentAtMs + FEW_CONTROLS_WAIT_MS));
    if (!latest) return this.#withoutControls();
    const young = await this.#waitUntilOld((sight) =>
      licenceWaitMs(sight, this.#waiting(), controls()?.all.length ?? 0),
    );
    if (young) return young;
    const chosen = controls();
    return chosen ? this.#askBetweenControls(chosen) : this.#withoutControls();
  }

  #withoutControls(): Submitted {
    this.#deps.lacksControls?.();
    return stays(this.#submission, NO_CONTROLS);
  }

  /**
   * Asks validate twice about the request, each time between two rounds of controls. Neither a lag at the first
   * question, nor a short memory at the second, nor an outage at both can hide the request without hiding controls as
   * well.
   */
  async #askBetweenControls({ all, olderMs, youngerMs }: Controls): Promise<Submitted> {
    const { clock, stopping, log } = this.#deps;
    const { rounds } = this.#validation;
    const before = await rounds.next(all);
    // The request in doubt must be as old as the oldest control was at the first round, or so old that no lag matters.
    // Validate then has to see it just as it saw that control.
    const youngForMs = FEW_CONTROLS_WAIT_MS - (log.nowMs() - this.#doubted.sentAtMs);
    await clock.sleep(Math.max(0, Math.min(olderMs, youngForMs)), stopping);
    const first = await this.#ask();
    const between = await rounds.next(all);
    const second = await this.#askAgain();
    if (first !== 'clear' || second !== 'clear') return this.#decide(first, second);
    await clock.sleep(youngerMs, stopping);
    const after = await rounds.next(all);

    const missed = [before, between, after].find((round) => round.seen < round.asked);
    if (stopping.aborted) return inDoubt(this.#submission);
    if (missed) return stays(this.#submission, blind(missed));
    const sight = this.#validation.proof.sight(this.#kind);
    const isOld = log.nowMs() - this.#doubted.sentAtMs >= licenceWaitMs(sight, this.#waiting(), all.length);
    if (!isTrusted(sight) || !isOld) return stays(this.#submission, NOT_PROVEN);
    // The process that sent the request may have lost its connection to the log and have regained it.
    if (log.writeLeaseMs !== null && (await log.mayBeUnderWay(this.#submission.key))) return inDoubt(this.#submission);
    return sendAgain(this.#submission, this.#deps, this.#seen, this.#record);
  }

  async #decide(first: Verdict, second: Verdict): Promise<Submitted> {
    if (first === 'unknown' || second === 'unknown') return inDoubt(this.#submission);
    // The request was sent a second time on purpose, so validate finds the first one whatever became of the second.
    if (this.#record.again) return stays(this.#submission, MEANS_FIRST);
    const { log } = this.#deps;
    // The process that sent the request may have lost its connection to the log and have regained it.
    if (log.writeLeaseMs !== null && (await log.mayBeUnderWay(this.#submission.key))) return inDoubt(this.#submission);
    const outcome = first === second ? TAKEN : CONTRADICTED;
    const how = { seen: this.#seen, by: 'validate' } as const;
    if (!(await log.outcome(subjectOf(this.#submission), outcome, how))) return inDoubt(this.#submission);
    return settled(this.#submission, outcome.status, outcome.message);
  }

  async #ask(): Promise<Verdict> {
    const { api, stopping } = this.#deps;
    return stopping.aborted ? 'unknown' : (await api.validate(this.#submission.request)).verdict;
  }

  async #askAgain(): Promise<Verdict> {
    const { clock, stopping } = this.#deps;
    await clock.sleep(GAP_MS, stopping);
    return this.#ask();
  }

  #waiting() {
    const { settleMs, isProxied } = this.#validation;
    const isOwn = this.#record.run === this.#deps.log.run;
    return { settleMs, isReset: wasReset({ state: this.#seen, isOwn, isProxied }) };
  }

  /**
   * Waits until the request in doubt has the wanted age, which may change as more is learned. Returns null once it has,
   * or the result if the request cannot be settled.
   */
  async #waitUntilOld(wantedMs: (sight: VisibilityStats) => number): Promise<Submitted | null> {
    const { clock, log, stopping } = this.#deps;
    const { proof, waits, waiting } = this.#validation;
    while (!stopping.aborted) {
      const ageMs = recordAgeMs(this.#record.at, log.nowMs());
      if (ageMs === null) return stays(this.#submission, untimely(this.#record));
      const sight = proof.sight(this.#kind);
      const isProven = isTrusted(sight);
      if (!isProven && !proof.mayBecomeTrusted(this.#kind)) return stays(this.#submission, NOT_PROVEN);
      const leftMs = Math.max(wantedMs(sight), this.#minAgeMs()) - ageMs;
      if (isProven && leftMs <= 0) return null;
      if (!waits) return inDoubt(this.#submission);
      if (leftMs > 0) waiting?.(leftMs);
      await clock.sleep(isProven ? Math.min(leftMs, AGE_CHECK_MS) : PROOF_CHECK_MS, stopping);
    }
    return inDoubt(this.#submission);
  }

  /**
   * Returns the minimum age before validate is asked. An intent without an outcome may belong to a process that was cut
   * off, so the intent must have expired first.
   */
  #minAgeMs(): number {
    return this.#seen === 'sending' ? 2 * (this.#deps.log.writeLeaseMs ?? 0) : 0;
  }
}

/**
 * Tells whether the service still remembers the idempotency key, by the age of the first attempt. A negative age comes
 * from a wrong clock and is not trusted.
 */
function mayRepeat({ idempotencyWindowMs }: MarketplaceApi, ageMs: number): boolean {
  return idempotencyWindowMs !== null && ageMs >= 0 && ageMs < idempotencyWindowMs;
}

/** Sends a request again under a licence. */
async function sendAgain(
  submission: Submission,
  { api, log, resend }: SettleDeps,
  seen: LoggedState,
  record: LogRecord,
): Promise<Submitted> {
  if (!(await log.licence(subjectOf(submission), seen, 'validate', { again: record.again })))
    return inDoubt(submission);
  if (resend) return submitRequest(submission, api, log, { ...resend, validate: false, again: false });
  return settled(submission, 'failed', 'Not taken, as validate shows; the next run sends it.');
}

/**
 * Sends a request again under its idempotency key. It is unknown whether the earlier attempt was taken, so no licence
 * is given, as that could outlive the service's memory of the key. The request is parked from the first byte on and
 * stays in doubt until the service reports its outcome.
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
    // The key may have expired while the request waited for its turn.
    if (!isRemembered()) return false;
    if (!(await log.sending(subject, state, { by: 'idempotency' }))) return false;
    [intended, state] = [true, 'parked'];
    return true;
  };
  const sent = await api.create(submission.request, intend, submission.key, log.writeLeaseMs);
  if (!sent || !intended) return { ...inDoubt(submission), stop: sent?.stop ?? null };
  const { status, message } = sent.outcome;
  const stillDoubted = { ...sent.outcome, status: 'unknown', message: `${EARLIER} ${message ?? ''}`.trim() } as const;
  const outcome = isTaken(status) ? sent.outcome : stillDoubted;
  const circumstances = { stop: sent.stop, unreadable: false, wasClear: false };
  return recorded(submission, outcome, circumstances, () => log.outcome(subject, outcome));
}

function settled(submission: Submission, status: Outcome['status'], message: string | null): Submitted {
  const stillDoubted = inDoubt(submission);
  const reason = status === 'failed' ? 'request.not-taken' : reasonOf({ status, http: null });
  return { ...stillDoubted, result: { ...stillDoubted.result, status, message, reason } };
}

/** Builds the result of a request in doubt that could not be settled, with the reason. */
function stays(submission: Submission, why: string): Submitted {
  return settled(submission, 'unknown', why);
}

const LOOK_IT_UP = 'Look it up at the service, then: srq resolve KEY --created [ID] or --not-created.';
const MEANS_FIRST = `Validate sees a request like it, which may be the one that was sent before (--again, --on-duplicate create). ${LOOK_IT_UP}`;
const OTHER_FORM = `It was sent by another contract than the one in force, so validate may not see it and is not asked. ${LOOK_IT_UP}`;
const NOT_PROVEN = `Validate has not proven that it sees requests like this one, so it is not asked. ${LOOK_IT_UP}`;
const NO_CONTROLS = `Validate calls it clear, which cannot be checked: too few requests like it, of the same time, are known to be created. ${LOOK_IT_UP}`;

function blind({ asked, seen }: RoundResult): string {
  return `Validate calls it clear, but did not see ${asked - seen} of ${asked} requests that are known to be created, so it is not believed. ${LOOK_IT_UP}`;
}

function untimely({ at }: LogRecord): string {
  return `Its record in the log is dated ${at}, which the clock of this machine contradicts, so nobody knows how old it is. Correct the clock if it is wrong. ${LOOK_IT_UP}`;
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
  message: 'Validate contradicts itself about this request, so only a person can settle it.',
};
