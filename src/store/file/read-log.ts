import { type FileHandle, open } from 'node:fs/promises';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { LogReader, ReadRecord } from '../../request/log-store.ts';
import type { LogRecord } from '../../request/ports.ts';
import { type LogUser, requireOwnFolder, requireOwnLog, requireRegularFile } from './log-access.ts';
import { LogIndex } from './log-index.ts';
import { decodeRecord, readLines, readLinesBackwards } from './record.ts';
import { loadIndex } from './saved-index.ts';
import { RecordReader, requireLogStart, requireOwnTail } from './tail.ts';

/**
 * Yields the last record of each request in the log, oldest first, and returns the offset behind the last line read. It
 * takes no lock: an unfinished last line belongs to another process at work and is skipped. A log that does not exist
 * is empty. Throws `SrqError('log')` if the log is damaged.
 */
export async function* readLog(path: string, user: LogUser | null = null): AsyncGenerator<LogRecord, number> {
  const records = readRecords(path, user);
  for (;;) {
    const { value, done } = await records.next();
    if (done) return value;
    if (value.isLast) yield value.record;
  }
}

/** Yields every record of the log in the order of the file. In all else it does as {@link readLog}. */
export async function* readRecords(path: string, user: LogUser | null = null): AsyncGenerator<ReadRecord, number> {
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
 * Yields the last record of each request, newest first, and reads no more of the log than is asked for. In all else it
 * does as {@link readLog}.
 */
export async function* readNewest(path: string, user: LogUser | null = null): AsyncGenerator<LogRecord, void> {
  const file = await openLogFile(path, user);
  if (!file) return;
  try {
    const index = await indexOf(file, path, user);
    for await (const line of readLinesBackwards(file, index.end)) {
      const record = decodeRecord(line.text);
      if (typeof record !== 'string' && index.offset(record.key) === line.offset) yield record;
    }
  } finally {
    await file.close();
  }
}

/** Opens the log to look up keys only, without a lock and without writing. A log that does not exist knows no key. */
export async function openLogReader(path: string, user: LogUser | null = null): Promise<LogReader> {
  const file = await openLogFile(path, user);
  const close = async () => file?.close();
  const index = file
    ? await indexOf(file, path, user).catch(async (error: unknown) => {
        await close();
        throw error;
      })
    : new LogIndex(path);
  const records = file && new RecordReader(file.fd);
  const read = (key: string) => {
    const offset = index.offset(key);
    return records === null || offset === null ? null : records.readAt(offset);
  };
  return { lookup: (key) => index.state(key), prefetch: async () => {}, read, close };
}

async function indexOf(file: FileHandle, path: string, user: LogUser | null): Promise<LogIndex> {
  const index = loadIndex(file.fd, path, user);
  await index.catchUp(file);
  await requireOwnTail(file, path, index.end);
  return index;
}

/**
 * Opens the log for reading, or returns null if there is no file. If `user` is given, it must own the log, because the
 * records count as known. Throws `SrqError('log')` if the file is not a log or not the user's own.
 */
export async function openLogFile(path: string, user: LogUser | null): Promise<FileHandle | null> {
  requireRegularFile(path);
  let file: FileHandle | null = null;
  try {
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
    throw new SrqError('log', `The log ${path} cannot be read (${systemCode(error)}).`, null, error);
  }
}
