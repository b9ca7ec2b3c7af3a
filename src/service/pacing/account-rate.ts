import {
  AdaptiveRate,
  type AdaptiveRateRecord,
  type Admission,
  type ChosenRate,
  type LearnedRate,
  type Pace,
  type Permit,
  type RateAnswer,
} from './adaptive-rate.ts';

/** Time without a send after which the measurements are outdated. The rate then starts again from what was learned. */
const IDLE_MS = 60_000;
/**
 * Time without a turn after which a process counts as stopped or cut off, so that its sends do not hold up the others.
 */
const MISSING_MS = 20_000;
/** Minimum step in time. A smaller one may be lost in rounding. */
const MIN_STEP_MS = 0.001;
/** Version of the stored form. A rate stored in another version is not used. */
const FORM = 2;

/** The settings that a process wants for the rate of its account. */
interface Wishes {
  readonly rate: ChosenRate;
  /** Maximum number of its sends, granted and in flight together. */
  readonly places: number;
}

interface AccountMember extends Wishes {
  /** Number of its sends that are granted and not yet reported as answered. */
  readonly inFlight: number;
  /** The number of its send that probes whether a pause is over. */
  readonly probe: number | null;
  /** Time of its last turn. */
  readonly seenMs: number;
}

/** The rate of an account, as the store keeps it between two turns. */
interface AccountRateRecord {
  readonly form: typeof FORM;
  /** The store's clock when this was stored. */
  readonly wallMs: number;
  /** The time of the rate at that moment. It never goes back, even if that clock does. */
  readonly nowMs: number;
  readonly rate: ChosenRate;
  readonly pace: AdaptiveRateRecord;
  readonly members: Readonly<Record<string, AccountMember>>;
}

/** A granted send that was answered. `atMs` is the time of the answer. */
export interface AnsweredSend {
  readonly permit: Permit;
  readonly atMs: number;
  readonly answer: RateAnswer;
}

/** What a process has learned since its last turn, and what it wants. */
export interface TurnRequest {
  readonly run: string;
  readonly wishes: Wishes;
  readonly learned: LearnedRate | null;
  /** Number of sends wanted, including those within `aheadMs`. */
  readonly wanted: number;
  readonly aheadMs: number;
  readonly answered: readonly AnsweredSend[];
  /** Granted sends that were not used. */
  readonly withdrawn: readonly Permit[];
  /** Number of other sends that the process has granted or in flight. */
  readonly held: number;
  /** A refusal of a request that was sent without a grant. */
  readonly refusal: RateAnswer | null;
  /** Processes that have ended. */
  readonly ended: readonly string[];
  /** Set by the breaker: the time for which nobody sends, and the factor for the rate afterwards. */
  readonly holdMs: number;
  readonly slowDown: number | null;
  /** Whether the process will send nothing more. */
  readonly leaves: boolean;
}

/** What a turn has granted. */
export interface TurnReply extends Pace {
  /** The time of the rate. */
  readonly nowMs: number;
  /** Sends that may go, each at its `sentMs`. */
  readonly granted: readonly Permit[];
  /** The reason why there are not more, or null if all wanted sends are granted. */
  readonly turn: Admission | null;
  /** Whether sends need no grant until a refusal or an alarm, because no limit applies and nobody was refused. */
  readonly isFree: boolean;
  /** All processes that have sends. */
  readonly members: readonly string[];
}

/**
 * Takes one turn of one process, as a change of the stored rate of its account. It applies what the process has learned
 * and grants what it may send. `kept` is what the last turn of any process has stored, or null, and `wallMs` is the
 * clock of the store. It has no side effects except that it calls `random` and updates `kept` in place.
 */
export function takeTurn(kept: unknown, wallMs: number, request: TurnRequest, random: () => number) {
  const before = isAccountRate(kept) ? kept : null;
  const nowMs = before === null ? 0 : before.nowMs + Math.max(0, wallMs - before.wallMs);
  const members = new Map(Object.entries(before?.members ?? {}));
  const own = members.get(request.run) ?? { inFlight: 0, probe: null };
  members.set(request.run, { ...own, ...request.wishes, seenMs: nowMs });
  const missing = [...members].filter(([, { seenMs }]) => nowMs - seenMs > MISSING_MS).map(([run]) => run);
  const leaving = [...request.ended, ...missing, ...(request.leaves ? [request.run] : [])];
  const rate = rateOf([...members].filter(([run]) => !leaving.includes(run)).map(([, member]) => member));
  const adaptive = adaptiveRateOf(before, nowMs, rate, members, request, random);
  const pausedBefore = adaptive.pausedMs(nowMs);
  const answered = applyReports(adaptive, request, own.inFlight, before?.nowMs ?? 0);
  const inFlight = Math.min(own.inFlight - answered, request.held);
  // Sends that were granted by a turn whose reply was lost.
  release(adaptive, own.inFlight - answered - inFlight, own.probe ?? 0, nowMs);
  if (request.refusal) adaptive.answered(adaptive.sent(nowMs, ''), nowMs, request.refusal);
  for (const run of leaving) removeMember(adaptive, members, run, nowMs, run === request.run ? inFlight : null);
  if (request.holdMs > 0) adaptive.hold(nowMs, request.holdMs);
  if (request.slowDown !== null) adaptive.slowDown(request.slowDown);
  const { granted, turn } = request.leaves ? NOTHING : grant(adaptive, nowMs, request);
  const state = adaptive.record;
  if (!request.leaves) {
    const probe = state.refusing?.probe ?? null;
    const isOwn = probe !== null && (probe === own.probe || granted.some(({ number }) => number === probe));
    const held = inFlight + granted.length;
    members.set(request.run, { ...request.wishes, inFlight: held, probe: isOwn ? probe : null, seenMs: nowMs });
  }
  const pace = adaptive.pace(nowMs);
  const keep: AccountRateRecord = {
    form: FORM,
    wallMs,
    nowMs,
    rate,
    pace: state,
    members: Object.fromEntries(members),
  };
  const isFree = rate === 'max' && pace.pausedMs === 0 && state.refusing === null;
  const reply: TurnReply = { ...pace, nowMs, granted, turn, isFree, members: [...members.keys()] };
  // The other processes must learn at once of a longer pause, and of a limit where there was none.
  const alarm = pace.pausedMs > pausedBefore || (before?.rate === 'max' && rate !== 'max');
  return { keep, result: reply, alarm };
}

