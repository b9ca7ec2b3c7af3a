import { parse } from 'lossless-json';
import { SrqError } from '../model/errors.ts';
import type { Row } from '../model/table.ts';
import type { TextEncoding } from './decode.ts';
import { flatObject } from './json-object.ts';
import { type JsonText, jsonElements, jsonLines } from './json-values.ts';
import { undecodable } from './rows.ts';

/** More columns are no list of requests. */
export const MOST_COLUMNS = 5_000;

/** Whether a text begins as JSON does. */
export function looksLikeJson(sample: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*["{\][])/.test(sample);
}

/** An object that does nothing but carry a list, as APIs answer: `{"data":[{…},…],"paging":…}`. */
const WRAPPED = /^\s*\{\s*"(?:data|leads|results|rows|items|records|requests)"\s*:\s*\[\s*[{\]]/;

/** Whether a text is a list within an object: it is read from its list alone. */
export function isWrappedList(sample: string): boolean {
  return WRAPPED.test(sample);
}

/** How the values of a JSON file follow one another. */
export type JsonKind = 'json' | 'ndjson' | 'wrapped';

/**
 * `wrapped` for a list within an object; `ndjson` if the first line alone is a value; else `json`: an array, or one object
 * over several lines.
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

/** The names of all the objects' values, in the order in which they first appear. Reads the whole file. */
export async function jsonColumns(texts: AsyncIterable<string>, kind: JsonKind): Promise<string[]> {
  const columns = new Set<string>();
  for await (const batch of valuesOf(texts, kind)) {
    for (const { text } of batch) {
      for (const name of flatObject(text).cells.keys()) columns.add(name);
    }
    if (columns.size > MOST_COLUMNS) throw tooManyColumns();
  }
  return [...columns];
}

/** The objects as rows, in batches. An element that is no object is a row with a problem. */
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

/** The error for a header that no person has written. */
export function tooManyColumns(): SrqError {
  return new SrqError(
    'input',
    `The file has more than ${MOST_COLUMNS} columns.`,
    'Export only the columns that describe the request.',
  );
}

function valuesOf(texts: AsyncIterable<string>, kind: JsonKind): AsyncGenerator<JsonText[]> {
  return kind === 'ndjson' ? jsonLines(texts) : jsonElements(texts, kind === 'wrapped');
}
