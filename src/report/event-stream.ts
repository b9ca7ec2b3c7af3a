import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type DocumentOf, SCHEMA_VERSION } from '../request/documents/types.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { terminalSafeJson } from './output.ts';
import { requireOwnOrNew, writeAll } from './output-file.ts';

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

/**
 * Opens a file for events that nobody else can read, also if others could before. The events of later runs are appended.
 * `uid` is the number of the user, or null where files have no owners. Throws `SrqError('usage')` if the file contains
 * anything else or cannot be written. `lost` is called if it can no longer be written later. The run then continues,
 * because nothing depends on its events.
 */
export async function openEventFile(
  path: string,
  uid: number | null,
  lost: (code: string) => void,
): Promise<EventFile> {
  await requireOwnOrNew(path, 'events of a run', '--events', (head) => OWN.test(head));
  try {
    const file = await open(path, 'a', 0o600);
    await closeToOthers(file, uid);
    const stream = file.createWriteStream();
    stream.on('error', (error) => lost(systemCode(error)));
    const close = async () => {
      stream.end();
      await finished(stream).catch(() => {});
    };
    return { stream, close };
  } catch (error) {
    throw new SrqError(
      'output.unwritable',
      `The events ${path} could not be written (${systemCode(error)}). Nothing was sent.`,
      'Name another place: --events FILE',
      error,
    );
  }
}

/**
 * Takes the rights of others from a file of this user. A file of another user is left as
 * it is. A file system without modes may refuse, and has nothing to take away.
 */
async function closeToOthers(file: FileHandle, uid: number | null): Promise<void> {
  const found = await file.stat();
  if (found.uid === uid && (found.mode & 0o077) !== 0) await file.chmod(0o600).catch(() => {});
}

/** Matches the beginning of a file of events. */
const OWN = /^\{"schemaVersion":\d+,"event":"/;

interface EventFile {
  readonly stream: Writable;
  close(): Promise<void>;
}
