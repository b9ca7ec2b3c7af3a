import {
  type Admission,
  type ChosenRate,
  type LearnedPace,
  Pace,
  type PaceOptions,
  type PaceRecord,
  type PaceView,
  type Permit,
  type RateAnswer,
} from './pace.ts';

/** Time without a send after which the measurements are outdated. The rate then starts again from what was learned. */
const IDLE_MS = 60_000;
/** Time without a turn after which a process counts as ended, so that its sends do not hold up the others. */
const MISSING_MS = 6_000;
/** Minimum step in time. A smaller one may be lost in rounding. */
const MIN_STEP_MS = 0.001;
/** Version of the stored form. A rate stored in another version is not used. */
const FORM = 5;

/** What a process has said of itself in its last turn. */
interface AccountMember {
  readonly rate: ChosenRate;
  /** Maximum number of its sends, granted and in flight together. */
  readonly places: number;
  /** Number of its sends that are granted or in flight. */
  readonly inFlight: number;
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
  readonly pace: PaceRecord;
  readonly members: Readonly<Record<string, AccountMember>>;
}

/** What a process has learned since its last turn, and what it wants. */
export interface TurnRequest extends Omit<AccountMember, 'seenMs'> {
  readonly run: string;
  readonly learned: LearnedPace | null;
  /** Number of sends wanted, including those within `aheadMs`. */
  readonly wanted: number;
  readonly aheadMs: number;
  readonly answered: readonly { readonly permit: Permit; readonly atMs: number; readonly answer: RateAnswer }[];
  /** Set by the breaker: the time for which nobody sends, and the factor for the rate afterwards. */
  readonly holdMs: number;
  readonly slowDown: number;
  /** Whether the process will send nothing more. */
  readonly leaves: boolean;
}

/** What a turn has granted. */
export interface TurnReply extends PaceView {
  /** The time of the rate. */
  readonly nowMs: number;
  /** Sends that may go, each at its `sentMs`. */
  readonly granted: readonly Permit[];
  /** The reason why there are not more, or null if all wanted sends are granted. */
  readonly denied: Admission | null;
}

/**
 * Takes one turn of one process, as a change of the stored rate of its account. It applies what the process has learned
 * and grants what it may send. `kept` is what the last turn of any process has stored, or null, and `wallMs` is the
 * clock of the store. It has no side effects except that it calls `random` and updates `kept` in place.
 *
 * Each process says anew how many sends it has. So what a lost reply or a dead process held is free again without
 * anybody giving it back.
 */
export function takeTurn(kept: unknown, wallMs: number, request: TurnRequest, random: () => number) {
  const { run, places, inFlight, leaves } = request;
  const before = isAccountRate(kept) ? kept : null;
  const nowMs = before === null ? 0 : before.nowMs + Math.max(0, wallMs - before.wallMs);
  const members = new Map(
    Object.entries(before?.members ?? {}).filter(([name, { seenMs }]) => name !== run && nowMs - seenMs <= MISSING_MS),
  );
  // Without the places of the last process that leaves, its answers would leave none for the next one.
  const concurrency = sumOf(members, 'places') + places;
  const own = { rate: request.rate, places, inFlight, seenMs: nowMs };
  if (!leaves) members.set(run, own);
  const rate = slowest([...members.values()].map((member) => member.rate));
  const adaptive = adaptiveRateOf(before, nowMs, { rate, concurrency, random, learned: request.learned });
  const { record } = adaptive;
  const pausedBefore = adaptive.pausedMs(nowMs);
  for (const { permit, atMs, answer } of request.answered) adaptive.answered(permit, atMs, answer);
  if (request.holdMs > 0) adaptive.hold(nowMs, request.holdMs);
  if (request.slowDown < 1) adaptive.slowDown(request.slowDown);
  record.inFlight = sumOf(members, 'inFlight');
  // The process that had the probe has ended.
  if (record.refusing && record.inFlight === 0) record.refusing.probe = null;
  const { granted, denied } = grant(adaptive, nowMs, request, rate);
  if (!leaves) members.set(run, { ...own, inFlight: inFlight + granted.length });
  const keep: AccountRateRecord = {
    ...{ form: FORM, wallMs, nowMs, rate, pace: record },
    members: Object.fromEntries(members),
  };
  const pace = adaptive.pace(nowMs);
  const reply: TurnReply = { ...pace, nowMs, granted, denied };
  // The other processes must learn at once of a longer pause, and of a limit where there was none.
  const alarm = pace.pausedMs > pausedBefore || (before?.rate === 'max' && rate !== 'max');
  return { keep, result: reply, alarm };
}

/**
 * Summarises a stored rate for display, or returns null if there is none. `ratePerSecond` is null if no limit applies.
 */
export function rateSummary(kept: unknown, wallMs: number) {
  if (!isAccountRate(kept)) return null;
  const { perSecond, untilMs, inFlight } = kept.pace;
  const nowMs = kept.nowMs + Math.max(0, wallMs - kept.wallMs);
  return { ratePerSecond: kept.rate === 'max' ? null : perSecond, pausedMs: Math.max(0, untilMs - nowMs), inFlight };
}

function isAccountRate(kept: unknown): kept is AccountRateRecord {
  return typeof kept === 'object' && kept !== null && 'form' in kept && kept.form === FORM;
}

function sumOf(members: ReadonlyMap<string, AccountMember>, what: 'places' | 'inFlight'): number {
  return [...members.values()].reduce((sum, member) => sum + member[what], 0);
}

/** Combines the wanted rates. The slowest applies to all, and there is no limit only if everybody wants none. */
function slowest(rates: readonly ChosenRate[]): ChosenRate {
  const caps = rates.filter((rate) => typeof rate === 'number');
  if (caps.length > 0) return Math.min(...caps);
  return rates.length > 0 && rates.every((rate) => rate === 'max') ? 'max' : 'auto';
}

function adaptiveRateOf(before: AccountRateRecord | null, nowMs: number, options: PaceOptions): Pace {
  const goesOn = before && new Pace({ ...options, rate: before.rate }, before.pace);
  if (goesOn && before.rate === options.rate && nowMs - before.nowMs < IDLE_MS) return goesOn;
  const anew = new Pace({ ...options, learned: goesOn?.learned() ?? options.learned ?? null });
  // Numbers and pauses are kept.
  const { untilMs, refusing, quota, lastNumber, cutNumber } = before?.pace ?? anew.record;
  return new Pace(options, { ...anew.record, untilMs, refusing, quota, lastNumber, cutNumber });
}

/** Grants what may be sent by `aheadMs` from now. Without a limit that is as much as the process has places for. */
function grant(adaptive: Pace, nowMs: number, request: TurnRequest, rate: ChosenRate) {
  const { wanted, places, inFlight, aheadMs } = request;
  const most = rate === 'max' && wanted > 0 ? places - inFlight : wanted;
  const granted: Permit[] = [];
  let atMs = nowMs;
  while (granted.length < most) {
    const admission = adaptive.ask(atMs);
    if (admission.is === 'now') granted.push(adaptive.sent(atMs, ''));
    else if (admission.is === 'later' && atMs + admission.waitMs <= nowMs + aheadMs)
      atMs += Math.max(admission.waitMs, MIN_STEP_MS);
    else return { granted, denied: since(admission, nowMs, atMs) };
  }
  return { granted, denied: null };
}

/** Converts an admission for the time `atMs` into one for `nowMs`. */
function since(admission: Admission, nowMs: number, atMs: number): Admission {
  return admission.is === 'later' ? { is: 'later', waitMs: atMs + admission.waitMs - nowMs } : admission;
}
