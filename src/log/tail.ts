import { readSync } from 'node:fs';
import { type FileHandle, writeFile } from 'node:fs/promises';
import { systemCode } from '../model/errors.ts';
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
  await keepAside(tail, `${path}.torn-${clock.nowMs()}`);
  await file.truncate(end);
  await file.sync();
}

/** The copy is on the disk before the original goes; an earlier one of the same millisecond stays. */
async function keepAside(tail: Buffer, path: string): Promise<void> {
  for (let suffix = ''; ; suffix += '+') {
    try {
      await writeFile(path + suffix, tail, { mode: 0o600, flag: 'wx', flush: true });
      return;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
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
