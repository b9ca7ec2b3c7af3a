import type { LoggedState } from './status.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * The results of a probe. If two processes have different results of one probe, the later one in this list is kept. See
 * {@link VisibilityProbe}.
 */
export const PROBE_RESULTS = ['open', 'late', 'seen', 'unseen'] as const;
export type ProbeResult = (typeof PROBE_RESULTS)[number];

/**
 * A probe follows one request that was created after validate had called it clear. Validate is asked about it until it
 * calls the request a duplicate.
 *
 * - `seen`: validate saw the request after `afterMs`.
 * - `unseen`: the request was still clear when the probe was given up. It counts as not found.
 * - `open`: the request was still clear after `afterMs`, when validate was last asked. An open probe outlasts the run.
 * - `late`: the request was found at last, but long after validate had been asked before. Nobody knows how late
 *   validate sees it.
 */
export interface VisibilityProbe {
  /** Content key of the request. */
  readonly key: string;
  /** Kind of the request: its market, its length class, and whether it is a recording. */
  readonly kind: string;
  /** Time of the creation by the wall clock. */
  readonly createdAtMs: number;
  readonly end: ProbeResult;
  readonly afterMs: number;
}

/**
 * The probes that tell how soon validate sees a creation (read-after-write), at one service, for one client and one
 * contract.
 */
export interface VisibilityHistory {
  readonly looks: readonly VisibilityProbe[];
}

/** The history of a service at which nothing was probed yet. */
export const NO_VISIBILITY_HISTORY: VisibilityHistory = { looks: [] };

/** The visibility of requests of one kind to validate, as far as the probes show it. */
export interface VisibilityStats {
  readonly seen: number;
  readonly unseen: number;
  /** Longest time for which a creation is known to have been invisible, in milliseconds. */
  readonly slowestMs: number;
}

/**
 * Maximum age of a creation that is probed. One that is seen later counts as not seen, because no wait could cover that
 * lag.
 */
export const MAX_VISIBILITY_LAG_MS = 10 * MINUTE_MS;
/** Age from which an open probe counts as given up. */
const OPEN_LIFE_MS = DAY_MS;
/** Age up to which a probe proves something. A service of last month may be another one today. */
const PROOF_LIFE_MS = 30 * DAY_MS;
const MIN_SEEN = 3;
const MAX_LOOKS_OF_KIND = 50;
const MAX_LOOKS = 1_000;

/** Summarises the probes of one kind of requests that still count today. */
export function visibilityStats({ looks }: VisibilityHistory, kind: string, nowMs: number): VisibilityStats {
  const fresh = looks.filter((look) => look.kind === kind && nowMs - look.createdAtMs <= PROOF_LIFE_MS);
  const isUnseen = (look: VisibilityProbe) =>
    look.end === 'unseen' || (look.end === 'open' && !mayContinue(look, nowMs));
  // Nobody knows how late validate was at a late probe, so fast results before it prove nothing and have to be shown
  // again.
  const unsureUntilMs = Math.max(...fresh.map(({ end, createdAtMs }) => (end === 'late' ? createdAtMs : -Infinity)));
  const seen = fresh.filter(
    ({ end, createdAtMs }) => end === 'seen' && createdAtMs > unsureUntilMs && createdAtMs <= nowMs + MINUTE_MS,
  );
  const stillOpen = fresh.filter((look) => look.end === 'open' && !isUnseen(look));
  return {
    seen: seen.length,
    unseen: fresh.filter(isUnseen).length,
    slowestMs: Math.max(0, ...[...seen, ...stillOpen].map(({ afterMs }) => afterMs)),
  };
}

/** Tells whether a probe that an earlier run left open can still be continued. */
export function mayContinue({ end, createdAtMs }: VisibilityProbe, nowMs: number): boolean {
  return end === 'open' && nowMs - createdAtMs <= OPEN_LIFE_MS;
}

/**
 * Tells whether validate may be asked about a request in doubt: it has seen at least three creations of that kind, and
 * missed none.
 */
export function isTrusted({ seen, unseen }: VisibilityStats): boolean {
  return seen >= MIN_SEEN && unseen === 0;
}

/** Tells whether validate has not missed anything yet, so that it may only lack the proof. */
export function hasMissedNone({ unseen }: VisibilityStats): boolean {
  return unseen === 0;
}

