import type { FileHandle } from 'node:fs/promises';
import { SrqError } from '../../request/errors.ts';
import { KeyIndex, type KeyIndexShape } from '../../request/key-index.ts';
import type { LogRecord } from '../../request/ports.ts';
import { LOGGED_STATES, type LogEvent, type LoggedState, nextState } from '../../request/status.ts';
import { decodeRecord, isNewer, readLines } from './record.ts';
import { shellCommands } from './shell-commands.ts';

/** The properties of an index besides its memory. */
export interface LogIndexShape {
  readonly end: number;
  readonly lines: number;
  readonly keys: KeyIndexShape;
}

/** Number of values that a state can take in an entry of the index. */
const STATE_RANGE = 16;

/** Maps each key of a log to its state and to the offset of its last record, in at most 31.5 bytes per request. */
export class LogIndex {
  readonly #path: string;
  readonly #keys: KeyIndex;
  /** The value of each entry: offset × 16 + state. */
  readonly #values: NumberColumn;
  /** The offset after the last complete line that is indexed. */
  end = 0;
  lines = 0;

  /** If `shape` is given, the index has this shape, and the caller fills its memory. */
  constructor(path: string, shape: LogIndexShape | null = null) {
    this.#path = path;
    this.#keys = shape ? KeyIndex.ofShape(shape.keys) : new KeyIndex();
    this.#values = new NumberColumn(shape?.keys.size ?? 0);
    if (shape) ({ end: this.end, lines: this.lines } = shape);
  }

  get shape(): LogIndexShape {
    return { end: this.end, lines: this.lines, keys: this.#keys.shape };
  }

  /** The memory of the index, for copying it to another one of the same shape. */
  get memory(): readonly (Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>)[] {
    return [...this.#keys.memory, ...this.#values.chunks];
  }

  state(key: string): LoggedState {
    const entry = this.#keys.find(key);
    return entry < 0 ? 'none' : (LOGGED_STATES[this.#values.at(entry) % STATE_RANGE] ?? 'none');
  }

  offset(key: string): number | null {
    const number = this.number(key);
    return number < 0 ? null : this.offsetOf(number);
  }

  /**
   * Returns the number of a request, or -1 if there is none. Requests are numbered from 0 in the order of their first
   * records.
   */
  number(key: string): number {
    return this.#keys.find(key);
  }

  offsetOf(number: number): number {
    return Math.floor(this.#values.at(number) / STATE_RANGE);
  }

  set(key: string, event: LogEvent, by: LogRecord['by'], offset: number): void {
    const entry = this.#keys.findOrAdd(key);
    const before = LOGGED_STATES[this.#values.at(entry) % STATE_RANGE] ?? 'none';
    this.#values.set(entry, offset * STATE_RANGE + LOGGED_STATES.indexOf(nextState(before, event, by)));
  }

  /** Indexes the complete lines after `end`. Throws `SrqError('log')` if a line is not a record. */
  async catchUp(file: FileHandle): Promise<void> {
    const blocks = readLines(file, this.end);
    for (;;) {
      const { value, done } = await blocks.next();
      if (done) {
        this.end = value;
        return;
      }
      for (const line of value) {
        this.lines += 1;
        const record = decodeRecord(line.text);
        if (typeof record === 'string') throw damaged(this.#path, this.lines, record);
        this.set(record.key, record.event, record.by, line.offset);
      }
    }
  }
}

function damaged(path: string, line: number, reason: string): SrqError {
  const mend = isNewer(reason)
    ? 'It was written by a newer srq, it seems. Bring this one up to date: npm install --global srq@latest    Or look at it with:'
    : 'Restore it from a backup, or look at it with:';
  return new SrqError(
    'log.damaged',
    `The log ${path} is damaged: line ${line} cannot be read (${reason}). Nothing was sent.`,
    `${mend} ${shellCommands().showLine(path, line)}. A line that is certainly not a record may be deleted; without its records srq would send those rows again.`,
  );
}

const CHUNK_BITS = 12;
const CHUNK_NUMBERS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_NUMBERS - 1;

/**
 * A growing array of numbers, 8 bytes each. It consists of chunks, so that growing copies nothing. Numbers that were
 * never set are 0.
 */
class NumberColumn {
  readonly chunks: Float64Array<ArrayBuffer>[] = [];

  constructor(size: number) {
    while (this.chunks.length * CHUNK_NUMBERS < size) this.chunks.push(new Float64Array(CHUNK_NUMBERS));
  }

  at(index: number): number {
    return this.chunks[index >>> CHUNK_BITS]?.[index & CHUNK_MASK] ?? 0;
  }

  set(index: number, number: number): void {
    while (this.chunks.length <= index >>> CHUNK_BITS) this.chunks.push(new Float64Array(CHUNK_NUMBERS));
    const chunk = this.chunks[index >>> CHUNK_BITS];
    if (chunk) chunk[index & CHUNK_MASK] = number;
  }
}
