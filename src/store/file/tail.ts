import { readSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { takenAway } from './log-access.ts';
import { decodeRecord } from './record.ts';
import { shellCommands } from './shell-commands.ts';

const LINE_FEED = 0x0a;

const RECORD_START = '{"key":"';
const KEY_DIGITS = 32;
/** Size of the blocks in which a tail of zeros is read. */
const ZEROS_BYTES = 1 << 20;

/**
 * Throws `SrqError('log')` if the first byte shows that the file is not a log. It is called before anything is written
 * to the file or beside it.
 */
export async function requireLogStart(file: FileHandle, path: string): Promise<void> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (bytesRead > 0 && buffer[0] !== 0 && buffer.toString('latin1') !== RECORD_START[0]) throw noLog(path);
}

/**
 * Throws `SrqError('log')` if the bytes after the last complete line, from the offset `end` on, cannot come from an srq
 * that died while it added a record. Such a process leaves the beginning of a record, or zeros. With any other tail the
 * file is not a log, or another program has written to it.
 */
export async function requireOwnTail(file: FileHandle, path: string, end: number): Promise<void> {
  const { size } = await file.stat();
  if (size <= end || (await isOwnTail(file, end, size))) return;
  if (end === 0) throw noLog(path);
  const { showEnd, cut } = shellCommands();
  throw new SrqError(
    'log.damaged',
    `The log ${path} does not end with a record of srq: the ${size - end} bytes after byte ${end} were not written by srq. It was left as it is; nothing was sent.`,
    `Look at them: ${showEnd(path, end)}    If they do not belong there, remove them: ${cut(path, end)}`,
  );
}

function noLog(path: string): SrqError {
  return new SrqError(
    'log.damaged',
    `The file ${path} is not a log of srq: it does not begin with a record. It was left as it is; nothing was sent.`,
    'Name another file with --log FILE; srq creates it if needed. If this is the log, restore it from a backup.',
  );
}

async function isOwnTail(file: FileHandle, end: number, size: number): Promise<boolean> {
  const head = Buffer.alloc(Math.min(RECORD_START.length + KEY_DIGITS, size - end));
  const { bytesRead } = await file.read(head, 0, head.length, end);
  if (head[0] !== 0) return beginsRecord(head.toString('latin1', 0, bytesRead));
  const block = Buffer.alloc(Math.min(ZEROS_BYTES, size - end));
  for (let position = end; position < size; ) {
    const { bytesRead: read } = await file.read(block, 0, Math.min(block.length, size - position), position);
    // The file ended early, because another process has cut the tail.
    if (read === 0) return true;
    if (block.subarray(0, read).some((byte) => byte !== 0)) return false;
    position += read;
  }
  return true;
}

/** Returns true if a record can begin with these bytes. Zeros at their end are blocks that never reached the disk. */
function beginsRecord(bytes: string): boolean {
  const text = bytes.replace(/\0+$/, '');
  if (text.length <= RECORD_START.length) return RECORD_START.startsWith(text);
  return text.startsWith(RECORD_START) && /^[0-9a-f]+$/.test(text.slice(RECORD_START.length));
}

/**
 * Cuts an unfinished last line and keeps a copy of it beside the log. Its writer died before the line was synced, so no
 * request was sent because of it. If the line was an outcome, its row is now in doubt, which is correct.
 */
export async function cutTornTail(file: FileHandle, path: string, end: number, clock: Clock): Promise<void> {
  const { size } = await file.stat();
  if (size <= end) return;
  await requireOwnTail(file, path, end);
  const tail = Buffer.alloc(size - end);
  await file.read(tail, 0, tail.length, end);
  await keepAside(tail, `${path}.torn-${clock.nowMs()}`);
  await shorten(file, path, end);
}

/**
 * Cuts the open log durably. It uses a second handle, because Windows cannot shorten a file through a handle for
 * appending.
 */
async function shorten(file: FileHandle, path: string, end: number): Promise<void> {
  const writing = await open(path, 'r+');
  try {
    const [wanted, found] = await Promise.all([file, writing].map((each) => each.stat({ bigint: true })));
    if (found?.ino !== wanted?.ino || found?.dev !== wanted?.dev) throw takenAway(path, 'renamed or replaced');
    await writing.truncate(end);
    await writing.sync();
  } finally {
    await writing.close();
  }
}

/**
 * Writes a durable copy of the tail before the original is cut. An earlier copy of the same millisecond is not
 * overwritten.
 */
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

/** Size of a reader's block, about forty rows. A larger one would slow down reads in another order. */
const BLOCK_BYTES = 1 << 14;
/** Size of the block after one in which, or shortly behind which, the next record lies: the log is read in its order. */
const NEXT_BLOCK_BYTES = 1 << 17;

/**
 * Reads records of a log by their offsets. Records of neighbouring rows are near each other, so the reader keeps the
 * last block that it read. Lines that are complete in the block never change.
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

  /** Returns the line at the offset, or null if the block does not hold all of it. */
  #lineAt(offset: number): string | null {
    const from = offset - this.#start;
    if (from < 0 || from >= this.#length) return null;
    const end = this.#block.subarray(0, this.#length).indexOf(LINE_FEED, from);
    return end < 0 ? null : this.#block.toString('utf8', from, end);
  }

  #readLineAt(offset: number): string | null {
    const isNext = offset > this.#start && offset < this.#start + this.#length + BLOCK_BYTES;
    for (let size = isNext ? NEXT_BLOCK_BYTES : BLOCK_BYTES; ; size *= 4) {
      if (this.#block.length < size) this.#block = Buffer.allocUnsafe(size);
      [this.#start, this.#length] = [offset, 0];
      this.#length = readSync(this.#fd, this.#block, 0, size, offset);
      const line = this.#lineAt(offset);
      if (line !== null || this.#length < size) return line;
    }
  }
}
