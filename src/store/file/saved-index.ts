import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { fileFlaw } from '../../request/ownership.ts';
import type { LogUser } from './log-access.ts';
import { LogIndex, type LogIndexShape } from './log-index.ts';

/** Growth of a log after which its index is saved again. A process that opens the log reads at most this much of it. */
const SAVE_AFTER_BYTES = 8 << 20;
const VERSION = 1;
const MAX_HEADER_BYTES = 1 << 14;
/** The parts of a log that are compared: this many samples of this size, spread evenly, and a longer one at the end. */
const SAMPLES = 64;
const SAMPLE_BYTES = 1024;
const TAIL_BYTES = 64 << 10;

/** The first line of a saved index. It is padded with blanks, so that the memory after it begins at a fixed offset. */
interface SavedHeader {
  readonly srqIndex: number;
  readonly endianness: string;
  readonly shape: LogIndexShape;
  /** The inode of the log, and a checksum of samples of its first `shape.end` bytes. */
  readonly inode: string;
  readonly log: number;
  /** A checksum of the index's memory. */
  readonly memory: number;
}

/** Returns the path of the saved index of a log (FORMAT.md). */
const indexPath = (log: string): string => `${log}.index`;

/**
 * Returns the index of a log as it was last saved, or an empty one. A saved index lacks only the lines after its `end`.
 * It is a copy that saves time, so it is used only if it is complete, belongs to this very file, and the file still
 * begins with what was indexed. If `user` is given, it must own the copy as well.
 */
export function loadIndex(fd: number, path: string, user: LogUser | null): LogIndex {
  try {
    return savedIndex(fd, path, user) ?? new LogIndex(path);
  } catch {
    return new LogIndex(path);
  }
}

function savedIndex(logFd: number, path: string, user: LogUser | null): LogIndex | null {
  const fd = openSync(indexPath(path), 'r');
  try {
    if (user && fileFlaw(indexPath(path), fstatSync(fd), user.uid, 'writers')) return null;
    const header = Buffer.alloc(MAX_HEADER_BYTES);
    if (readSync(fd, header, 0, header.length, 0) < header.length) return null;
    const saved: SavedHeader = JSON.parse(header.toString('utf8'));
    if (saved.srqIndex !== VERSION || saved.endianness !== endianness()) return null;
    if (saved.inode !== inodeOf(logFd) || saved.log !== checksumOfLog(logFd, saved.shape.end)) return null;
    const index = new LogIndex(path, saved.shape);
    let position = header.length;
    let checksum = 0;
    for (const part of index.memory) {
      if (readSync(fd, part, 0, part.byteLength, position) < part.byteLength) return null;
      checksum = crc32(part, checksum);
      position += part.byteLength;
    }
    return checksum === saved.memory ? index : null;
  } finally {
    closeSync(fd);
  }
}

/**
 * Saves the index of a log beside it if the log has grown much since the index was loaded with `loadedEnd`. `run` is
 * part of the temporary file's name, because several processes may save at once. Errors are ignored, because without
 * the copy the log is read instead.
 */
export function saveIndex(index: LogIndex, logFd: number, path: string, loadedEnd: number, run: string): void {
  if (index.end - loadedEnd < SAVE_AFTER_BYTES) return;
  const target = indexPath(path);
  const draft = `${target}.${run}`;
  try {
    rmSync(draft, { force: true });
    const fd = openSync(draft, 'wx', 0o600);
    try {
      const header: SavedHeader = {
        srqIndex: VERSION,
        endianness: endianness(),
        shape: index.shape,
        inode: inodeOf(logFd),
        log: checksumOfLog(logFd, index.end),
        memory: index.memory.reduce((checksum, part) => crc32(part, checksum), 0),
      };
      writeFileSync(fd, `${JSON.stringify(header).padEnd(MAX_HEADER_BYTES - 1)}\n`);
      for (const part of index.memory) writeFileSync(fd, part);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, target);
  } catch {
    rmSync(draft, { force: true });
  }
}

function inodeOf(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}`;
}

/** Returns a checksum of samples of the first `end` bytes of a log. Throws if it has fewer. */
function checksumOfLog(fd: number, end: number): number {
  const length = Math.min(SAMPLE_BYTES, end);
  const tail = Math.min(TAIL_BYTES, end);
  const spread = Array.from({ length: SAMPLES }, (_, at) => Math.floor(((end - length) * at) / SAMPLES));
  const samples = [...spread.map((from) => ({ from, length })), { from: end - tail, length: tail }];
  return samples.reduce((checksum, { from, length }) => {
    const bytes = Buffer.alloc(length);
    if (readSync(fd, bytes, 0, length, from) < length) throw new RangeError('The log is shorter than it was.');
    return crc32(bytes, checksum);
  }, 0);
}
