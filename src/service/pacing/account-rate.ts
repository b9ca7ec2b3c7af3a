import {
  AdaptiveRate,
  type AdaptiveRateRecord,
  type Admission,
  type ChosenRate,
  type LearnedRate,
  type Permit,
  type RateAnswer,
} from './adaptive-rate.ts';

/** After so long without a send what the windows counted says nothing: the rate begins anew with what was learned. */
const IDLE_MS = 60_000;
/** A process that has not had a turn for so long is stopped or cut off: what it held must not hold the others up. */
const MISSING_MS = 20_000;
/** Below this a step may be lost in rounding. */
const MIN_STEP_MS = 0.001;
/** Another form of what is kept is another number; a rate of any other number is begun anew. */
const FORM = 1;

/** What a process wishes of the rate of its account. */
interface Wishes {
  readonly rate: ChosenRate;
  /** The most sends that it has, granted and in flight together. */
  readonly places: number;
}

interface AccountMember extends Wishes {
  /** Of its sends, those that are granted and not yet reported as answered. */
  readonly inFlight: number;
  /** The number of its send that is the probe of a pause. */
  readonly probe: number | null;
  /** Its last turn. */
  readonly seenMs: number;
}

/** The rate of an account as the store keeps it between two turns. */
interface AccountRateRecord {
  readonly form: typeof FORM;
  /** The clock of the store when it was kept. */
  readonly wallMs: number;
  /** The time of the rate then; it never goes back, whatever that clock does. */
  readonly nowMs: number;
  readonly rate: ChosenRate;
  readonly pace: AdaptiveRateRecord;
  readonly members: Readonly<Record<string, AccountMember>>;
}

/** A granted send that was answered at `atMs`. */
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
  /** So many sends, those included that may go within `aheadMs`. */
  readonly wanted: number;
  readonly aheadMs: number;
  readonly answered: readonly AnsweredSend[];
  /** Granted, and not made use of. */
  readonly withdrawn: readonly Permit[];
  /** Beside these, it has so many granted or in flight. */
  readonly held: number;
  /** A refusal of what was sent without a grant. */
  readonly refusal: RateAnswer | null;
  /** Processes that have ended. */
  readonly ended: readonly string[];
  /** For the breaker: nobody sends for so long; go on at this share of the rate. */
  readonly holdMs: number;
  readonly slowDown: number | null;
  /** The process sends nothing more. */
  readonly leaves: boolean;
}

export interface TurnReply {
  /** The time of the rate. */
  readonly nowMs: number;
  /** May be sent at their `sentMs`. */
  readonly granted: readonly Permit[];
  /** Why there are not more; null if there are as many as were wanted. */
  readonly turn: Admission | null;
  readonly pausedMs: number;
  /** Nothing is paced and nobody was refused: sends need no grant until a refusal or an alarm. */
  readonly isFree: boolean;
  /** All processes that have sends. */
  readonly members: readonly string[];
}

/**
 * One turn of one process at the rate of its account, as a change of what is kept: takes in what the process has learned and
 * grants what it may send. `kept` is what the last turn of any process left (null: nothing), `wallMs` the clock of the store.
 * Pure but for `random`, and for `kept`, which is counted on in place.
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
  const answered = takeIn(adaptive, request, own.inFlight, before?.nowMs ?? 0);
  const inFlight = Math.min(own.inFlight - answered, request.held);
  // What was granted by a turn whose answer never came.
  release(adaptive, own.inFlight - answered - inFlight, own.probe ?? 0, nowMs);
  if (request.refusal) adaptive.answered(adaptive.sent(nowMs, ''), nowMs, request.refusal);
  for (const run of leaving) giveBack(adaptive, members, run, nowMs, run === request.run ? inFlight : null);
  if (request.holdMs > 0) adaptive.hold(nowMs, request.holdMs);
  if (request.slowDown !== null) adaptive.slowDown(request.slowDown);
  const { granted, turn } = request.leaves ? NOTHING : grant(adaptive, nowMs, request);
  const state = adaptive.record;
  if (!request.leaves) {
    const probe = state.pause.refusing?.probe ?? null;
    const isOwn = probe !== null && (probe === own.probe || granted.some(({ number }) => number === probe));
    const held = inFlight + granted.length;
    members.set(request.run, { ...request.wishes, inFlight: held, probe: isOwn ? probe : null, seenMs: nowMs });
  }
  const pausedMs = adaptive.pausedMs(nowMs);
  const keep: AccountRateRecord = {
    form: FORM,
    wallMs,
    nowMs,
    rate,
    pace: state,
    members: Object.fromEntries(members),
  };
  const isFree = rate === 'max' && pausedMs === 0 && state.pause.refusing === null;
  const reply: TurnReply = { nowMs, granted, turn, pausedMs, isFree, members: [...members.keys()] };
  // The others must know at once of a longer pause, and of the end of their freedom.
  const alarm = pausedMs > pausedBefore || (before?.rate === 'max' && rate !== 'max');
  return { keep, result: reply, alarm };
}

/** What a person may know of a kept rate; null where there is none. `ratePerSecond` null: nothing is paced. */
export function rateSummary(kept: unknown, wallMs: number) {
  if (!isAccountRate(kept)) return null;
  const { rate, pause, inFlight } = kept.pace;
  const nowMs = kept.nowMs + Math.max(0, wallMs - kept.wallMs);
  return {
    ratePerSecond: rate?.perSecond ?? null,
    pausedMs: Math.max(0, (pause.untilMs ?? 0) - nowMs),
    inFlight,
  };
}

const NOTHING = { granted: [] as Permit[], turn: null };
const UNANSWERED: RateAnswer = { kind: 'unanswered', pauseMs: null, headroom: null };

function isAccountRate(kept: unknown): kept is AccountRateRecord {
  return typeof kept === 'object' && kept !== null && 'form' in kept && kept.form === FORM;
}

/** The slowest wish holds for all; nothing is paced only where everybody wants that. */
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
  // Numbers, places and pauses outlive it.
  const anew = new AdaptiveRate({ ...options, learned: goesOn.learned() ?? learned }).record;
  return new AdaptiveRate(options, { ...before.pace, rate: anew.rate, limit: anew.limit });
}

/**
 * Returns of how many sends the rate has heard now. Answers come in turns, so one may be older than what another process has
 * told already: it counts as just after that, and to have taken as long as it took.
 */
function takeIn(
  adaptive: AdaptiveRate,
  { answered, withdrawn }: TurnRequest,
  inFlight: number,
  lastMs: number,
): number {
  const reports = [
    ...answered,
    ...withdrawn.map((permit) => ({ permit, atMs: permit.sentMs, answer: UNANSWERED })),
  ].sort((a, b) => a.atMs - b.atMs);
  // A process that was taken for ended has none in flight any more.
  const counted = reports.slice(0, inFlight);
  for (const { permit, atMs, answer } of counted) {
    const lateMs = Math.max(0, lastMs - atMs);
    adaptive.answered({ ...permit, sentMs: permit.sentMs + lateMs }, atMs + lateMs, answer);
  }
  return counted.length;
}

/** What a process had in flight when it ended is no sign of anything. */
function giveBack(
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

/** `number`: of the first of them, where that matters. */
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

/** A turn that was asked for at `atMs`, as seen from now. */
function since(turn: Admission, nowMs: number, atMs: number): Admission {
  return turn.is === 'later' ? { is: 'later', waitMs: atMs + turn.waitMs - nowMs } : turn;
}
