import type { Writable } from 'node:stream';
import { type DocumentOf, SCHEMA_VERSION } from '../request/documents/types.ts';
import { terminalSafeJson, writeAll } from './output.ts';

/** An event of a run, without the members that all events have. */
export type RunEvent = Without<DocumentOf<'events'>, 'at' | 'run'>;

type Without<Union, Name extends string> = Union extends unknown ? Omit<Union, Name> : never;

/** Writes the events of a run for other programs, one JSON object per line. */
export class EventStream {
  readonly #to: Writable;
  readonly #run: () => string;
  readonly #nowMs: () => number;

  constructor(to: Writable, run: () => string, nowMs: () => number) {
    this.#to = to;
    this.#run = run;
    this.#nowMs = nowMs;
  }

  /** Writes an event at once. The promise resolves when the reader has caught up. */
  tell({ event, ...members }: RunEvent): Promise<void> {
    const head = { schemaVersion: SCHEMA_VERSION, event, at: new Date(this.#nowMs()).toISOString(), run: this.#run() };
    return writeAll(this.#to, `${terminalSafeJson({ ...head, ...members })}\n`);
  }
}