/** Tells whether the probes that are under way could supply the missing proof. */
export function wouldBeTrusted({ seen, unseen }: VisibilityStats, underWay: number): boolean {
  return isTrusted({ seen: seen + underWay, unseen, slowestMs: 0 });
}

/**
 * Merges what two processes know. The result does not depend on the order or on how often they are merged, and holds no
 * more than the last probes of each kind.
 */
export function mergeVisibilityHistories(one: VisibilityHistory, other: VisibilityHistory): VisibilityHistory {
  const byName = new Map<string, VisibilityProbe>();
  for (const look of [...one.looks, ...other.looks]) {
    const name = `${look.key} ${look.createdAtMs}`;
    const before = byName.get(name);
    byName.set(name, before ? furtherOf(before, look) : look);
  }
  const newestFirst = [...byName.values()].sort((a, b) => b.createdAtMs - a.createdAtMs || (a.key < b.key ? -1 : 1));
  const ofKind = new Map<string, number>();
  const kept = newestFirst.filter(({ kind }) => {
    const count = (ofKind.get(kind) ?? 0) + 1;
    ofKind.set(kind, count);
    return count <= MAX_LOOKS_OF_KIND;
  });
  return { looks: kept.slice(0, MAX_LOOKS).reverse() };
}

/** Returns the more advanced of two states of one probe, or the worse one of two final ones. */
function furtherOf(one: VisibilityProbe, other: VisibilityProbe): VisibilityProbe {
  const [a, b] = [PROBE_RESULTS.indexOf(one.end), PROBE_RESULTS.indexOf(other.end)];
  if (a !== b) return a > b ? one : other;
  return one.afterMs >= other.afterMs ? one : other;
}

/** The circumstances that decide how long to wait before validate is asked about a request in doubt. */
export interface SettleCircumstances {
  /** The user's `--settle`, or null for what was learned. */
  readonly settleMs: number | null;
  /**
   * Whether the request's socket was ours and was reset when no answer came, so that no copy of the request is left on
   * this machine. Otherwise Linux continues to deliver what a dead process wrote for about 100 s, and a proxy for an
   * unknown time.
   */
  readonly isReset: boolean;
}

/**
 * Tells whether the socket of a request in doubt was reset. A process resets it before it records the outcome
 * `unknown`, so this holds only for this process's own record (`isOwn`), and only if no proxy may hold a copy.
 */
export function wasReset(doubt: { state: LoggedState; isOwn: boolean; isProxied: boolean }): boolean {
  return doubt.state === 'unknown' && doubt.isOwn && !doubt.isProxied;
}

const MIN_WAIT_MS = 4 * MINUTE_MS;
const MIN_WAIT_RESET_MS = MINUTE_MS;

/** Returns how long after a doubtful send validate can be expected to see the request. */
export function settleWaitMs({ slowestMs }: VisibilityStats, { settleMs, isReset }: SettleCircumstances): number {
  return settleMs ?? Math.max(isReset ? MIN_WAIT_RESET_MS : MIN_WAIT_MS, 3 * slowestMs);
}

/**
 * Maximum number of controls that are asked about, the nearest in time first. A slow or blind part of a service may
 * stay hidden from a few controls.
 */
export const MAX_CONTROLS = 24;
export const MIN_CONTROLS = 3;
/** Age of a request in doubt at which few controls are as good as many. It is twice the longest wait of a probe. */
export const FEW_CONTROLS_WAIT_MS = 2 * MAX_VISIBILITY_LAG_MS;

/** Returns how old a request in doubt must be before two clear answers are trusted, given the number of controls. */
export function licenceWaitMs(sight: VisibilityStats, waiting: SettleCircumstances, controls: number): number {
  const waitMs = settleWaitMs(sight, waiting);
  return waiting.settleMs !== null || controls >= MAX_CONTROLS ? waitMs : Math.max(waitMs, FEW_CONTROLS_WAIT_MS);
}

const FUTURE_MS = MINUTE_MS;
const EARLIEST_MS = Date.UTC(2015, 0, 1);

/**
 * Returns the age of a record in milliseconds, or null if its time cannot be true, so that nothing can be concluded
 * from it.
 */
export function recordAgeMs(at: string, nowMs: number): number | null {
  const atMs = Date.parse(at);
  const isPossible = atMs >= EARLIEST_MS && atMs <= nowMs + FUTURE_MS;
  return isPossible ? Math.max(0, nowMs - atMs) : null;
}
