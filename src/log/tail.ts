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

/** Some forty rows' worth; more would make reading in another order slow. */
const BLOCK_BYTES = 1 << 14;

/**
 * Reads records of a log by where they begin. Those of neighbouring rows lie near each other, so the last block is kept; lines
 * that are complete in it stay as they are.
 */
export class RecordReader {
  readonly #fd: number;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #start = 0;
  #length = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  readAt(offset: number): LogRecord | null {
    const line = this.#lineAt(offset) ?? this.#readLineAt(offset);
    const record = line === null ? null : decodeRecord(line);
    return typeof record === 'string' ? null : record;
  }

  /** Null if the block does not hold the whole line. */
  #lineAt(offset: number): string | null {
    const from = offset - this.#start;
    if (from < 0 || from >= this.#length) return null;
    const end = this.#block.subarray(0, this.#length).indexOf(LINE_FEED, from);
    return end < 0 ? null : this.#block.toString('utf8', from, end);
  }

  #readLineAt(offset: number): string | null {
    for (;;) {
      [this.#start, this.#length] = [offset, 0];
      this.#length = readSync(this.#fd, this.#block, 0, this.#block.length, offset);
      const line = this.#lineAt(offset);
      if (line !== null || this.#length < this.#block.length) return line;
      this.#block = Buffer.allocUnsafe(this.#block.length * 4);
    }
  }
}
