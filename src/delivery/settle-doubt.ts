import type { Outcome } from '../request/outcome.ts';
import type { Clock, DeliveryLog, LogRecord, MarketplaceApi, Verdict } from '../request/ports.ts';
import type { LoggedState } from '../request/status.ts';
import {
  FEW_CONTROLS_WAIT_MS,
  isTrusted,
  licenceWaitMs,
  recordAgeMs,
  settleWaitMs,
  type VisibilityHistory,
  type VisibilityStats,
} from '../request/visibility.ts';
import { type Control, ControlRounds, type Controls, controlsFor, type Doubted, type Round } from './controls.ts';
import {
  inDoubt,
  knownStatus,
  recorded,
  type Submission,
  type SubmitOptions,
  type Submitted,
  subjectOf,
  submitRequest,
} from './submit.ts';
import { keptProof, type Proof, requestKind } from './visibility-prober.ts';

/** Between the two questions: a service with several machines may answer from one that does not know yet. */
const GAP_MS = 3_000;
/** While it waits, the age of the doubt is looked at so often: the machine may sleep, its clock may be set. */
const LOOK_MS = 30_000;
/** The same while looks are under way that may yet prove that validate sees. */
const LOOK_FOR_PROOF_MS = 1_000;

/** What validate's word about doubts is held against. */
export interface Believing {
  readonly proof: Proof;
  /** The user's `--settle`, or null for what was learned. */
  readonly chosenMs: number | null;
  /** A proxy may still deliver what was cut off here. */
  readonly isProxied: boolean;
  readonly rounds: ControlRounds;
  /** Whether to wait until a doubt is old enough; else one that is not is left alone. */
  readonly waits: boolean;
  /** Told how long a doubt is going to wait from now. */
  readonly waiting?: (waitMs: number) => void;
}

export interface Settling {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** Null: validate is not asked. */
  readonly believing: Believing | null;
  /** Requests that may be known to be created, near the doubt. */
  readonly known: () => Promise<readonly Control[]>;
  /** How to send what was not taken; null: leave that to the next run. */
  readonly resend: SubmitOptions | null;
}

/**
 * Settles a request in doubt, if that can be known. Where the service is idempotent it goes again under the same key, once and
 * as long as the service remembers that. Else validate, which must have proven that it sees creations like it, decides.
 * Twice duplicate: it was taken. Twice clear, while validate shows there and then that it sees controls: one licence to send
 * again, durable before its use. Anything else, and what was in doubt on a licence before, is left to a person.
 */
export async function settleDoubt(submission: Submission, settling: Settling): Promise<Submitted> {
  const { api, log, resend } = settling;
  const { key } = submission;
  await log.prefetch([key]);
  const seen = log.lookup(key);
  const record = await log.read(key);
  if (!record || (seen !== 'sending' && seen !== 'unknown')) return inDoubt(submission);
  if (await log.mayBeUnderWay(key)) return inDoubt(submission);
  const ageMs = recordAgeMs(record.at, log.nowMs());
  if (ageMs === null) return stays(submission, untimely(record));
  const firstTryMs = Date.parse(record.at) - (record.ms ?? 0);
  const isRemembered = () => mayRepeat(api, log.nowMs() - firstTryMs);
  if (!record.again && isRemembered() && resend) return repeatUnderKey(submission, api, log, seen, isRemembered);
  if (!settling.believing) return inDoubt(submission);
  return new Inquiry(submission, record, seen, settling, settling.believing).settle();
}

/** What a single request is delivered with, beside no other. */
export interface SinglePorts
  extends Pick<Settling, 'api' | 'log' | 'clock' | 'stopping'>,
    Pick<Believing, 'isProxied'> {
  readonly mayValidate: boolean;
  /** What validate is known to see. */
  readonly evidence: VisibilityHistory;
}

/**
 * Delivers one request as an import does a row. One that is in doubt already is settled, but without waiting until it is old
 * enough, and without controls: what validate does not see stays in doubt.
 */
export async function submitOrSettle(
  submission: Submission,
  { mayValidate, evidence, isProxied, ...ports }: SinglePorts,
  options: SubmitOptions,
): Promise<Submitted> {
  const { api, log, clock, stopping } = ports;
  await log.prefetch([submission.key]);
  if (knownStatus(log.lookup(submission.key), options) !== 'unknown') {
    return submitRequest(submission, api, log, options);
  }
  const proof = keptProof(
    () => evidence,
    () => log.nowMs(),
  );
  const rounds = new ControlRounds(api, stopping);
  const believing = mayValidate ? { proof, chosenMs: null, isProxied, rounds, waits: false } : null;
  return settleDoubt(submission, { api, log, clock, stopping, resend: options, believing, known: async () => [] });
}

/** One doubt on its way to a decision by validate. */
class Inquiry {
  readonly #submission: Submission;
  readonly #record: LogRecord;
  readonly #seen: LoggedState;
  readonly #settling: Settling;
  readonly #believing: Believing;
  readonly #doubted: Doubted;
  readonly #kind: string;

  constructor(submission: Submission, record: LogRecord, seen: LoggedState, settling: Settling, believing: Believing) {
    this.#submission = submission;
    this.#record = record;
    this.#seen = seen;
    this.#settling = settling;
    this.#believing = believing;
    this.#doubted = { request: submission.request, sentAtMs: Date.parse(record.at) };
    this.#kind = requestKind(submission.request);
  }

