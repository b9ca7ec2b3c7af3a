import { isLosslessNumber, parse } from 'lossless-json';
import { type Row, TEST_LEAD } from '../request/lead/table.ts';
import { SrqError } from '../request/words/errors.ts';
import type { TextEncoding } from './decode.ts';
import { LIST_NAMES } from './list-within.ts';
import { encodingProblem, undecodable } from './rows.ts';

/** Maximum number of columns of a file. A file with more is not a list of requests. */
export const MAX_COLUMNS = 5_000;

/** Returns true if a text begins as JSON does. */
export function looksLikeJson(sample: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*["{\][])/.test(sample);
}

/** Matches an object that only wraps a list, as in the answers of APIs: `{"data":[{…},…],"paging":…}`. */
const WRAPPED = new RegExp(`^\\s*\\{\\s*"(?:${LIST_NAMES.join('|')})"\\s*:\\s*\\[\\s*[{\\]]`);

/** Returns true if a text is an object that wraps a list. Only the list of such an object is read. */
export function isWrappedList(sample: string): boolean {
  return WRAPPED.test(sample);
}

/** The layout of a JSON file: one array or object, one value per line, or an object that wraps a list. */
export type JsonKind = 'json' | 'ndjson' | 'wrapped';

/**
 * Detects the layout of a JSON file. It is `wrapped` for an object that wraps a list, `ndjson` if the first line alone
 * is a value, and otherwise `json`, which is an array or one object over several lines.
 */
export function jsonKind(sample: string): JsonKind {
  if (isWrappedList(sample)) return 'wrapped';
  const trimmed = sample.trimStart();
  if (!trimmed.startsWith('{')) return 'json';
  try {
    parse(trimmed.split('\n', 1)[0] ?? '');
    return 'ndjson';
  } catch {
    return 'json';
  }
}

/** Reads the whole file and returns the names of all values in its objects, in the order of their first occurrence. */
export async function jsonColumns(texts: AsyncIterable<string>, kind: JsonKind): Promise<string[]> {
  const columns = new Set<string>();
  for await (const batch of valuesOf(texts, kind)) {
    for (const { text } of batch) {
      for (const name of flatObject(text).cells.keys()) columns.add(name);
    }
    if (columns.size > MAX_COLUMNS) throw tooManyColumns();
  }
  return [...columns];
}

/** Yields the objects as rows, in batches. An element that is not an object becomes a row with a problem. */
export async function* jsonRows(
  texts: AsyncIterable<string>,
  kind: JsonKind,
  columns: readonly string[],
  encoding: TextEncoding,
): AsyncGenerator<Row[]> {
  let number = 0;
  for await (const batch of valuesOf(texts, kind)) {
    const rows: Row[] = [];
    for (const { text, line } of batch) {
      number++;
      if (encoding.isWrong && encoding.unexplained?.test(text)) {
        if (rows.length > 0) yield rows;
        throw undecodable(`Row ${number} (line ${line})`, encoding);
      }
      const object = flatObject(text);
      const cells = columns.map((column) => object.cells.get(column) ?? '');
      const problem = object.problem ?? (encoding.unexplained && encodingProblem(cells, columns, encoding));
      rows.push({ number, line, cells, problem });
    }
    if (rows.length > 0) yield rows;
  }
}

/** Returns the error for a file with too many columns. */
export function tooManyColumns(): SrqError {
  return new SrqError(
    'file.too-large',
    `The file has more than ${MAX_COLUMNS} columns.`,
    'Export only the columns that describe the request.',
  );
}

function valuesOf(texts: AsyncIterable<string>, kind: JsonKind): AsyncGenerator<JsonText[]> {
  return kind === 'ndjson' ? jsonLines(texts) : jsonElements(texts, kind === 'wrapped');
}

interface FlatObject {
  /** The cells by column name. */
  readonly cells: ReadonlyMap<string, string>;
  /** The reason why it cannot be used, or null. */
  readonly problem: string | null;
}

/** Maximum depth of nesting. No request is nested deeper, and the limit bounds the recursion. */
const MAX_DEPTH = 20;

/** Names of values that are secrets of the exporting platform and must never leave the file. */
const SECRETS = new Set(['google_key']);

/**
 * Parses a JSON object and flattens it to cells. The names of nested values are joined by dots, and lists of plain
 * values by `, `. Numbers keep their exact text. The lists of answers that Meta (`field_data`) and Google
 * (`user_column_data`) export become cells, too.
 */
function flatObject(text: string): FlatObject {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const twice = error instanceof Error && error.message.startsWith('Duplicate key');
    return { cells: new Map(), problem: twice ? 'names a key twice with different values' : 'is not valid JSON' };
  }
  if (!isObject(value)) return { cells: new Map(), problem: 'is not a JSON object' };
  const flattener = new Flattener();
  flattener.add('', value, 0);
  const isTest = 'user_column_data' in value && value['is_test'] === true;
  return { cells: flattener.cells, problem: isTest ? TEST_LEAD : flattener.problem };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** Collects the cells of one object and the first problem found in it. */
class Flattener {
  readonly cells = new Map<string, string>();
  problem: string | null = null;

  add(name: string, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) this.problem ??= 'is nested too deeply';
    else if (isObject(value)) this.addObject(name, value, depth);
    else if (!Array.isArray(value)) this.set(name, plainText(value));
    else if (value.some((each) => isObject(each) || Array.isArray(each))) this.addList(name, value, depth);
    else this.set(name, value.map(plainText).join(', '));
  }

  private addObject(name: string, value: Record<string, unknown>, depth: number): void {
    for (const [key, each] of Object.entries(value)) {
      if (depth === 0 && SECRETS.has(key)) continue;
      if (depth === 0 && key === 'field_data' && Array.isArray(each)) this.addAnswers(each, 'name', 'values');
      else if (depth === 0 && key === 'user_column_data' && Array.isArray(each)) {
        this.addAnswers(each, 'column_id', 'string_value');
      } else this.add(name === '' ? key : `${name}.${key}`, each, depth + 1);
    }
  }

  private addList(name: string, values: readonly unknown[], depth: number): void {
    for (const [index, each] of values.entries()) this.add(`${name}.${index}`, each, depth + 1);
  }

  private addAnswers(answers: readonly unknown[], nameKey: string, valueKey: string): void {
    for (const answer of answers) {
      if (!isObject(answer) || typeof answer[nameKey] !== 'string') this.problem ??= 'has an answer without a name';
      else this.add(answer[nameKey], answer[valueKey] ?? '', 1);
    }
  }

  private set(name: string, text: string): void {
    const before = this.cells.get(name);
    if (before !== undefined && before !== text) this.problem ??= `has two values for "${name}"`;
    this.cells.set(name, text);
  }
}

