import { Pace, type PaceOptions, type PaceRecord } from './pace.ts';
import type { ChosenRate, LearnedPace, Permit, RateAnswer } from './permits.ts';

/** Time without a send after which the measurements are outdated. The pace then starts again from what was learned. */
const IDLE_MS = 60_000;
/** Time without a turn after which a process counts as ended, so that its sends do not hold up the others. */
const MISSING_MS = 6_000;
/** Minimum step in time. A smaller one may be lost in rounding. */
const MIN_STEP_MS = 0.001;
/** Version of the stored form. A pace stored in another version is not used. */
const FORM = 6;

/** What a process has said of itself in its last turn. */
interface Member {
  readonly rate: ChosenRate;
  /** Maximum number of its sends, granted and in flight together. */
  readonly places: number;
  /** Number of its sends that are granted or in flight. */
  readonly inFlight: number;
  readonly seenMs: number;
}

/** The pace of an account, as the store keeps it between two turns. */
interface SharedRecord {
  readonly form: typeof FORM;
  /** The store's clock when this was stored. */
  readonly wallMs: number;
  /** The time of the pace at that moment. It never goes back, even if that clock does. */
  readonly nowMs: number;
  readonly rate: ChosenRate;
  readonly pace: PaceRecord;
  readonly members: Readonly<Record<string, Member>>;
}

/** What a process has learned since its last turn, and what it wants. */
export interface TurnRequest extends Omit<Member, 'seenMs'> {
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

/**
 * What a turn has granted: sends that may go, each at its `sentMs`, and the reason why there are not more, or null if all
 * that were wanted are granted. `nowMs` is the time of the pace.
 */
export type TurnReply = ReturnType<typeof takeTurn>['result'];

/**
 * Takes one turn of one process, as a change of the stored pace of its account. It applies what the process has learned
 * and grants what it may send. `kept` is what the last turn of any process has stored, or null, and `wallMs` is the
 * clock of the store. It has no side effects except that it calls `random` and updates `kept` in place.
 *
 * Each process says anew how many sends it has. So what a lost reply or a dead process held is free again without
 * anybody giving it back.
 */
export function takeTurn(kept: unknown, wallMs: number, request: TurnRequest, random: () => number) {
  const { run, places, inFlight, leaves, learned } = request;
  const before = isShared(kept) ? kept : null;
  const nowMs = before === null ? 0 : before.nowMs + Math.max(0, wallMs - before.wallMs);
  const others = Object.entries(before?.members ?? {}).filter(
    ([name, { seenMs }]) => name !== run && nowMs - seenMs <= MISSING_MS,
  );
  const own = { rate: request.rate, places, inFlight, seenMs: nowMs };
  const members: Record<string, Member> = Object.fromEntries(leaves ? others : [...others, [run, own]]);
  const rate = slowest(Object.values(members).map((member) => member.rate));
  // Without the places of the last process that leaves, its answers would leave none for the next one.
  const concurrency = others.reduce((sum, [, member]) => sum + member.places, places);
  const pace = goOn(before, nowMs, { rate, concurrency, random, learned });
  for (const { permit, atMs, answer } of request.answered) pace.answered(permit, atMs, answer);
  if (request.holdMs > 0) pace.hold(nowMs, request.holdMs);
  if (request.slowDown < 1) pace.slowDown(request.slowDown);
  const { record } = pace;
  record.inFlight = Object.values(members).reduce((sum, member) => sum + member.inFlight, 0);
  // The process that had the probe has ended.
  if (record.refusing && record.inFlight === 0) record.refusing.probe = null;
  const { granted, denied } = grant(pace, nowMs, request, rate);
  if (!leaves) members[run] = { ...own, inFlight: inFlight + granted.length };
  const keep: SharedRecord = { form: FORM, wallMs, nowMs, rate, pace: record, members };
  return { keep, result: { ...pace.pace(nowMs), nowMs, granted, denied } };
}

/**
 * Summarises a stored pace for display, or returns null if there is none. `ratePerSecond` is null if no limit applies or
 * none is known: until the first refusal the rate only doubles.
 */
export function rateSummary(kept: unknown, wallMs: number) {
  if (!isShared(kept)) return null;
  const { perSecond, plateau, untilMs, inFlight } = kept.pace;
  const nowMs = kept.nowMs + Math.max(0, wallMs - kept.wallMs);
  const ratePerSecond = kept.rate === 'max' || plateau === null ? null : perSecond;
  return { ratePerSecond, pausedMs: Math.max(0, untilMs - nowMs), inFlight };
}

function isShared(kept: unknown): kept is SharedRecord {
  return typeof kept === 'object' && kept !== null && 'form' in kept && kept.form === FORM;
}

/** Combines the wanted rates. The slowest applies to all, and there is no limit only if everybody wants none. */
function slowest(rates: readonly ChosenRate[]): ChosenRate {
  const caps = rates.filter((rate) => typeof rate === 'number');
  if (caps.length > 0) return Math.min(...caps);
  return rates.length > 0 && rates.every((rate) => rate === 'max') ? 'max' : 'auto';
}

/** Goes on with the stored pace, or anew from what it has learned if it is old or the wanted rate is another. */
function goOn(before: SharedRecord | null, nowMs: number, options: PaceOptions): Pace {
  if (before === null) return new Pace(options);
  if (before.rate === options.rate && nowMs - before.nowMs < IDLE_MS) return new Pace(options, before.pace);
  const learned = new Pace({ ...options, rate: before.rate }, before.pace).learned() ?? options.learned ?? null;
  // Numbers and pauses are kept.
  const { untilMs, refusing, quota, lastNumber, cutNumber } = before.pace;
  const anew = new Pace({ ...options, learned });
  Object.assign(anew.record, { untilMs, refusing, quota, lastNumber, cutNumber });
  return anew;
}

/** Grants what may be sent by `aheadMs` from now. Without a limit that is as much as the process has places for. */
function grant(pace: Pace, nowMs: number, request: TurnRequest, rate: ChosenRate) {
  const { wanted, places, inFlight, aheadMs } = request;
  const most = rate === 'max' && wanted > 0 ? places - inFlight : wanted;
  const granted: Permit[] = [];
  let waitedMs = 0;
  while (granted.length < most) {
    const admission = pace.ask(nowMs + waitedMs);
    if (admission.is === 'now') {
      granted.push(pace.sent(nowMs + waitedMs, ''));
      continue;
    }
    if (admission.is !== 'later') return { granted, denied: admission };
    waitedMs += Math.max(admission.waitMs, MIN_STEP_MS);
    if (waitedMs > aheadMs) return { granted, denied: { is: 'later', waitMs: waitedMs } as const };
  }
  return { granted, denied: null };
}
