import { readSync } from 'node:fs';
import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Clock, LogRecord } from '../model/ports.ts';
import { decodeRecord } from './record.ts';

const LINE_FEED = 0x0a;

/**
 * Cuts an unfinished last line, keeping a copy beside the log. Its writer died before it was synced, so no request was
 * sent on the strength of it; if it was an outcome, its row is in doubt, which is what is then known of it.
 */
export async function cutTornTail(file: FileHandle, path: string, end: number, clock: Clock): Promise<void> {
  const { size } = await file.stat();
  if (size <= end) return;
  const tail = Buffer.alloc(size - end);
  await file.read(tail, 0, tail.length, end);
  await writeFile(`${path}.torn-${clock.nowMs()}`, tail, { mode: 0o600 });
  await file.truncate(end);
  await file.sync();
}

/** The record that begins at `offset`. */
export function readRecordAt(fd: number, offset: number): LogRecord | null {
  for (let length = 1024; ; length *= 4) {
    const bytes = Buffer.allocUnsafe(length);
    const count = readSync(fd, bytes, 0, length, offset);
    const end = bytes.subarray(0, count).indexOf(LINE_FEED);
    if (end >= 0) {
      const record = decodeRecord(bytes.toString('utf8', 0, end));
      return typeof record === 'string' ? null : record;
    }
    if (count < length) return null;
  }
}
