import { hash } from 'node:crypto';
import { constants, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { jsonIn } from '../../request/contract/json.ts';
import {
  type LogReader,
  type LogStore,
  parseNote,
  type ReadRecord,
  type RecordedNote,
  type RunNote,
  type RunNotes,
} from '../../request/log/log-store.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import type { FileLogId } from '../stored-record.ts';
import { type FileLogOptions, hintAt, openFileLog, openLogFile } from './file-log.ts';
import { BESIDE, type LogUser, ownTail, withBeside } from './log-access.ts';
import { indexView, LogIndex, loadIndex } from './log-index.ts';
import { decodeRecord, readLines } from './record.ts';

interface FileStoreOptions extends Omit<FileLogOptions, 'exclusive' | 'holder'> {
  /** Describes this process, while it runs the command, to others that find the log in use. */
  readonly holder: (command: string) => string;
}

/** Returns the store of a log in a file, for one machine (FORMAT.md). */
export function openFileStore(options: FileStoreOptions): LogStore {
  const { path, clock, holder, user = null } = options;
  return {
    name: path,
    open: (command, exclusive) => openFileLog({ ...options, exclusive, holder: holder(command) }),
    openReader: () => openLogReader(path, user),
    latest: () => readLog(path, user),
    records: (ref) => readRecords(path, user, ref),
    notes: () => readRunNotes(path),
    openNotes: (noted) => openRunNotes(path, noted, clock),
  };
}

/** Returns the path of the notes on a log's runs (FORMAT.md). */
const notesPath = (log: string): string => `${log}.runs`;

const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Opens the notes on one run for adding. Notes only inform, so an error while writing one is ignored. */
export function openRunNotes(log: string, run: string, clock: Pick<Clock, 'nowMs'>): RunNotes {
  const note = (noted: RunNote) => {
    const line = JSON.stringify({ run, at: new Date(clock.nowMs()).toISOString(), ...noted });
    try {
      withBeside(notesPath(log), APPENDING, (fd) => writeSync(fd, `${line}\n`));
    } catch {}
  };
  return { note, flush: async () => {} };
}

/** Yields all notes on a log's runs, oldest first. An unreadable line or file is skipped. */
export async function* readRunNotes(log: string): AsyncGenerator<RecordedNote> {
  const file = await open(notesPath(log), constants.O_RDONLY | BESIDE).catch(() => null);
  if (!file) return;
  try {
    if (!(await file.stat()).isFile()) return;
    for await (const lines of readLines(file, 0)) {
      for (const { text } of lines) {
        const note = parseNote(jsonIn(text ?? ''));
        if (note) yield note;
      }
    }
  } finally {
    await file.close();
  }
}

/**
 * Yields the last record of each request in the log, oldest first. It takes no lock. An unfinished last line belongs to
 * another process that is writing, and is skipped. A log that does not exist is empty. Throws `SrqError('log')` if the log is
 * damaged.
 */
export async function* readLog(path: string, user: LogUser | null = null): AsyncGenerator<LogRecord, void> {
  for await (const { record, isLast } of readRecords(path, user)) if (isLast) yield record;
}

/**
 * Yields every record of the log in the order of the file, or only those with a reference. Otherwise it works like
 * {@link readLog}.
 */
async function* readRecords(path: string, user: LogUser | null, ref?: string): AsyncGenerator<ReadRecord, void> {
  const log = await openIndexed(path, user);
  if (!log) return;
  const { file, index } = log;
  const wanted = ref === undefined ? '' : `"ref":${JSON.stringify(ref)}`;
  try {
    for await (const lines of readLines(file, 0, wanted)) {
      for (const { text, offset } of lines) {
        if (offset >= index.end) return;
        if (text?.includes(wanted) === false) continue;
        const record = decodeRecord(text);
        if (typeof record === 'string' || (ref !== undefined && record.ref !== ref)) continue;
        const request = index.number(record.key);
        yield { record, request, isLast: index.offsetOf(request) === offset };
      }
    }
  } finally {
    await file.close();
  }
}

/** Opens the log only to look up keys, without a lock and without writing. A log that does not exist knows no key. */
export async function openLogReader(path: string, user: LogUser | null = null): Promise<LogReader> {
  const log = await openIndexed(path, user);
  const view = log ? indexView(log.index, log.file.fd) : indexView(new LogIndex(path), -1);
  return { ...view, close: async () => log?.file.close() };
}

/** Identifies a log, and how far it goes, without reading all of it. Returns null if it has no record. */
export async function fileLogOf(path: string): Promise<FileLogId | null> {
  const file = await openToRead(path, null);
  if (!file) return null;
  try {
    const { value: first } = await readLines(file, 0).next();
    if (!first) return null;
    const { size } = await file.stat();
    const end = Buffer.alloc(Math.min(size, END_BYTES));
    await file.read(end, 0, end.length, size - end.length);
    return { log: digestOf(first[0]?.text ?? ''), state: digestOf(Buffer.concat([Buffer.from(`${size} `), end])) };
  } finally {
    await file.close();
  }
}

/** The end of a log, as much of it as identifies how far it goes. */
const END_BYTES = 1 << 16;

const digestOf = (bytes: string | Buffer): string => hash('sha256', bytes, 'hex').slice(0, 32);

/** Opens the log with its index, or returns null if there is no file. */
async function openIndexed(path: string, user: LogUser | null) {
  const file = await openToRead(path, user);
  if (!file) return null;
  try {
    const index = loadIndex(file.fd, path, user);
    await index.catchUp(file);
    await ownTail(file, path, index.end);
    return { file, index };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens the log for reading, or returns null if there is none. */
async function openToRead(path: string, user: LogUser | null): Promise<FileHandle | null> {
  try {
    return await openLogFile(path, user, constants.O_RDONLY);
  } catch (error) {
    if (error instanceof SrqError) throw error;
    if (systemCode(error) === 'ENOENT') return null;
    throw new SrqError('log.unreadable', `The log ${path} cannot be read (${systemCode(error)}).`, hintAt(path), error);
  }
}
