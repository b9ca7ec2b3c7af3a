import type { Writable } from 'node:stream';
import { type DocumentOf, SCHEMA_VERSION } from '../request/documents/types.ts';
import { terminalSafeJson, writeAll } from './output.ts';

/** An event of a run, without the members that all events have. */
export type RunEvent = Without<DocumentOf<'events'>, 'at' | 'run'>;

type Without<Union, Name extends string> = Union extends unknown ? Omit<Union, Name> : never;

/** Writes an event of a run for other programs, as a line of JSON. The promise resolves when the reader has caught up. */
export function writeEvent(to: Writable, run: string, nowMs: number, { event, ...members }: RunEvent): Promise<void> {
  const head = { schemaVersion: SCHEMA_VERSION, event, at: new Date(nowMs).toISOString(), run };
  return writeAll(to, `${terminalSafeJson({ ...head, ...members })}\n`);
}
