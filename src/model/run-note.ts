import type { Counts } from './outcome.ts';

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
