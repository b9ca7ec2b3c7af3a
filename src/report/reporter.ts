import type { Writable } from 'node:stream';
import type { ChalkInstance } from 'chalk';
import type { SrqError } from '../model/errors.ts';
import type { Counts } from '../model/status.ts';

/** How far an import is. */
export interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly counts: Partial<Counts>;
}

export interface Progress {
  update(state: ProgressState): void;
  end(): void;
}

/** An item of a stream for people, with its line feeds. */
export type ItemText<Item> = (item: Item, paint: ChalkInstance, index: number) => string;

/**
 * The reader's side of a command: one result on stdout, all talk on stderr. Which form the result has is decided once,
 * by which reporter there is; commands do not ask.
 */
export interface Reporter {
  /** The command's one result: `document` for programs, `text` for people. */
  result(document: unknown, text: (paint: ChalkInstance) => string): Promise<void>;
  /** A result of many items, as a stream: an array for programs, `text` of each (ending in its own line feed) for people. */
  results<Item extends object>(items: AsyncIterable<Item>, text: ItemText<Item>): Promise<void>;
  /** The same for items without an end: for programs one JSON document a line. */
  lines<Item extends object>(items: AsyncIterable<Item>, text: ItemText<Item>): Promise<void>;
  /** Talk: silent under --quiet. */
  say(text: (paint: ChalkInstance) => string): void;
  /** What must be seen even under --quiet. */
  warn(message: string): void;
  /** What happened, for whoever keeps logs: `text` for people, silent under --quiet. `fields` hold no personal data. */
  note(event: string, fields: Readonly<Record<string, unknown>>, text: (paint: ChalkInstance) => string): void;
  fail(error: Pick<SrqError, 'message' | 'hint'>, code: string): Promise<void>;
  progress(label: string): Promise<Progress>;
}

/** All that a command asks for which only tells what srq knows by itself. */
export interface ReporterSource {
  reporter(): Promise<Reporter>;
}

export interface ReporterOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly quiet: boolean;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether stderr is a terminal that can redraw a line. */
  readonly redraw: boolean;
  readonly monotonicMs: () => number;
  /** The time, milliseconds since 1970, where talk is one JSON object a line; null: talk is words. */
  readonly talkStampMs: (() => number) | null;
}
