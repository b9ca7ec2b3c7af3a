const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A look at a creation: what it found, and when. */
export const LOOK_ENDS = ['open', 'late', 'seen', 'unseen'] as const;
export type LookEnd = (typeof LOOK_ENDS)[number];

/**
 * A request that was created after validate had called it clear, and is asked about until validate calls it a duplicate.
 *
 * - `seen` after `afterMs`.
 * - `unseen`: still clear when it was given up. It counts as not found.
 * - `open`: still clear after `afterMs`, when it was last asked about. It outlasts the run.
 * - `late`: found at last, but long after anybody had asked before: how late validate sees it nobody knows.
 */
export interface Look {
  /** Content key of the request. */
  readonly key: string;
  /** As in `kindOf`. */
  readonly kind: string;
  /** Wall clock. */
  readonly createdAtMs: number;
  readonly end: LookEnd;
  readonly afterMs: number;
}

/** What validate has shown of its sight at one service, to one client, by one contract. */
export interface Evidence {
  readonly looks: readonly Look[];
}

export const NO_EVIDENCE: Evidence = { looks: [] };

/** What the evidence comes to for requests of one kind. */
export interface Sight {
  readonly seen: number;
  readonly unseen: number;
  /** Longest time that a creation is known to have been invisible, milliseconds. */
  readonly slowestMs: number;
}

/** A creation that is seen later than this counts as not seen: no wait could cover such a lag. */
export const PATIENCE_MS = 10 * MINUTE_MS;
/** A look that nobody went on with for so long was given up. */
const OPEN_LIFE_MS = DAY_MS;
/** A service of last month may be another one today. */
const PROOF_LIFE_MS = 30 * DAY_MS;
const LEAST_SEEN = 3;
const MOST_LOOKS_OF_KIND = 50;
const MOST_LOOKS = 1_000;

/** What is known today about requests of this kind. */
export function sightOf({ looks }: Evidence, kind: string, nowMs: number): Sight {
  const fresh = looks.filter((look) => look.kind === kind && nowMs - look.createdAtMs <= PROOF_LIFE_MS);
  const isUnseen = (look: Look) => look.end === 'unseen' || (look.end === 'open' && !mayGoOn(look, nowMs));
  // Nobody knows how late validate was then, so what was quick before proves nothing: it has to be shown again.
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

/** Whether a look that an earlier run left open can still tell something. */
export function mayGoOn({ end, createdAtMs }: Look, nowMs: number): boolean {
  return end === 'open' && nowMs - createdAtMs <= OPEN_LIFE_MS;
}

/** Whether validate may be asked about a request in doubt: it has seen at least three creations like it, and missed none. */
export function isTrusted({ seen, unseen }: Sight): boolean {
  return seen >= LEAST_SEEN && unseen === 0;
}

/** Whether validate has not failed to see anything yet, and may only lack the proof. */
export function mayStillBeShown({ unseen }: Sight): boolean {
  return unseen === 0;
}

/** Whether so many looks under way could make up what is missing. */
export function wouldBeTrusted({ seen, unseen }: Sight, underWay: number): boolean {
  return isTrusted({ seen: seen + underWay, unseen, slowestMs: 0 });
}

/**
 * All that two processes know together. The same in whichever order, however often they are merged, and no more than the
 * last looks of each kind.
 */
export function mergedEvidence(one: Evidence, other: Evidence): Evidence {
  const byName = new Map<string, Look>();
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
    return count <= MOST_LOOKS_OF_KIND;
  });
  return { looks: kept.slice(0, MOST_LOOKS).reverse() };
}

/** Of two states of one look the one that is further on; of two ends the worse one. */
function furtherOf(one: Look, other: Look): Look {
  const [a, b] = [LOOK_ENDS.indexOf(one.end), LOOK_ENDS.indexOf(other.end)];
  if (a !== b) return a > b ? one : other;
  return one.afterMs >= other.afterMs ? one : other;
}

/** How validate is asked about a doubt. */
export interface Waiting {
  /** The user's --settle; null: what was learned. */
  readonly chosenMs: number | null;
  /**
   * The request's socket was ours, and was reset when no answer came, so that no copy of it is left here. Else Linux goes on
   * delivering what a dead process wrote for about 100 s, and nobody knows for how long a proxy does.
   */
  readonly isReset: boolean;
}

const LEAST_WAIT_MS = 4 * MINUTE_MS;
const LEAST_WAIT_RESET_MS = MINUTE_MS;

/** How long after a doubtful send validate can be expected to see it. */
export function settleWaitMs({ slowestMs }: Sight, { chosenMs, isReset }: Waiting): number {
  return chosenMs ?? Math.max(isReset ? LEAST_WAIT_RESET_MS : LEAST_WAIT_MS, 3 * slowestMs);
}

/** So many controls are asked at most, the nearest in time; a slow or blind part of a service hides from few. */
export const MOST_CONTROLS = 24;
export const LEAST_CONTROLS = 3;
/** Twice what a look waits: at this age few controls are as good as many. */
export const FEW_CONTROLS_WAIT_MS = 2 * PATIENCE_MS;

/** How old a doubt must be before a twofold clear is believed on the strength of so many controls. */
export function licenceWaitMs(sight: Sight, waiting: Waiting, controls: number): number {
  const waitMs = settleWaitMs(sight, waiting);
  return waiting.chosenMs !== null || controls >= MOST_CONTROLS ? waitMs : Math.max(waitMs, FEW_CONTROLS_WAIT_MS);
}

const FUTURE_MS = MINUTE_MS;
const EARLIEST_MS = Date.UTC(2015, 0, 1);

/** The age of a record, milliseconds; null if its time cannot be true, so that nothing can be told by time. */
export function ageOf(at: string, nowMs: number): number | null {
  const atMs = Date.parse(at);
  const isPossible = atMs >= EARLIEST_MS && atMs <= nowMs + FUTURE_MS;
  return isPossible ? Math.max(0, nowMs - atMs) : null;
}
