import { appendFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SrqError } from '../../request/errors.ts';
import { coalesceNotes, type LogStore, parseNote, type RecordedNote, type RunNotes } from '../../request/log-store.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { FileLog } from './file-log.ts';
import type { LogUser } from './log-access.ts';
import { openLogFile, openLogReader, readLog, readNewest, readRecords } from './read-log.ts';
import { decodeRecord, readLines } from './record.ts';

export interface FileStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly run: string;
  /** Names this process while it runs the command, for whoever finds the log in use. */
  readonly holder: (command: string) => string;
  /** The user who must own the log, or null to accept any owner. */
  readonly user?: LogUser | null;
}

/** Returns the store of a log that lies in a file, for one machine (FORMAT.md). */
export function openFileStore({ path, clock, run, holder, user = null }: FileStoreOptions): LogStore {
  return {
    name: path,
    open: (command, exclusive) => FileLog.open({ path, clock, run, exclusive, holder: holder(command), user }),
    openReader: () => openLogReader(path, user),
    latest: () => positioned(readLog(path, user)),
    newest: () => readNewest(path, user),
    records: () => positioned(readRecords(path, user)),
    follow: ({ end }, stop) => followLog(path, end, clock, stop),
    notes: () => readRunNotes(path),
    openNotes: (noted) => openRunNotes(path, noted, clock),
  };
}

/** Yields the items, and returns the offset that the generator returns as a log position. */
async function* positioned<Item>(items: AsyncGenerator<Item, number>): AsyncGenerator<Item, { readonly end: number }> {
  return { end: yield* items };
}

const POLL_MS = 500;

/**
 * Yields each record that is added behind the offset `from`, as it comes, until `stop` fires. The log need not exist yet.
 * Throws `SrqError('log')` if a line is damaged.
 */
async function* followLog(
  path: string,
  from: number,
  clock: Clock,
  stop: AbortSignal,
): AsyncGenerator<LogRecord, void> {
  for (let end = from; !stop.aborted; await clock.sleep(POLL_MS, stop)) {
    const file = await openLogFile(path, null);
    if (!file) continue;
    try {
      end = yield* recordsBehind(file, end, path);
    } finally {
      await file.close();
    }
  }
}

/** Yields the records behind the offset `from` and returns the offset behind the last complete line. */
async function* recordsBehind(file: FileHandle, from: number, path: string): AsyncGenerator<LogRecord, number> {
  const blocks = readLines(file, from);
  for (;;) {
    const { value, done } = await blocks.next();
    if (done) return value;
    for (const { text, offset } of value) {
      const record = decodeRecord(text);
      if (typeof record === 'string') {
        throw new SrqError('log', `The log ${path} is damaged at byte ${offset} (${record}).`, 'See: srq log');
      }
      yield record;
    }
  }
}

/** Returns the path of the notes on a log's runs (FORMAT.md). */
const notesPath = (log: string): string => `${log}.runs`;

/** Opens the notes on one run for adding. Notes only inform, so an error while writing one is ignored. */
export function openRunNotes(log: string, run: string, clock: Pick<Clock, 'nowMs'>): RunNotes {
  const notes = coalesceNotes((note, atMs) => {
    const line = JSON.stringify({ run, at: new Date(atMs).toISOString(), ...note });
    try {
      appendFileSync(notesPath(log), `${line}\n`, { mode: 0o600 });
    } catch {}
  }, clock.nowMs);
  return { ...notes, flush: async () => {} };
}

/** Yields all notes on a log's runs, oldest first. A line that cannot be read is skipped, and so is an unreadable file. */
export async function* readRunNotes(log: string): AsyncGenerator<RecordedNote> {
  const file = await open(notesPath(log), 'r').catch(() => null);
  if (!file) return;
  try {
    for await (const lines of readLines(file, 0)) {
      for (const { text } of lines) {
        const note = decodeNote(text);
        if (note) yield note;
      }
    }
  } finally {
    await file.close();
  }
}

function decodeNote(line: string | null): RecordedNote | null {
  try {
    return parseNote(JSON.parse(line ?? ''));
  } catch {
    return null;
  }
}
