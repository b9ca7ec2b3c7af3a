import { createHash } from 'node:crypto';
import { closeSync, constants, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  coalesceNotes,
  type LogReader,
  type LogStore,
  parseNote,
  type ReadRecord,
  type RecordedNote,
  type RunNotes,
} from '../../request/log/log-store.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import type { FileLogId } from '../stored-record.ts';
import { FileLog } from './file-log.ts';
import {
  BESIDE,
  type LogUser,
  openBeside,
  ownTail,
  requireLogStart,
  requireOwnFolder,
  requireOwnLog,
  requireRegularFile,
} from './log-access.ts';
import { LogIndex, loadIndex } from './log-index.ts';
import { decodeRecord, readLines, readRecordAt } from './record.ts';

interface FileStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly run: string;
  /** Describes this process, while it runs the command, to others that find the log in use. */
  readonly holder: (command: string) => string;
  /** The user who must own the log, or null to accept any owner. */
  readonly user?: LogUser | null;
}

/** Returns the store of a log in a file, for one machine (FORMAT.md). */
export function openFileStore({ path, clock, run, holder, user = null }: FileStoreOptions): LogStore {
  return {
    name: path,
    open: (command, exclusive) => FileLog.open({ path, clock, run, exclusive, holder: holder(command), user }),
    openReader: () => openLogReader(path, user),
    latest: () => readLog(path, user),
    newest: () => readNewest(path, user),
    records: () => readRecords(path, user),
    follow: (stop) => followLog(path, user, clock, stop),
    notes: () => readRunNotes(path),
    openNotes: (noted) => openRunNotes(path, noted, clock),
  };
}

const POLL_MS = 500;

/**
 * Yields the last record of each request and then null, and from then on each record that is added, until `stop` fires. The
 * log need not exist yet. Throws `SrqError('log')` if a line is damaged.
 */
async function* followLog(
  path: string,
  user: LogUser | null,
  clock: Clock,
  stop: AbortSignal,
): AsyncGenerator<LogRecord | null, void> {
  let end = yield* readLog(path, user);
  yield null;
  for (; !stop.aborted; await clock.sleep(POLL_MS, stop)) {
    const file = await openLogFile(path, null);
    if (!file) continue;
    try {
      end = yield* recordsBehind(file, end, path);
    } finally {
      await file.close();
    }
  }
}

