import type { FileHandle } from 'node:fs/promises';
import { SrqError } from '../model/errors.ts';
import type { Clock, LogRecord } from '../model/ports.ts';
import { readLines } from './lines.ts';
import { openLogFile } from './read-log.ts';
import { decodeRecord } from './record.ts';

const POLL_MS = 500;

/**
 * Yields each record that is added behind the offset `from`, as it comes, until `stop` fires. The log need not exist yet.
 * Throws `SrqError('log')` if a line is damaged.
 */
export async function* followLog(
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
