import type { Writable } from 'node:stream';
import type { DocumentName, DocumentOf } from '../request/documents/types.ts';
import type { Counts } from '../request/log/status.ts';
import type { Failure } from '../request/words/errors.ts';
import type { Paint } from './output.ts';

/** The state of an import for its progress line. */
export interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly counts: Partial<Counts>;
}

export interface Progress {
  update(state: ProgressState): void;
  end(): void;
}

/** Formats an item of a stream for people, with its line feeds. */
export type ItemText<Item> = (item: Item, paint: Paint, index: number) => string;

/**
 * The output of a command: one result on stdout, and all messages on stderr. The choice of the reporter decides the
 * form of the result once, so that commands do not ask for it.
 */
export interface Reporter {
  /**
   * Writes the command's one result. Programs get the document of this name, or an array of several of them, and people
   * get `text`. A `verbatim` text, such as a script, is meant for programs as well, so it is not fitted to the
   * terminal.
   */
  result<Name extends DocumentName>(
    name: Name,
    document: DocumentOf<Name> | readonly DocumentOf<Name>[],
    text: (paint: Paint) => string,
    form?: 'prose' | 'verbatim',
  ): Promise<void>;
  /**
   * Writes the items of a list, each as it comes. Programs get one JSON document per line, and people get the `text` of
   * each item with its line feed. Returns the number of items.
   */
  lines<Name extends DocumentName, Item extends DocumentOf<Name>>(
    name: Name,
    items: AsyncIterable<Item>,
    text: ItemText<Item>,
  ): Promise<number>;
  /** Writes a message that --quiet suppresses. */
  say(text: (paint: Paint) => string): void;
  /** Writes a warning, which --quiet does not suppress. */
  warn(message: string): void;
  fail(failure: Failure): Promise<void>;
  progress(label: string): Promise<Progress>;
}

export interface ReporterOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly quiet: boolean;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** True if stderr is a terminal that can redraw a line. */
  readonly redraw: boolean;
  /** True if the locale is limited to ASCII. */
  readonly ascii: boolean;
  readonly monotonicMs: () => number;
}