/** Yields the records after the offset `from`, and returns the offset after the last complete line. */
async function* recordsBehind(file: FileHandle, from: number, path: string): AsyncGenerator<LogRecord, number> {
  const blocks = readLines(file, from);
  for (;;) {
    const { value, done } = await blocks.next();
    if (done) return value;
    for (const { text, offset } of value) {
      const record = decodeRecord(text);
      if (typeof record === 'string') {
        throw new SrqError('log.damaged', `The log ${path} is damaged at byte ${offset} (${record}).`, 'See: srq log');
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
      const fd = openBeside(notesPath(log), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
      try {
        writeSync(fd, `${line}\n`);
      } finally {
        closeSync(fd);
      }
    } catch {}
  }, clock.nowMs);
  return { ...notes, flush: async () => {} };
}

/** Yields all notes on a log's runs, oldest first. An unreadable line or file is skipped. */
export async function* readRunNotes(log: string): AsyncGenerator<RecordedNote> {
  const file = await open(notesPath(log), constants.O_RDONLY | BESIDE).catch(() => null);
  if (!file) return;
  try {
    if (!(await file.stat()).isFile()) return;
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

/**
 * Yields the last record of each request in the log, oldest first, and returns the offset after the last line read. It
 * takes no lock. An unfinished last line belongs to another process that is writing, and is skipped. A log that does
 * not exist is empty. Throws `SrqError('log')` if the log is damaged.
 */
export async function* readLog(path: string, user: LogUser | null = null): AsyncGenerator<LogRecord, number> {
  const records = readRecords(path, user);
  try {
    for (;;) {
      const { value, done } = await records.next();
      if (done) return value;
      if (value.isLast) yield value.record;
    }
  } finally {
    // A reader that has found what it looks for ends early, and the file is closed then, too.
    await records.return(0);
  }
}

/** Yields every record of the log in the order of the file. Otherwise it works like {@link readLog}. */
async function* readRecords(path: string, user: LogUser | null = null): AsyncGenerator<ReadRecord, number> {
  const file = await openLogFile(path, user);
  if (!file) return 0;
  try {
    const index = await indexOf(file, path, user);
    for await (const lines of readLines(file, 0)) {
      for (const line of lines) {
        if (line.offset >= index.end) return index.end;
        const record = decodeRecord(line.text);
        if (typeof record === 'string') continue;
        const request = index.number(record.key);
        yield { record, request, isLast: index.offsetOf(request) === line.offset };
      }
    }
    return index.end;
  } finally {
    await file.close();
  }
}

/**
 * Yields the last record of each request, newest first, and reads only as much of the log as is needed. Otherwise it
 * works like {@link readLog}.
 */
async function* readNewest(path: string, user: LogUser | null = null): AsyncGenerator<LogRecord, void> {
  const file = await openLogFile(path, user);
  if (!file) return;
  try {
    for (const offset of (await indexOf(file, path, user)).offsets().reverse()) {
      const record = readRecordAt(file.fd, offset);
      if (record !== null) yield record;
    }
  } finally {
    await file.close();
  }
}

/** Opens the log only to look up keys, without a lock and without writing. A log that does not exist knows no key. */
export async function openLogReader(path: string, user: LogUser | null = null): Promise<LogReader> {
  const file = await openLogFile(path, user);
  const close = async () => file?.close();
  const index = file
    ? await indexOf(file, path, user).catch(async (error: unknown) => {
        await close();
        throw error;
      })
    : new LogIndex(path);
  const read = (key: string) => {
    const offset = index.offset(key);
    return file === null || offset === null ? null : readRecordAt(file.fd, offset);
  };
  return { lookup: (key) => index.state(key), prefetch: async () => {}, read, close };
}

/** Identifies a log without reading all of it. Returns null if it has no record. */
export async function fileLogOf(path: string): Promise<FileLogId | null> {
  const file = await openLogFile(path, null);
  if (!file) return null;
  try {
    const { size } = await file.stat();
    const first = await recordBehind(file, 0, 'first');
    const last = await recordBehind(file, Math.max(0, size - LAST_BYTES), 'last');
    if (!first || !last) return null;
    const log = createHash('sha256')
      .update(JSON.stringify([first.key, first.at, first.run]))
      .digest('hex')
      .slice(0, 32);
    return { log, newestKey: last.key, bytes: size };
  } finally {
    await file.close();
  }
}

/** Number of bytes at the end of a log in which its last record certainly is. */
const LAST_BYTES = 1 << 20;

/** Returns the first or the last record behind an offset. An unfinished line is none. */
async function recordBehind(file: FileHandle, from: number, which: 'first' | 'last'): Promise<LogRecord | null> {
  let found: LogRecord | null = null;
  for await (const lines of readLines(file, from)) {
    for (const { text } of lines) {
      const record = decodeRecord(text);
      if (typeof record === 'string') continue;
      if (which === 'first') return record;
      found = record;
    }
  }
  return found;
}

async function indexOf(file: FileHandle, path: string, user: LogUser | null): Promise<LogIndex> {
  const index = loadIndex(file.fd, path, user);
  await index.catchUp(file);
  await ownTail(file, path, index.end);
  return index;
}

/**
 * Opens the log for reading, or returns null if there is no file. If `user` is given, it must own the log, because the
 * records are trusted. Throws `SrqError('log')` if the file is not a log or not the user's own.
 */
async function openLogFile(path: string, user: LogUser | null): Promise<FileHandle | null> {
  let file: FileHandle | null = null;
  try {
    requireRegularFile(path);
    file = await open(path, 'r');
    await requireLogStart(file, path);
    if (user) {
      requireOwnFolder(path, user);
      requireOwnLog(file.fd, path, user);
    }
    return file;
  } catch (error) {
    await file?.close();
    if (error instanceof SrqError) throw error;
    if (systemCode(error) === 'ENOENT') return null;
    throw new SrqError(
      'log.unreadable',
      `The log ${path} cannot be read (${systemCode(error)}).`,
      'Correct the access rights, or name another file with --log FILE, or another folder in SRQ_STATE_DIR.',
      error,
    );
  }
}
