import { SrqError } from '../request/errors.ts';
import { countKnownFields } from '../request/field-aliases.ts';
import type { ReadOptions, Row, Table } from '../request/table.ts';
import { csvRecords } from './csv-records.ts';
import { decodedText, type TextEncoding } from './decode.ts';
import { type JsonKind, jsonColumns, jsonRows, MAX_COLUMNS, tooManyColumns } from './json-rows.ts';
import type { PartnerFile } from './partner-file.ts';
import { headerOf, type RowReading, rowsOf } from './rows.ts';

/** The content of a file as a table: its columns, and its rows, which can be read more than once. */
export interface TableContent {
  readonly format: Table['format'];
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  /** Reads the rows. `onRead` receives the number of bytes read; see {@link PartnerFile}. */
  rows(onRead: (bytes: number) => void): AsyncIterable<Row[]>;
}

type Say = (note: string) => void;

/** Opens a CSV file as a table. `sample` is the beginning of its text. */
export async function openCsv(
  file: PartnerFile,
  encoding: TextEncoding,
  options: ReadOptions,
  sample: string,
  say: Say,
): Promise<TableContent> {
  const dialect = findDialect(sample, options, countKnownFields);
  for (const note of dialect.notes) say(note);
  const reading: RowReading = { encoding, say };
  const records = (onRead?: (bytes: number) => void) => csvRecords(decodedText(file, encoding.name, onRead), dialect);
  const columns = await headerOf(records(), reading);
  if (columns.length > MAX_COLUMNS) throw tooManyColumns();
  return {
    format: 'csv',
    encoding: encoding.label,
    delimiter: dialect.delimiter,
    columns,
    rows: (onRead) => rowsOf(records(onRead), reading, columns),
  };
}

export async function openJson(file: PartnerFile, encoding: TextEncoding, kind: JsonKind): Promise<TableContent> {
  const text = (onRead?: (bytes: number) => void) => decodedText(file, encoding.name, onRead);
  const columns = await jsonColumns(text(), kind);
  refuseListWithin(columns, file.path);
  return {
    format: kind === 'ndjson' ? 'ndjson' : 'json',
    encoding: encoding.label,
    delimiter: null,
    columns,
    rows: (onRead) => jsonRows(text(onRead), kind, columns, encoding),
  };
}

/** Throws `SrqError('input')` for an object without known fields but with a list: the list was probably meant. */
function refuseListWithin(columns: readonly string[], path: string): void {
  const list = columns.map((name) => /^(.+?)\.0\./.exec(name)?.[1]).find((name) => name !== undefined);
  if (list === undefined || countKnownFields(columns) > 0) return;
  throw new SrqError(
    'input',
    `${path} is a JSON object; the requests seem to be in its list "${list}".`,
    `Give that list alone: jq '.${list}' FILE | srq bulk -`,
  );
}

/** Opens one sheet of a workbook as a table. The rules for titles, footers and blank rows are those of CSV. */
export async function openWorkbook(file: PartnerFile, options: ReadOptions, say: Say): Promise<TableContent> {
  const { readWorkbook } = await import('./workbook.ts');
  const { name, others, records } = await readWorkbook(file, options.sheet);
  const more = others.length > 0 ? ` The others are left out (--sheet NAME): ${others.join(', ')}.` : '';
  say(`Read from the sheet "${name}".${more}`);
  const asked = records.slice(options.skipLines);
  const sample = asked.slice(0, 200).map(({ cells }) => ({ cells, lines: 1 }));
  const before = linesBeforeHeader(sample, options.skipLines);
  for (const note of before.notes) say(note);
  const reading: RowReading = { encoding: null, say };
  const inOneBatch = async function* () {
    yield records.slice(before.linesBeforeHeader);
  };
  const columns = await headerOf(inOneBatch(), reading);
  return {
    format: 'xlsx',
    encoding: null,
    delimiter: null,
    columns,
    rows: (onRead) => {
      onRead(file.sizeBytes);
      return rowsOf(inOneBatch(), reading, columns);
    },
  };
}

/** The delimiter of a CSV file and the position of its header. */
interface Dialect {
  readonly delimiter: string;
  /** The number of physical lines before the header: skipped on request, `sep=`, preamble, and blank lines. */
  readonly linesBeforeHeader: number;
  readonly notes: readonly string[];
}

