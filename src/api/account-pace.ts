import { type LearnedPace, Pace, type PaceAnswer, type PaceState, type Ticket, type Turn } from './pace.ts';

/** After so long without a send what the windows counted says nothing: the pace begins anew with what was learned. */
const IDLE_MS = 60_000;
/** A process that has not had a turn for so long is stopped or cut off: what it held must not hold the others up. */
const MISSING_MS = 20_000;
/** Below this a step may be lost in rounding. */
const LEAST_STEP_MS = 0.001;
/** Another form of what is kept is another number; a pace of any other number is begun anew. */
const FORM = 1;

export type Rate = 'auto' | 'max' | number;

/** What a process wishes of the pace of its account. */
interface Wishes {
  readonly rate: Rate;
  /** The most sends that it has, granted and in flight together. */
  readonly places: number;
}

interface Member extends Wishes {
  /** Of its sends, those that are granted and not yet reported as answered. */
  readonly inFlight: number;
  /** The number of its send that is the probe of a pause. */
  readonly probe: number | null;
  /** Its last turn. */
  readonly seenMs: number;
}

/** The pace of an account as it is kept between two processes. */
interface AccountPace {
  readonly form: typeof FORM;
  /** The clock of the store when it was kept. */
  readonly wallMs: number;
  /** The time of the pace then; it never goes back, whatever that clock does. */
  readonly nowMs: number;
  readonly rate: Rate;
  readonly pace: PaceState;
  readonly members: Readonly<Record<string, Member>>;
}

/** A granted send that was answered at `atMs`. */
export interface Answered {
  readonly ticket: Ticket;
  readonly atMs: number;
  readonly answer: PaceAnswer;
}

/** What a process has learned since its last turn, and what it wants. */
export interface PaceRequest {
  readonly run: string;
  readonly wishes: Wishes;
  readonly learned: LearnedPace | null;
  /** So many sends, those included that may go within `aheadMs`. */
  readonly wanted: number;
  readonly aheadMs: number;
  readonly answered: readonly Answered[];
  /** Granted, and not made use of. */
  readonly withdrawn: readonly Ticket[];
  /** Beside these, it has so many granted or in flight. */
  readonly held: number;
  /** A refusal of what was sent without a grant. */
  readonly refusal: PaceAnswer | null;
  /** Processes that have ended. */
  readonly ended: readonly string[];
  /** For the breaker: nobody sends for so long; go on at this share of the rate. */
  readonly holdMs: number;
  readonly slowDown: number | null;
  /** The process sends nothing more. */
  readonly leaves: boolean;
}

export interface PaceReply {
  /** The time of the pace. */
  readonly nowMs: number;
  /** May be sent at their `sentMs`. */
  readonly granted: readonly Ticket[];
  /** Why there are not more; null if there are as many as were wanted. */
  readonly turn: Turn | null;
  readonly pausedMs: number;
  /** Nothing is paced and nobody was refused: sends need no grant until a refusal or an alarm. */
  readonly isFree: boolean;
  /** All processes that have sends. */
  readonly members: readonly string[];
}

/**
 * One turn of one process at the pace of its account: takes in what it has learned and grants what it may send. `kept` is
 * what the last turn of any process left (null: nothing), `wallMs` the clock of the store. Pure but for `random`.
 */
export function takeTurn(kept: unknown, wallMs: number, request: PaceRequest, random: () => number) {
  const before = isAccountPace(kept) ? kept : null;
  const nowMs = before === null ? 0 : before.nowMs + Math.max(0, wallMs - before.wallMs);
  const members = new Map(Object.entries(before?.members ?? {}));
  const own = members.get(request.run) ?? { inFlight: 0, probe: null };
  members.set(request.run, { ...own, ...request.wishes, seenMs: nowMs });
  const missing = [...members].filter(([, { seenMs }]) => nowMs - seenMs > MISSING_MS).map(([run]) => run);
  const leaving = [...request.ended, ...missing, ...(request.leaves ? [request.run] : [])];
  const rate = rateOf([...members].filter(([run]) => !leaving.includes(run)).map(([, member]) => member));
  const pace = paceOf(before, nowMs, rate, members, request, random);
  const pausedBefore = pace.pausedMs(nowMs);
  const answered = takeIn(pace, request, own.inFlight, before?.nowMs ?? 0);
  const inFlight = Math.min(own.inFlight - answered, request.held);
  // What was granted by a turn whose answer never came.
  release(pace, own.inFlight - answered - inFlight, own.probe ?? 0, nowMs);
  if (request.refusal) pace.answered(pace.sent(nowMs, ''), nowMs, request.refusal);
  for (const run of leaving) giveBack(pace, members, run, nowMs, run === request.run ? inFlight : null);
  if (request.holdMs > 0) pace.hold(nowMs, request.holdMs);
  if (request.slowDown !== null) pace.slowDown(request.slowDown);
  const { granted, turn } = request.leaves ? NOTHING : grant(pace, nowMs, request);
  const state = pace.toJSON();
  if (!request.leaves) {
    const probe = state.pause.refusing?.probe ?? null;
    const isOwn = probe !== null && (probe === own.probe || granted.some(({ number }) => number === probe));
    const held = inFlight + granted.length;
    members.set(request.run, { ...request.wishes, inFlight: held, probe: isOwn ? probe : null, seenMs: nowMs });
  }
  const pausedMs = pace.pausedMs(nowMs);
  const keep: AccountPace = { form: FORM, wallMs, nowMs, rate, pace: state, members: Object.fromEntries(members) };
  const isFree = rate === 'max' && pausedMs === 0 && state.pause.refusing === null;
  const reply: PaceReply = { nowMs, granted, turn, pausedMs, isFree, members: [...members.keys()] };
  // The others must know at once of a longer pause, and of the end of their freedom.
  const alarm = pausedMs > pausedBefore || (before?.rate === 'max' && rate !== 'max');
  return { keep, result: reply, alarm };
}

