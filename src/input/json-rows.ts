import { isLosslessNumber, parse } from 'lossless-json';
import type { Row } from '../request/lead/table.ts';
import { SrqError } from '../request/words/errors.ts';
import type { TextEncoding } from './decode.ts';
import { LIST_NAMES } from './list-within.ts';
import { encodingProblem } from './rows.ts';

/** Maximum number of columns of a file. A file with more is not a list of requests. */
export const MAX_COLUMNS = 5_000;

/** Returns true if a text begins as JSON does. */
export function looksLikeJson(sample: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*["{\][])/.test(sample);
}

/** Matches an object that only wraps a list, as in the answers of APIs: `{"data":[{…},…],"paging":…}`. */
const WRAPPED = new RegExp(`^\\s*\\{\\s*"(${LIST_NAMES.join('|')})"\\s*:\\s*\\[\\s*[{\\]]`);

/** The layout of a JSON file: one value, which may be an array or wrap one, or one value per line. */
export type JsonKind = 'json' | 'ndjson';

/** Detects the layout of a JSON file. It is `ndjson` if the first line is an object of its own, and no list within one. */
export function jsonKind(sample: string): JsonKind {
  const isLine = /^\s*\{.*\}[ \t\r]*$/m.exec(sample)?.index === 0;
  return isLine && !WRAPPED.test(sample) ? 'ndjson' : 'json';
}

/** The objects of a file in batches, each time from the first one on. */
type JsonObjects = () => AsyncIterable<readonly FlatObject[]>;

/** Returns the objects of a file. Those of a list are held in memory, and those of lines are read again each time. */
export async function jsonObjects(texts: () => AsyncIterable<string>, kind: JsonKind): Promise<JsonObjects> {
  if (kind === 'ndjson') return () => objectsInLines(texts());
  const objects = valuesIn(await wholeText(texts())).map((value) => flatObject(value, null));
  return async function* () {
    for (let from = 0; from < objects.length; from += BATCH_VALUES) yield objects.slice(from, from + BATCH_VALUES);
  };
}

/** Returns the names of all values in the objects, in the order of their first occurrence. */
export async function jsonColumns(objects: JsonObjects): Promise<string[]> {
  const columns = new Set<string>();
  for await (const batch of objects()) {
    for (const { cells } of batch) for (const name of cells.keys()) columns.add(name);
    if (columns.size > MAX_COLUMNS) throw tooManyColumns();
  }
  return [...columns];
}

/** Yields the objects as rows, in batches. An element that is not an object becomes a row with a problem. */
export async function* jsonRows(
  objects: AsyncIterable<readonly FlatObject[]>,
  columns: readonly string[],
  encoding: TextEncoding,
): AsyncGenerator<Row[]> {
  let number = 0;
  for await (const batch of objects) {
    yield batch.map((object) => {
      const cells = columns.map((column) => object.cells.get(column) ?? '');
      const problem = object.problem ?? encodingProblem(cells, columns, encoding);
      return { number: ++number, line: object.line, cells, problem };
    });
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

interface FlatObject {
  /** The cells by column name. */
  readonly cells: ReadonlyMap<string, string>;
  /** The reason why it cannot be used, or null. */
  readonly problem: string | null;
  /** The line of the file where it begins, if each line is a value. */
  readonly line: number | null;
}

/** Maximum depth of nesting. No request is nested deeper, and the limit bounds the recursion. */
const MAX_DEPTH = 20;

/** Names of values that are secrets of the exporting platform and must never leave the file. */
const SECRETS = new Set(['google_key']);

/**
 * Flattens a JSON object to cells. The names of nested values are joined by dots, and lists of plain values by `, `.
 * Numbers keep their exact text. The lists of answers that Meta (`field_data`) and Google (`user_column_data`) export
 * become cells, too.
 */
function flatObject(value: unknown, line: number | null): FlatObject {
  if (!isObject(value)) return { cells: new Map(), problem: 'is not a JSON object', line };
  const flattener = new Flattener();
  flattener.add('', value, 0);
  return { cells: flattener.cells, problem: flattener.problem, line };
}

/** Parses and flattens one line of a file. */
function objectInLine(text: string, line: number): FlatObject {
  try {
    return flatObject(parse(text), line);
  } catch (error) {
    const twice = error instanceof Error && error.message.startsWith('Duplicate key');
    return { cells: new Map(), problem: twice ? 'names a key twice with different values' : 'is not valid JSON', line };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

const isNested = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.some((each) => isObject(each) || Array.isArray(each));

/** Collects the cells of one object and the first problem found in it. */
class Flattener {
  readonly cells = new Map<string, string>();
  problem: string | null = null;

  add(name: string, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) this.problem ??= 'is nested too deeply';
    else if (isObject(value) || isNested(value)) this.addMembers(name, value, depth);
    else this.set(name, Array.isArray(value) ? value.map(plainText).join(', ') : plainText(value));
  }

  private addMembers(name: string, value: object, depth: number): void {
    for (const [key, each] of Object.entries(value)) {
      if (depth === 0 && SECRETS.has(key)) continue;
      if (depth === 0 && key === 'field_data' && Array.isArray(each)) this.addAnswers(each, 'name', 'values');
      else if (depth === 0 && key === 'user_column_data' && Array.isArray(each)) {
        this.addAnswers(each, 'column_id', 'string_value');
      } else this.add(name === '' ? key : `${name}.${key}`, each, depth + 1);
    }
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

/** Maximum length of a line, and of a file that is read as a whole. */
const MAX_LINE = 1024 * 1024;
const MAX_TEXT = 20 * 1024 * 1024;
const BATCH_VALUES = 256;

/** Yields one value per line and leaves out blank lines. Throws `SrqError('input')` for a line longer than 1 MiB. */
async function* objectsInLines(texts: AsyncIterable<string>): AsyncGenerator<FlatObject[]> {
  let rest = '';
  let line = 0;
  for await (const piece of texts) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw tooLong(`Line ${line + lines.length + 1} of the file`, 'a line of 1 MiB');
    yield lines.flatMap((each) => (++line && each.trim() === '' ? [] : objectInLine(each, line)));
  }
  if (rest.trim() !== '') yield [objectInLine(rest, line + 1)];
}

async function wholeText(texts: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of texts) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_TEXT) throw tooLong('The file', '20 MiB, unless each line is a value');
  }
  return pieces.join('');
}

/** Returns the values of a list, or the one value that a file is. Throws `SrqError('input')` if it is not valid JSON. */
function valuesIn(text: string): readonly unknown[] {
  try {
    const value = parse(text);
    const name = WRAPPED.exec(text)?.[1];
    const list = isObject(value) && name !== undefined ? value[name] : value;
    return Array.isArray(list) ? list : [list];
  } catch (error) {
    const [, what, place] = /^(.*) at position (\d+)$/s.exec(error instanceof Error ? error.message : '') ?? [];
    const where = place ? `: ${what} in line ${text.slice(0, Number(place)).split('\n').length}` : '';
    throw new SrqError(
      'json.unreadable',
      `The file is not valid JSON${where}.`,
      'Export it again and check that it is complete. Of values one after another: jq -c . FILE > leads.ndjson',
      error,
    );
  }
}

function tooLong(what: string, most: string): SrqError {
  return new SrqError(
    'json.unreadable',
    `${what} is longer than JSON may be, ${most}.`,
    "Put one request on each line, for example: jq -c '.[]' FILE > leads.ndjson",
  );
}
