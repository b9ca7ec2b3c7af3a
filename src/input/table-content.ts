import { SrqError } from '../request/errors.ts';
import { countKnownFields } from '../request/field-aliases.ts';
import type { ReadOptions, Row, Table } from '../request/table.ts';
import { csvRecords } from './csv-records.ts';
import { decodedText, type TextEncoding } from './decode.ts';
import { findDialect, linesBeforeHeader } from './dialect.ts';
import { type JsonKind, jsonColumns, jsonRows, MAX_COLUMNS, tooManyColumns } from './json-rows.ts';
import { textWithoutLineQuotes } from './line-quotes.ts';
import type { PartnerFile } from './partner-file.ts';
import { RowFit } from './row-fit.ts';
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
  const records = (onRead?: (bytes: number) => void) => {
    const text = decodedText(file, encoding.name, onRead);
    return csvRecords(dialect.hasLineQuotes ? textWithoutLineQuotes(text) : text, dialect);
  };
  const columns = await headerOf(records(), reading);
  if (columns.length > MAX_COLUMNS) throw tooManyColumns();
  const fit = new RowFit(columns, dialect.delimiter, dialect.sample);
  if (fit.note !== null) say(fit.note);
  return {
    format: 'csv',
    encoding: encoding.label,
    delimiter: dialect.delimiter,
    columns,
    rows: (onRead) => rowsOf(records(onRead), reading, columns, fit),
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
  const fit = new RowFit(columns, ',', []);
  return {
    format: 'xlsx',
    encoding: null,
    delimiter: null,
    columns,
    rows: (onRead) => {
      onRead(file.sizeBytes);
      return rowsOf(inOneBatch(), reading, columns, fit);
    },
  };
}