/** What a person may know of a kept pace; null where there is none. `ratePerSecond` null: nothing is paced. */
export function paceSummary(kept: unknown, wallMs: number) {
  if (!isAccountPace(kept)) return null;
  const { rate, pause, inFlight } = kept.pace;
  const nowMs = kept.nowMs + Math.max(0, wallMs - kept.wallMs);
  return {
    ratePerSecond: rate?.perSecond ?? null,
    pausedMs: Math.max(0, (pause.untilMs ?? 0) - nowMs),
    inFlight,
  };
}

const NOTHING = { granted: [] as Ticket[], turn: null };
const UNANSWERED: PaceAnswer = { kind: 'unanswered', pauseMs: null, headroom: null };

function isAccountPace(kept: unknown): kept is AccountPace {
  return typeof kept === 'object' && kept !== null && 'form' in kept && kept.form === FORM;
}

/** The slowest wish holds for all; nothing is paced only where everybody wants that. */
function rateOf(members: readonly Wishes[]): Rate {
  const caps = members.flatMap(({ rate }) => (typeof rate === 'number' ? [rate] : []));
  if (caps.length > 0) return Math.min(...caps);
  return members.length > 0 && members.every(({ rate }) => rate === 'max') ? 'max' : 'auto';
}

function paceOf(
  before: AccountPace | null,
  nowMs: number,
  rate: Rate,
  members: ReadonlyMap<string, Wishes>,
  { learned }: PaceRequest,
  random: () => number,
): Pace {
  const concurrency = [...members.values()].reduce((sum, { places }) => sum + places, 0);
  const options = { rate, concurrency, random };
  if (before === null) return new Pace({ ...options, learned });
  const goesOn = new Pace({ ...options, rate: before.rate }, before.pace);
  if (before.rate === rate && nowMs - before.nowMs < IDLE_MS) return goesOn;
  // Numbers, places and pauses outlive it.
  const anew = new Pace({ ...options, learned: goesOn.learned() ?? learned }).toJSON();
  return new Pace(options, { ...before.pace, rate: anew.rate, limit: anew.limit });
}

/**
 * Returns of how many sends the pace has heard now. Answers come in turns, so one may be older than what another process has
 * told already: it counts as just after that, and to have taken as long as it took.
 */
function takeIn(pace: Pace, { answered, withdrawn }: PaceRequest, inFlight: number, lastMs: number): number {
  const reports = [
    ...answered,
    ...withdrawn.map((ticket) => ({ ticket, atMs: ticket.sentMs, answer: UNANSWERED })),
  ].sort((a, b) => a.atMs - b.atMs);
  // A process that was taken for ended has none in flight any more.
  const counted = reports.slice(0, inFlight);
  for (const { ticket, atMs, answer } of counted) {
    const lateMs = Math.max(0, lastMs - atMs);
    pace.answered({ ...ticket, sentMs: ticket.sentMs + lateMs }, atMs + lateMs, answer);
  }
  return counted.length;
}

/** What a process had in flight when it ended is no sign of anything. */
function giveBack(pace: Pace, members: Map<string, Member>, run: string, nowMs: number, left: number | null): void {
  const member = members.get(run);
  if (!member) return;
  members.delete(run);
  release(pace, left ?? member.inFlight, member.probe ?? 0, nowMs);
}

/** `number`: of the first of them, where that matters. */
function release(pace: Pace, count: number, number: number, nowMs: number): void {
  for (let at = 0; at < count; at += 1) {
    pace.answered({ number: at === 0 ? number : 0, operation: '', sentMs: nowMs, level: 0 }, nowMs, UNANSWERED);
  }
}

function grant(pace: Pace, nowMs: number, { wanted, aheadMs }: PaceRequest): { granted: Ticket[]; turn: Turn | null } {
  const granted: Ticket[] = [];
  let atMs = nowMs;
  while (granted.length < wanted) {
    const turn = pace.ask(atMs);
    if (turn.is === 'now') granted.push(pace.sent(atMs, ''));
    else if (turn.is !== 'later' || atMs + turn.waitMs > nowMs + aheadMs)
      return { granted, turn: since(turn, nowMs, atMs) };
    else atMs += Math.max(turn.waitMs, LEAST_STEP_MS);
  }
  return { granted, turn: null };
}

/** A turn that was asked for at `atMs`, as seen from now. */
function since(turn: Turn, nowMs: number, atMs: number): Turn {
  return turn.is === 'later' ? { is: 'later', waitMs: atMs + turn.waitMs - nowMs } : turn;
}
