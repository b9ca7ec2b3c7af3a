import { type Counts, noCounts } from './status.ts';

/** How an import began: where it sends to, what the plan found, and the flags in force. No personal data. */
export interface RunBegin {
  readonly event: 'begin';
  readonly version: string;
  /** The name of the input, without its folder. */
  readonly file: string;
  readonly profile: string;
  readonly live: boolean;
  /** Host and port of the service. */
  readonly service: string;
  readonly rows: number;
  /** What the plan made of the rows. */
  readonly counts: Counts;
  /** Flag to value, as in force; values of `--set` and `--map` are left out. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What happened in a run beside its requests: nothing of it decides what is sent. */
export type RunNote =
  | RunBegin
  /** So many answers 429 or 503 within a second; `pauseMs`: how long nobody sends after the last of them. */
  | { readonly event: 'refused'; readonly http: number; readonly count: number; readonly pauseMs: number }
  /** The breaker holds everything back for so long. */
  | { readonly event: 'breaker'; readonly pauseMs: number }
  /** `stopped`: why it ended early; null if it did not. */
  | { readonly event: 'end'; readonly stopped: string | null };

/** A note read back. */
export type NotedInRun = RunNote & { readonly run: string; readonly at: string };

/** Passes notes on to where they are kept, with their time; refusals of one second and status as one note. */
export function gatherNotes(
  append: (note: RunNote, atMs: number) => void,
  nowMs: () => number,
): { note(note: RunNote): void; refused(http: number, pauseMs: number): void } {
  let held: { readonly atMs: number; readonly note: Extract<RunNote, { event: 'refused' }> } | null = null;
  const release = () => {
    if (held) append(held.note, held.atMs);
    held = null;
  };
  return {
    note: (note) => {
      release();
      append(note, nowMs());
    },
    refused: (http, pauseMs) => {
      const atMs = nowMs();
      const isSame = held && held.note.http === http && Math.floor(held.atMs / 1000) === Math.floor(atMs / 1000);
      if (!isSame) release();
      const count = (held?.note.count ?? 0) + 1;
      held = { atMs: held?.atMs ?? atMs, note: { event: 'refused', http, count, pauseMs: Math.round(pauseMs) } };
    },
  };
}

const EVENTS: ReadonlySet<string> = new Set(['begin', 'refused', 'breaker', 'end'] satisfies RunNote['event'][]);

/** A note as it was kept; null if nothing can be made of it. */
export function readNote(value: unknown): NotedInRun | null {
  const note = value as NotedInRun | null;
  if (note === null || typeof note !== 'object' || typeof note.run !== 'string') return null;
  if (Number.isNaN(Date.parse(note.at))) return null;
  if (note.event === 'begin') return isWhole(note) ? { ...note, counts: { ...noCounts(), ...note.counts } } : null;
  return EVENTS.has(note.event) ? note : null;
}

function isWhole({ rows, counts, settings }: RunBegin): boolean {
  return typeof rows === 'number' && [counts, settings].every((each) => typeof each === 'object' && each !== null);
}