/** A record of the sample. */
interface SampleRecord {
  readonly cells: readonly string[];
  /** The number of physical lines that the record takes. */
  readonly lines: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const NAMES: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', pipe: '|', '\\t': '\t' };

/**
 * A delimiter with at least this share of the best score is as likely as the best; then the known fields in the header
 * decide.
 */
const CLOSE_SCORE = 0.9;

/**
 * Returns the delimiter that the user named by one character or by `tab`, `comma`, `semicolon` or `pipe`. Throws
 * `SrqError('usage')` if the text cannot be a delimiter.
 */
function namedDelimiter(text: string): string {
  const delimiter = NAMES[text.toLowerCase()] ?? text;
  if ([...delimiter].length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new SrqError('usage', `"${text}" cannot be a delimiter.`, 'For example: --delimiter ";" or --delimiter tab');
}

/**
 * Detects the dialect of a CSV file from its first 64 Ki characters. `knownFields` counts the names of a header that
 * mean a known field.
 */
function findDialect(
  sample: string,
  options: { readonly delimiter: string | null; readonly skipLines: number },
  knownFields: (header: readonly string[]) => number,
): Dialect {
  const asked = sample.slice(endOfLines(sample, options.skipLines));
  const sep = /^(?:\uFEFF)?"?sep=(.)"?[;,\t]*(?:\r\n|\n|\r)/i.exec(asked);
  const body = sep ? asked.slice(sep[0].length) : asked;
  const declared = options.delimiter === null ? (sep?.[1] ?? null) : namedDelimiter(options.delimiter);
  const delimiter = declared ?? likeliestDelimiter(body, knownFields);
  const before = options.skipLines + (sep ? 1 : 0);
  return { delimiter, ...linesBeforeHeader(sampleRecords(body, delimiter), before) };
}

/**
 * Returns the number of lines before the header, with notes on them. `records` are those after the first `before`
 * lines.
 */
function linesBeforeHeader(
  records: readonly SampleRecord[],
  before: number,
): Pick<Dialect, 'linesBeforeHeader' | 'notes'> {
  const { lines, said } = preambleLines(records);
  const span = lines === 1 ? `line ${before + 1}` : `lines ${before + 1}–${before + lines}`;
  return { linesBeforeHeader: before + lines, notes: said ? [`Set aside before the header: ${span}.`] : [] };
}

/** Returns the index after the first `count` lines of a text. */
function endOfLines(text: string, count: number): number {
  const lineEnd = /\r\n|\n|\r/g;
  for (let line = 0; line < count; line++) if (!lineEnd.exec(text)) return text.length;
  return lineEnd.lastIndex;
}

function likeliestDelimiter(text: string, knownFields: (header: readonly string[]) => number): string {
  const scored = DELIMITERS.map((delimiter) => {
    const records = sampleRecords(text, delimiter);
    const header = records.find(({ cells }) => filled(cells) > 1)?.cells ?? [];
    return { delimiter, score: regularity(records, header.length), known: knownFields(header) };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  if (best === 0) return ',';
  const close = scored.filter(({ score }) => score >= best * CLOSE_SCORE);
  close.sort((a, b) => b.known - a.known || b.score - a.score);
  return close[0]?.delimiter ?? ',';
}

/**
 * Scores a delimiter: the share of the records that have the most frequent number of cells, times the logarithm of that
 * number. The score is 0 if the header has another number of cells.
 */
function regularity(records: readonly SampleRecord[], headerLength: number): number {
  const { length, share } = usualLength(records);
  return length > 1 && length === headerLength ? share * Math.log(length) : 0;
}

/** Returns the most frequent number of cells, and the share of the records that have it. Blank lines do not count. */
function usualLength(records: readonly SampleRecord[]): { length: number; share: number } {
  const counts = new Map<number, number>();
  const full = records.filter(({ cells }) => cells.length > 1 || cells[0] !== '');
  for (const { cells } of full) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [length, count] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  return { length, share: count / Math.max(1, full.length) };
}

const filled = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length;

/**
 * Counts the lines of titles and blanks above the header. In a table of several columns the header is the first record
 * with at least two filled cells.
 */
function preambleLines(records: readonly SampleRecord[]): { lines: number; said: boolean } {
  const minFilled = usualLength(records).length > 1 ? 2 : 1;
  const header = records.findIndex(({ cells }) => filled(cells) >= minFilled);
  const before = records.slice(0, Math.max(0, header));
  return {
    lines: before.reduce((sum, { lines }) => sum + lines, 0),
    said: before.some(({ cells }) => filled(cells) > 0),
  };
}

/**
 * Splits a sample into records. It leaves out a last record without a line end, which is probably cut, unless there are
 * fewer than two before it. A quote opens only at the beginning of a cell. Nothing is an error here.
 */
function sampleRecords(text: string, delimiter: string): SampleRecord[] {
  const records: SampleRecord[] = [];
  const quoted = /"([^"]*(?:""[^"]*)*)(?:"|$)/y;
  const plain = new RegExp(`[^\\r\\n${delimiter.replace(/[\\\]^-]/, '\\$&')}]*`, 'y');
  const lineEnd = /\r\n|\n|\r/y;
  let [cells, lines, position]: [string[], number, number] = [[], 1, 0];
  const taken = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    position += match?.[0].length ?? 0;
    return match;
  };
  while (position < text.length) {
    const inQuotes = taken(quoted)?.[1] ?? '';
    cells.push(inQuotes.replaceAll('""', '"') + (taken(plain)?.[0] ?? ''));
    lines += inQuotes.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (text.startsWith(delimiter, position)) {
      position += delimiter.length;
      if (position === text.length) cells.push('');
    } else if (taken(lineEnd)) {
      records.push({ cells, lines });
      [cells, lines] = [[], 1];
    }
  }
  if (cells.length > 0 && records.length < 2) records.push({ cells, lines });
  return records;
}
