import { constants, fstatSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { KeyIndex } from '../../request/log/key-index.ts';
import { fileFlaw } from '../../request/log/ownership.ts';
import { LOGGED_STATES, type LogEvent, type LoggedState, nextState } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type LogUser, withBeside } from './log-access.ts';
import { decodeRecord, isNewer, readLines, readRecordAt } from './record.ts';

/** Number of values that a state can take in an entry of the index. */
const STATE_RANGE = 16;
const FIRST_VALUES = 1024;
const GROWTH = 1.5;

/** Maps each key of a log to its state and to the offset of its last record, in at most 35.5 bytes per request. */
export class LogIndex {
  readonly #path: string;
  readonly #keys: KeyIndex;
  /** The value of each entry: offset × 16 + state. */
  #values: Float64Array<ArrayBuffer>;
  /** The offset after the last complete line that is indexed. */
  end = 0;
  lines = 0;

  /** If `shape` is given, the index has this shape, and the caller fills its memory. */
  constructor(path: string, shape: LogIndex['shape'] | null = null) {
    this.#path = path;
    this.#keys = shape ? KeyIndex.ofShape(shape.keys) : new KeyIndex();
    this.#values = new Float64Array(shape?.keys.size ?? FIRST_VALUES);
    if (shape) ({ end: this.end, lines: this.lines } = shape);
  }

  /** The properties of the index besides its memory. */
  get shape() {
    return { end: this.end, lines: this.lines, keys: this.#keys.shape };
  }

  /** The memory of the index, for copying it to another one of the same shape. */
  get memory(): readonly (Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>)[] {
    return [...this.#keys.memory, this.#values.subarray(0, this.#keys.size)];
  }

  state(key: string): LoggedState {
    const number = this.number(key);
    return number < 0 ? 'none' : this.#stateOf(number);
  }

  /**
   * Returns the number of a request, or -1 if there is none. Requests are numbered from 0 in the order of their first
   * records.
   */
  number(key: string): number {
    return this.#keys.find(key);
  }

  offsetOf(number: number): number {
    return Math.floor((this.#values[number] ?? 0) / STATE_RANGE);
  }

  set(key: string, event: LogEvent, by: LogRecord['by'], offset: number): void {
    const entry = this.#keys.findOrAdd(key);
    if (entry >= this.#values.length) {
      const grown = new Float64Array(Math.ceil((entry + 1) * GROWTH));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[entry] = offset * STATE_RANGE + LOGGED_STATES.indexOf(nextState(this.#stateOf(entry), event, by));
  }

  #stateOf(entry: number): LoggedState {
    return LOGGED_STATES[(this.#values[entry] ?? 0) % STATE_RANGE] ?? 'none';
  }

  /** Indexes the complete lines after `end`. Throws `SrqError('log')` if a line is not a record. */
  async catchUp(file: FileHandle): Promise<void> {
    for await (const lines of readLines(file, this.end)) {
      for (const { text, offset, end } of lines) {
        this.lines += 1;
        const record = decodeRecord(text);
        if (typeof record === 'string') throw damaged(this.#path, this.lines, record);
        this.set(record.key, record.event, record.by, offset);
        this.end = end;
      }
    }
  }
}

const RESOLVED = Promise.resolve();

/** Looks up keys in a log that is open and indexed. */
export function indexView(index: LogIndex, fd: number) {
  return {
    lookup: (key: string) => index.state(key),
    /** Does nothing, because the index holds all keys. */
    prefetch: () => RESOLVED,
    read: (key: string) => {
      const number = index.number(key);
      return number < 0 ? null : readRecordAt(fd, index.offsetOf(number));
    },
  };
}

function damaged(path: string, line: number, reason: string): SrqError {
  const mend = isNewer(reason)
    ? 'It was written by a newer srq, it seems. Bring this one up to date: npm install --global srq@latest    '
    : 'Restore it from a backup, or look at that line. ';
  const what = line === 1 ? `${path} is not a log of srq, or it is damaged` : `The log ${path} is damaged`;
  return new SrqError(
    'log.damaged',
    `${what}: line ${line} cannot be read (${reason}). Nothing was sent.`,
    `${mend}Delete the line only if it is certainly not a record: without a record, srq would send its row again.`,
  );
}

/** Growth of a log after which its index is saved again. A process that opens the log reads at most this much of it. */
const SAVE_AFTER_BYTES = 8 << 20;
const MAX_HEADER_BYTES = 1 << 14;
/** The end of what was indexed, as much of it as is compared. A line that was added or deleted before moves it. */
const TAIL_BYTES = 64 << 10;
/** The form of a saved index: its version, the order of bytes, and the states by the numbers that stand for them in it. */
const FORM = [2, endianness(), ...LOGGED_STATES].join(' ');

/** The first line of a saved index. It is padded with blanks, so that the memory after it begins at a fixed offset. */
interface SavedHeader {
  readonly form: string;
  readonly shape: LogIndex['shape'];
  /** Identifies the file and its bytes at the end of what was indexed. */
  readonly log: string;
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
    const saved = withBeside(indexPath(path), constants.O_RDONLY, (from) => savedIndex(from, fd, path, user));
    return saved ?? new LogIndex(path);
  } catch {
    return new LogIndex(path);
  }
}

function savedIndex(fd: number, logFd: number, path: string, user: LogUser | null): LogIndex | null {
  if (user && fileFlaw(indexPath(path), fstatSync(fd), user.uid, 'writers')) return null;
  const header = Buffer.alloc(MAX_HEADER_BYTES);
  readSync(fd, header);
  const { form, shape, log, memory }: SavedHeader = JSON.parse(header.toString('utf8'));
  if (form !== FORM || log !== identityOf(logFd, shape.end)) return null;
  const index = new LogIndex(path, shape);
  for (const part of index.memory) if (readSync(fd, part) < part.byteLength) return null;
  return checksumOf(index) === memory ? index : null;
}

/**
 * Saves the index of a log beside it if the log has grown much since the index was loaded with `loadedEnd`. `run` is
 * part of the temporary file's name, because several processes may save at once. Errors are ignored, because without
 * the copy the log is read instead.
 */
export function saveIndex(index: LogIndex, logFd: number, path: string, loadedEnd: number, run: string): void {
  if (index.end - loadedEnd < SAVE_AFTER_BYTES) return;
  const draft = `${indexPath(path)}.${run}`;
  try {
    rmSync(draft, { force: true });
    const log = identityOf(logFd, index.end);
    const header: SavedHeader = { form: FORM, shape: index.shape, log, memory: checksumOf(index) };
    withBeside(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, (fd) => {
      writeFileSync(fd, `${JSON.stringify(header).padEnd(MAX_HEADER_BYTES - 1)}\n`);
      for (const part of index.memory) writeFileSync(fd, part);
    });
    renameSync(draft, indexPath(path));
  } catch {
    rmSync(draft, { force: true });
  }
}

const checksumOf = ({ memory }: LogIndex) => memory.reduce((checksum, part) => crc32(part, checksum), 0);

/** Identifies the first `end` bytes of a log. Throws if it has fewer. */
function identityOf(fd: number, end: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, end));
  if (readSync(fd, tail, 0, tail.length, end - tail.length) < tail.length) throw new RangeError('The log is shorter.');
  return `${dev}:${ino}:${crc32(tail)}`;
}
