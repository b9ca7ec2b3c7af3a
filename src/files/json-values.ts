import { SrqError } from '../model/errors.ts';

/** The text of one JSON value of a file, not yet parsed. */
export interface JsonText {
  readonly text: string;
  /** The line of the file where the record begins, counted from 1. */
  readonly line: number;
}

const MAX_VALUE = 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a];
const OPENING_ARRAY = 0x5b;
const OPENING = new Set([OPENING_ARRAY, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** One value a line; blank lines are left out. Throws `SrqError('input')` for a line longer than 1 MiB. */
export async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<JsonText[]> {
  let rest = '';
  let line = 1;
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_VALUE) throw tooLong(line + lines.length);
    const first = line;
    line += lines.length;
    yield lines.map((each, index) => ({ text: each.trim(), line: first + index })).filter((each) => each.text !== '');
  }
  if (rest.trim() !== '') yield [{ text: rest.trim(), line }];
}

/**
 * The elements of a JSON array, or the values of a file that holds one after another, in batches. Only brackets and
 * quotes are looked at. `wrapped`: the array begins at the first bracket, and what stands around it does not matter.
 * Throws `SrqError('input')` where they do not match, after everything before has been handed out.
 */
export async function* jsonElements(text: AsyncIterable<string>, wrapped = false): AsyncGenerator<JsonText[]> {
  const splitter = new ElementSplitter(wrapped);
  for await (const piece of text) {
    splitter.take(piece);
    yield* splitter.batches();
  }
  splitter.end();
  yield* splitter.batches();
}

class ElementSplitter {
  private found: JsonText[] = [];
  private failure: SrqError | null = null;
  private before = '';
  private line = 1;
  private startLine = 1;
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** `null` until the first letter shows whether an array surrounds the values. */
  private inArray: boolean | null = null;
  private closed = false;
  private started = false;
  private count = 0;
  private readonly wrapped: boolean;

  constructor(wrapped: boolean) {
    this.wrapped = wrapped;
  }

  take(piece: string): void {
    if (this.wrapped && this.closed) return;
    let start = 0;
    for (let index = 0; index < piece.length && !this.failure; index++) {
      const code = piece.charCodeAt(index);
      if (code === NEWLINE) this.line++;
      if (this.inString) this.inText(code);
      else if (BLANK.has(code)) continue;
      else if (this.wrapped && this.inArray === null && code !== OPENING_ARRAY) continue;
      else if (this.opensArray(code)) start = index + 1;
      else if (this.endsElement(code)) {
        // A comma or the array's own bracket is no part of the element; the bracket of an object in a sequence is.
        this.add(this.before + piece.slice(start, this.inArray ? index : index + 1));
        [this.before, start] = ['', index + 1];
        if (this.wrapped && this.closed) return;
      }
    }
    // What stands between two elements is blank and need not be kept.
    this.before = this.started ? this.before + piece.slice(start) : '';
    if (this.before.length > MAX_VALUE) this.failure ??= tooLong(this.startLine);
  }

  end(): void {
    if (this.inArray && !this.closed) {
      this.failure ??= new SrqError(
        'input',
        `The JSON array is not closed: element ${this.count + 1} (line ${this.startLine}) is cut off or has an unclosed quote or bracket.`,
        'Export the file again and check that it is complete.',
      );
    } else if (this.before.trim() !== '') {
      this.failure ??= new SrqError(
        'input',
        `The JSON value that begins at line ${this.startLine} is not closed.`,
        'Export the file again and check that it is complete.',
      );
    }
  }

  *batches(): Generator<JsonText[]> {
    const found = this.found;
    this.found = [];
    if (found.length > 0) yield found;
    if (this.failure) throw this.failure;
  }

  private inText(code: number): void {
    if (this.escaped) this.escaped = false;
    else if (code === BACKSLASH) this.escaped = true;
    else if (code === QUOTE) this.inString = false;
  }

  /** The first letter that is not blank decides; gives true for the bracket itself, which is no part of an element. */
  private opensArray(code: number): boolean {
    if (this.inArray !== null) return false;
    this.inArray = code === OPENING_ARRAY;
    if (this.inArray) this.depth = 1;
    return this.inArray;
  }

  /** Keeps the depth; tells whether an element ends with this letter, which is not blank. */
  private endsElement(code: number): boolean {
    if (this.closed) this.failure = textAfterArray(this.line);
    if (!this.started) this.startLine = this.line;
    this.started = true;
    if (code === QUOTE) this.inString = true;
    else if (OPENING.has(code)) this.depth++;
    else if (CLOSING.has(code)) {
      this.depth--;
      this.closed = this.inArray === true && this.depth === 0;
      return this.depth === 0;
    } else if (code === COMMA) return this.inArray === true && this.depth === 1;
    return false;
  }

  private add(text: string): void {
    const trimmed = text.trim();
    this.started = false;
    if (trimmed.length > MAX_VALUE) this.failure = tooLong(this.startLine);
    // Nothing stands before the bracket of an empty array; before a comma it is an element that is missing.
    else if (trimmed !== '' || !this.closed) {
      this.found.push({ text: trimmed, line: this.startLine });
      this.count++;
    }
  }
}

function textAfterArray(line: number): SrqError {
  return new SrqError(
    'input',
    `Text follows the JSON array (line ${line}).`,
    'Remove it, or give one value a line: --format ndjson',
  );
}

function tooLong(line: number): SrqError {
  return new SrqError(
    'input',
    `The JSON value that begins at line ${line} is longer than 1 MiB.`,
    'A request is a small object; give a list of them, or one a line.',
  );
}
