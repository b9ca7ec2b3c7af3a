import { type FileHandle, open } from 'node:fs/promises';
import { SrqError, systemCode } from '../model/errors.ts';
import type { DeliveryLog, LogRecord } from '../model/ports.ts';
import { readLines } from './lines.ts';
import { LogIndex } from './log-index.ts';
import { decodeRecord } from './record.ts';
import { requireRegularFile } from './regular-file.ts';

/**
 * The last record of every request in the log, oldest first, as a stream. Takes no lock: an unfinished last line is
 * another process at work and is passed over. A log that does not exist is empty. Returns the offset behind what was read.
 * Throws `SrqError('log')` on damage.
 */
export async function* readLog(path: string): AsyncGenerator<LogRecord, number> {
  const file = await openForReading(path);
  if (!file) return 0;
  try {
    const index = new LogIndex(path);
    await index.catchUp(file);
    for await (const lines of readLines(file, 0)) {
      for (const line of lines) {
        if (line.offset >= index.end) return index.end;
        const record = decodeRecord(line.text);
        if (typeof record !== 'string' && index.offset(record.key) === line.offset) yield record;
      }
    }
    return index.end;
  } finally {
    await file.close();
  }
}

/** What the log knows of each key, without taking part in it: for dry runs. */
export async function openLogIndex(path: string): Promise<Pick<DeliveryLog, 'lookup'>> {
  const index = new LogIndex(path);
  const file = await openForReading(path);
  try {
    if (file) await index.catchUp(file);
  } finally {
    await file?.close();
  }
  return { lookup: (key) => index.state(key) };
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