/**
 * Summarises a stored rate for display, or returns null if there is none. `ratePerSecond` is null if no limit applies.
 */
export function rateSummary(kept: unknown, wallMs: number) {
  if (!isAccountRate(kept)) return null;
  const { rate, untilMs, inFlight } = kept.pace;
  const nowMs = kept.nowMs + Math.max(0, wallMs - kept.wallMs);
  return {
    ratePerSecond: rate?.perSecond ?? null,
    pausedMs: Math.max(0, untilMs - nowMs),
    inFlight,
  };
}

const NOTHING = { granted: [] as Permit[], turn: null };
const UNANSWERED: RateAnswer = { kind: 'unanswered', pauseMs: null, headroom: null };

function isAccountRate(kept: unknown): kept is AccountRateRecord {
  return typeof kept === 'object' && kept !== null && 'form' in kept && kept.form === FORM;
}

/** Combines the wanted rates. The slowest applies to all, and there is no limit only if everybody wants none. */
function rateOf(members: readonly Wishes[]): ChosenRate {
  const caps = members.flatMap(({ rate }) => (typeof rate === 'number' ? [rate] : []));
  if (caps.length > 0) return Math.min(...caps);
  return members.length > 0 && members.every(({ rate }) => rate === 'max') ? 'max' : 'auto';
}

function adaptiveRateOf(
  before: AccountRateRecord | null,
  nowMs: number,
  rate: ChosenRate,
  members: ReadonlyMap<string, Wishes>,
  { learned }: TurnRequest,
  random: () => number,
): AdaptiveRate {
  const concurrency = [...members.values()].reduce((sum, { places }) => sum + places, 0);
  const options = { rate, concurrency, random };
  if (before === null) return new AdaptiveRate({ ...options, learned });
  const goesOn = new AdaptiveRate({ ...options, rate: before.rate }, before.pace);
  if (before.rate === rate && nowMs - before.nowMs < IDLE_MS) return goesOn;
  // Numbers, places and pauses are kept.
  const anew = new AdaptiveRate({ ...options, learned: goesOn.learned() ?? learned }).record;
  return new AdaptiveRate(options, { ...before.pace, rate: anew.rate, places: anew.places });
}

/**
 * Applies the reported answers and returns their number. Answers are reported in turns, so one may be older than what
 * another process has already reported. Such an answer is moved to the time of the last turn, and its duration is kept.
 */
function applyReports(
  adaptive: AdaptiveRate,
  { answered, withdrawn }: TurnRequest,
  inFlight: number,
  lastMs: number,
): number {
  const reports = [
    ...answered,
    ...withdrawn.map((permit) => ({ permit, atMs: permit.sentMs, answer: UNANSWERED })),
  ].sort((a, b) => a.atMs - b.atMs);
  // A process that was counted as ended has no sends in flight any more.
  const counted = reports.slice(0, inFlight);
  for (const { permit, atMs, answer } of counted) {
    const lateMs = Math.max(0, lastMs - atMs);
    adaptive.answered({ ...permit, sentMs: permit.sentMs + lateMs }, atMs + lateMs, answer);
  }
  return counted.length;
}

/** Removes a process. The sends it had in flight say nothing about the rate. */
function removeMember(
  adaptive: AdaptiveRate,
  members: Map<string, AccountMember>,
  run: string,
  nowMs: number,
  left: number | null,
): void {
  const member = members.get(run);
  if (!member) return;
  members.delete(run);
  release(adaptive, left ?? member.inFlight, member.probe ?? 0, nowMs);
}

/** Releases `count` sends without an answer. `number` is the number of the first, which matters for probes. */
function release(adaptive: AdaptiveRate, count: number, number: number, nowMs: number): void {
  for (let at = 0; at < count; at += 1) {
    adaptive.answered({ number: at === 0 ? number : 0, operation: '', sentMs: nowMs, level: 0 }, nowMs, UNANSWERED);
  }
}

function grant(
  adaptive: AdaptiveRate,
  nowMs: number,
  { wanted, aheadMs }: TurnRequest,
): { granted: Permit[]; turn: Admission | null } {
  const granted: Permit[] = [];
  let atMs = nowMs;
  while (granted.length < wanted) {
    const turn = adaptive.ask(atMs);
    if (turn.is === 'now') granted.push(adaptive.sent(atMs, ''));
    else if (turn.is !== 'later' || atMs + turn.waitMs > nowMs + aheadMs)
      return { granted, turn: since(turn, nowMs, atMs) };
    else atMs += Math.max(turn.waitMs, MIN_STEP_MS);
  }
  return { granted, turn: null };
}

/** Converts an admission for the time `atMs` into one for `nowMs`. */
function since(turn: Admission, nowMs: number, atMs: number): Admission {
  return turn.is === 'later' ? { is: 'later', waitMs: atMs + turn.waitMs - nowMs } : turn;
}
