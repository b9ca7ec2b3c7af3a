import { readSync } from 'node:fs';
import { type FileHandle, writeFile } from 'node:fs/promises';
import { SrqError, systemCode } from '../model/errors.ts';
import type { Clock, LogRecord } from '../model/ports.ts';
import { shellWord } from '../model/shell-word.ts';
import { decodeRecord } from './record.ts';

const LINE_FEED = 0x0a;

const RECORD_START = '{"key":"';
const KEY_DIGITS = 32;
/** Zeros are looked through in pieces of this size. */
const ZEROS_BYTES = 1 << 20;

/** Throws `SrqError('log')` for a file that cannot be a log by its first byte; nothing has been done to it or beside it then. */
export async function requireLogStart(file: FileHandle, path: string): Promise<void> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (bytesRead > 0 && buffer[0] !== 0 && buffer.toString('latin1') !== RECORD_START[0]) throw noLog(path);
}

/**
 * Throws `SrqError('log')` if what lies behind the last complete line, from `end` on, is not what an srq leaves there that
 * dies while it adds a record: the beginning of one, or zeros. Then the file is no log, or somebody else wrote into it.
 */
export async function requireOwnTail(file: FileHandle, path: string, end: number): Promise<void> {
  const { size } = await file.stat();
  if (size <= end || (await isOwnTail(file, end, size))) return;
  if (end === 0) throw noLog(path);
  const shown = shellWord(path);
  throw new SrqError(
    'log',
    `The log ${path} does not end with a record of srq: the ${size - end} bytes behind byte ${end} are from elsewhere. It was left as it is; nothing was sent.`,
    `Look at them: tail -c +${end + 1} ${shown}    If they do not belong there: truncate -s ${end} ${shown}`,
  );
}

function noLog(path: string): SrqError {
  return new SrqError(
    'log',
    `The file ${path} is no log of srq: it does not begin with a record. It was left as it is; nothing was sent.`,
    'Name another file with --log FILE; srq makes one that does not exist. If this is the log, restore it from a backup.',
  );
}

async function isOwnTail(file: FileHandle, end: number, size: number): Promise<boolean> {
  const head = Buffer.alloc(Math.min(RECORD_START.length + KEY_DIGITS, size - end));
  const { bytesRead } = await file.read(head, 0, head.length, end);
  if (head[0] !== 0) return beginsRecord(head.toString('latin1', 0, bytesRead));
  const block = Buffer.alloc(Math.min(ZEROS_BYTES, size - end));
  for (let position = end; position < size; ) {
    const { bytesRead: read } = await file.read(block, 0, Math.min(block.length, size - position), position);
    // Another process has cut it.
    if (read === 0) return true;
    if (block.subarray(0, read).some((byte) => byte !== 0)) return false;
    position += read;
  }
  return true;
}

/** Whether a record can begin so; blocks that never reached the disk are zeros. */
function beginsRecord(bytes: string): boolean {
  const text = bytes.replace(/\0+$/, '');
  if (text.length <= RECORD_START.length) return RECORD_START.startsWith(text);
  return text.startsWith(RECORD_START) && /^[0-9a-f]+$/.test(text.slice(RECORD_START.length));
}

/**
 * Cuts an unfinished last line, keeping a copy beside the log. Its writer died before it was synced, so no request was
 * sent on the strength of it; if it was an outcome, its row is in doubt, which is what is then known of it.
 */
export async function cutTornTail(file: FileHandle, path: string, end: number, clock: Clock): Promise<void> {
  const { size } = await file.stat();
  if (size <= end) return;
  await requireOwnTail(file, path, end);
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