function plainText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** The text of one JSON value of a file, not yet parsed. */
interface JsonText {
  readonly text: string;
  /** The line of the file where the record begins, counted from 1. */
  readonly line: number;
}

const MAX_VALUE = 1024 * 1024;

/** Yields one value per line and leaves out blank lines. Throws `SrqError('input')` for a line longer than 1 MiB. */
async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<JsonText[]> {
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
 * Yields the elements of a JSON array, or the values of a file that holds one after another, in batches. Only brackets
 * and quotes are examined. With `isWrapped`, the array begins at the first bracket, and what surrounds it is ignored.
 * Throws `SrqError('input')` if brackets or quotes do not match, after everything before has been yielded.
 */
async function* jsonElements(pieces: AsyncIterable<string>, isWrapped: boolean): AsyncGenerator<JsonText[]> {
  let [rest, line, count, isArray, isClosed] = ['', 1, 0, isWrapped, false];
  const skip = (length: number) => {
    const skipped = rest.slice(0, length);
    for (let at = skipped.indexOf('\n'); at >= 0; at = skipped.indexOf('\n', at + 1)) line++;
    rest = rest.slice(length);
  };
  const skipBlanks = () => skip(/[^ \t\r\n]|$/.exec(rest)?.index ?? 0);
  let isBegun = false;
  for await (const piece of pieces) {
    if (isWrapped && isClosed) continue;
    rest += piece;
    skipBlanks();
    if (!isBegun) {
      const bracket = rest.indexOf('[');
      if (isWrapped ? bracket < 0 : rest === '') continue;
      isArray ||= bracket === 0;
      if (isArray) skip(bracket + 1);
      isBegun = true;
    }
    const found: JsonText[] = [];
    let failure: SrqError | null = null;
    for (skipBlanks(); rest !== '' && !(isWrapped && isClosed); skipBlanks()) {
      const end = isClosed ? 0 : endOfValue(rest, isArray);
      const text = rest.slice(0, end < 0 ? rest.length : end).trim();
      if (isClosed) failure = textAfterArray(line);
      else if (text.length > MAX_VALUE) failure = tooLong(line);
      if (failure || end < 0) break;
      isClosed = isArray && /[\]}]/.test(rest.charAt(end));
      // Nothing before the bracket is the end of an empty array. Before a comma it is a missing element.
      if (text !== '' || !isClosed) found.push({ text, line });
      skip(isArray ? end + 1 : end);
    }
    count += found.length;
    if (found.length > 0) yield found;
    if (failure) throw failure;
  }
  if (isArray ? !isClosed : rest !== '') throw cutOff(isArray, count + 1, line);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_ARRAY, OPENING_OBJECT, CLOSING_ARRAY, CLOSING_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Returns the end of the value with which a text begins, or -1 if the text ends before it. In an array, a comma or the
 * bracket of the array follows the value.
 */
function endOfValue(text: string, isArray: boolean): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === OPENING_ARRAY || code === OPENING_OBJECT) depth++;
    else if (code === CLOSING_ARRAY || code === CLOSING_OBJECT) {
      if (isArray && depth === 0) return at;
      depth--;
      if (!isArray && depth === 0) return at + 1;
    } else if (code === COMMA && isArray && depth === 0) return at;
  }
  return -1;
}

/** Returns the index of the quote that ends a string, or the length of the text if none does. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

function cutOff(isArray: boolean, element: number, line: number): SrqError {
  return new SrqError(
    'json.unreadable',
    isArray
      ? `The JSON array is not closed: element ${element} (line ${line}) is cut off or has an unclosed quote or bracket.`
      : `The JSON value that begins at line ${line} is not closed.`,
    'Export the file again and check that it is complete.',
  );
}

function textAfterArray(line: number): SrqError {
  return new SrqError(
    'json.unreadable',
    `Text follows the JSON array (line ${line}).`,
    'Remove it, or put one value on each line: --format ndjson',
  );
}

function tooLong(line: number): SrqError {
  return new SrqError(
    'json.unreadable',
    `The JSON value that begins at line ${line} is longer than 1 MiB.`,
    'A request is a small object; give a list of them, or one on each line.',
  );
}
