import { parse } from 'lossless-json';
import { SrqError } from '../model/errors.ts';
import type { Row } from '../model/table.ts';
import type { TextEncoding } from './decode.ts';
import { flatObject } from './json-object.ts';
import { type JsonText, jsonElements, jsonLines } from './json-values.ts';
import { undecodable } from './rows.ts';

/** Maximum number of columns of a file. A file with more is not a list of requests. */
export const MAX_COLUMNS = 5_000;

/** Returns true if a text begins like JSON. */
export function looksLikeJson(sample: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*["{\][])/.test(sample);
}

/** The pattern of an object that only wraps a list, as in the answers of APIs: `{"data":[{…},…],"paging":…}`. */
const WRAPPED = /^\s*\{\s*"(?:data|leads|results|rows|items|records|requests)"\s*:\s*\[\s*[{\]]/;

/** Returns true if a text is an object that wraps a list. Only the list of such an object is read. */
export function isWrappedList(sample: string): boolean {
  return WRAPPED.test(sample);
}

/** The layout of a JSON file: one array or object, one value a line, or an object that wraps a list. */
export type JsonKind = 'json' | 'ndjson' | 'wrapped';

/**
 * Detects the layout of a JSON file. It is `wrapped` for an object that wraps a list, `ndjson` if the first line alone
 * is a value, and else `json`: an array, or one object over several lines.
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

/** Reads the whole file and returns the names of all values in its objects, in the order of their first appearance. */
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
      if (encoding.damaged && text.includes('\uFFFD')) {
        if (rows.length > 0) yield rows;
        throw undecodable(`Row ${number} (line ${line})`, encoding);
      }
      const { cells, problem } = flatObject(text);
      rows.push({ number, line, cells: columns.map((column) => cells.get(column) ?? ''), problem });
    }
    if (rows.length > 0) yield rows;
  }
}

/** Returns the error for a file with more columns than a person would write. */
export function tooManyColumns(): SrqError {
  return new SrqError(
    'input',
    `The file has more than ${MAX_COLUMNS} columns.`,
    'Export only the columns that describe the request.',
  );
}

function valuesOf(texts: AsyncIterable<string>, kind: JsonKind): AsyncGenerator<JsonText[]> {
  return kind === 'ndjson' ? jsonLines(texts) : jsonElements(texts, kind === 'wrapped');
}
