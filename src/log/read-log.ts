import { type FileHandle, open } from 'node:fs/promises';
import { SrqError, systemCode } from '../model/errors.ts';
import type { LogReader, ReadRecord } from '../model/log-store.ts';
import type { LogRecord } from '../model/ports.ts';
import { readLines } from './lines.ts';
import { LogIndex } from './log-index.ts';
import { decodeRecord } from './record.ts';
import { requireRegularFile } from './regular-file.ts';
import { RecordReader } from './tail.ts';

/**
 * The last record of every request in the log, oldest first, as a stream. Takes no lock: an unfinished last line is
 * another process at work and is passed over. A log that does not exist is empty. Returns the offset behind what was read.
 * Throws `SrqError('log')` on damage.
 */
export async function* readLog(path: string): AsyncGenerator<LogRecord, number> {
  const records = readRecords(path);
  for (;;) {
    const { value, done } = await records.next();
    if (done) return value;
    if (value.isLast) yield value.record;
  }
}

/** Every record of the log in its order; else as {@link readLog}. */
export async function* readRecords(path: string): AsyncGenerator<ReadRecord, number> {
  const file = await openForReading(path);
  if (!file) return 0;
  try {
    const index = new LogIndex(path);
    await index.catchUp(file);
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

/** What the log knows of each key, without taking part in it. */
export async function openLogReader(path: string): Promise<LogReader> {
  const index = new LogIndex(path);
  const file = await openForReading(path);
  const close = async () => file?.close();
  try {
    if (file) await index.catchUp(file);
  } catch (error) {
    await close();
    throw error;
  }
  const records = file && new RecordReader(file.fd);
  const read = (key: string) => {
    const offset = index.offset(key);
    return records === null || offset === null ? null : records.readAt(offset);
  };
  return { lookup: (key) => index.state(key), know: async () => {}, read, close };
}

/** Null if there is no such file. */
export async function openForReading(path: string): Promise<FileHandle | null> {
  requireRegularFile(path);
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new SrqError('log', `The log ${path} cannot be read (${systemCode(error)}).`, null, error);
  }
}
