import { createHash } from 'node:crypto';
import { systemClock } from '../../src/account/system-clock.ts';
import type { LogReader } from '../../src/request/log/log-store.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { LogRecord, LogSubject } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { FileLog } from '../../src/store/file/file-log.ts';
import { openLogReader, readLog } from '../../src/store/file/file-store.ts';
import type { LogUser } from '../../src/store/file/log-access.ts';

export const keyOf = (row: number) => createHash('sha256').update(`row ${row}`).digest('hex').slice(0, 32);

export const subjectOf = (row: number): LogSubject => ({ key: keyOf(row), row, ref: `lead-${row}` });

export const CREATED: Outcome = {
  status: 'created',
  ids: { request_id: '12345678901234567890' },
  http: 201,
  message: null,
  raw: null,
  ms: 87,
};

/** Opens a log for a bulk run, or for one-off requests beside one. */
export const openLog = (path: string, exclusive = true) =>
  FileLog.open({ path, clock: systemClock, run: 'test', exclusive, holder: `a test, process ${process.pid}` });

/** Opens the log only to look up keys, as they are now. */
export async function openLogIndex(path: string): Promise<Pick<LogReader, 'lookup' | 'prefetch'>> {
  const { lookup, prefetch: know, close } = await openLogReader(path);
  await close();
  return { lookup, prefetch: know };
}

export async function readAll(path: string, user: LogUser | null = null): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of readLog(path, user)) records.push(record);
  return records;
}

/** Returns the `SrqError` with which a promise rejects. */
export async function failureOf(action: Promise<unknown>): Promise<SrqError> {
  try {
    await action;
  } catch (error) {
    if (error instanceof SrqError) return error;
    throw error;
  }
  throw new Error('It was expected to fail.');
}