  async settle(): Promise<Submitted> {
    const unripe = await this.#untilOld((sight) => settleWaitMs(sight, this.#waiting()));
    if (unripe) return unripe;
    // What is there needs no control, and no longer wait.
    const asked = await this.#ask();
    if (asked !== 'clear') return this.#decide(asked, await this.#askAgain());

    const known = await this.#settling.known();
    const controlsAt = (nowMs: number) => controlsFor(this.#doubted, known, nowMs);
    const controls = () => controlsAt(this.#settling.log.nowMs());
    // Those that count as being as old as the doubt become more with its age, up to the longest that it is waited for.
    const latest = controlsAt(Math.max(this.#settling.log.nowMs(), this.#doubted.sentAtMs + FEW_CONTROLS_WAIT_MS));
    if (!latest) return stays(this.#submission, NO_CONTROLS);
    const young = await this.#untilOld((sight) => licenceWaitMs(sight, this.#waiting(), controls()?.all.length ?? 0));
    if (young) return young;
    const chosen = controls();
    return chosen ? this.#askBetweenControls(chosen) : stays(this.#submission, NO_CONTROLS);
  }

  /**
   * Two questions, each between two rounds of controls. A lag cannot have hidden the request at the first question, nor a
   * short memory at the second one, nor any one outage at both, without hiding controls too.
   */
  async #askBetweenControls({ all, olderMs, youngerMs }: Controls): Promise<Submitted> {
    const { clock, stopping, log } = this.#settling;
    const { rounds } = this.#believing;
    const before = await rounds.next(all);
    // Until it is as old as the oldest control was, or so old that no lag counts: what was seen of that must be seen of it.
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
    const sight = this.#believing.proof.sight(this.#kind);
    const isOld = log.nowMs() - this.#doubted.sentAtMs >= licenceWaitMs(sight, this.#waiting(), all.length);
    if (!isTrusted(sight) || !isOld) return stays(this.#submission, NOT_PROVEN);
    // Its process may have been cut off from the log, and be back.
    if (log.writeLeaseMs !== null && (await log.mayBeUnderWay(this.#submission.key))) return inDoubt(this.#submission);
    return sendAgain(this.#submission, this.#settling, this.#seen, this.#record.again);
  }

  async #decide(first: Verdict, second: Verdict): Promise<Submitted> {
    if (first === 'unknown' || second === 'unknown') return inDoubt(this.#submission);
    const { log } = this.#settling;
    // Its process may have been cut off from the log, and be back.
    if (log.writeLeaseMs !== null && (await log.mayBeUnderWay(this.#submission.key))) return inDoubt(this.#submission);
    const outcome = first === second ? TAKEN : CONTRADICTED;
    const how = { seen: this.#seen, by: 'validate' } as const;
    if (!(await log.outcome(subjectOf(this.#submission), outcome, how))) return inDoubt(this.#submission);
    return settled(this.#submission, outcome.status, outcome.message);
  }

  async #ask(): Promise<Verdict> {
    const { api, stopping } = this.#settling;
    return stopping.aborted ? 'unknown' : (await api.validate(this.#submission.request)).verdict;
  }

  async #askAgain(): Promise<Verdict> {
    const { clock, stopping } = this.#settling;
    await clock.sleep(GAP_MS, stopping);
    return this.#ask();
  }

  #waiting() {
    const isOwn = this.#record.run === this.#settling.log.run && this.#seen === 'unknown';
    return { chosenMs: this.#believing.chosenMs, isReset: isOwn && !this.#believing.isProxied };
  }

  /** Waits until the doubt is so old, by what is proven then. Returns why that is not to be, or null. */
  async #untilOld(wantedMs: (sight: VisibilityStats) => number): Promise<Submitted | null> {
    const { clock, log, stopping } = this.#settling;
    const { proof, waits, waiting } = this.#believing;
    while (!stopping.aborted) {
      const ageMs = recordAgeMs(this.#record.at, log.nowMs());
      if (ageMs === null) return stays(this.#submission, untimely(this.#record));
      const sight = proof.sight(this.#kind);
      const isProven = isTrusted(sight);
      if (!isProven && !proof.mayComeYet(this.#kind)) return stays(this.#submission, NOT_PROVEN);
      const leftMs = Math.max(wantedMs(sight), this.#leastMs()) - ageMs;
      if (isProven && leftMs <= 0) return null;
      if (!waits) return inDoubt(this.#submission);
      if (leftMs > 0) waiting?.(leftMs);
      await clock.sleep(isProven ? Math.min(leftMs, LOOK_MS) : LOOK_FOR_PROOF_MS, stopping);
    }
    return inDoubt(this.#submission);
  }

  /** Not before the intent of a process that was cut off has run out; one with an outcome has no intent any more. */
  #leastMs(): number {
    return this.#seen === 'sending' ? 2 * (this.#settling.log.writeLeaseMs ?? 0) : 0;
  }
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
  const sent = await api.create(submission.request, intend, submission.key, log.writeLeaseMs);
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

/** A doubt that stays one, and why. */
function stays(submission: Submission, why: string): Submitted {
  return settled(submission, 'unknown', why);
}

const LOOK_IT_UP = 'Look it up at the service, then: srq resolve KEY --created [ID] or --not-created.';
const NOT_PROVEN = `Validate has not proven that it sees requests like this one, so it is not asked. ${LOOK_IT_UP}`;
const NO_CONTROLS = `Validate calls it clear, which cannot be checked: too few requests like it, of the same time, are known to be created. ${LOOK_IT_UP}`;

function blind({ asked, seen }: Round): string {
  return `Validate calls it clear, but did not see ${asked - seen} of ${asked} requests that are known to be created, so it is not believed. ${LOOK_IT_UP}`;
}

function untimely({ at }: LogRecord): string {
  return `Its record in the log is dated ${at}, which cannot be true by the clock: how old the doubt is nobody knows. Set the clock right if it is wrong. ${LOOK_IT_UP}`;
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
