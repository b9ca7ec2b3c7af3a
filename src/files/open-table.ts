import { extname } from 'node:path';
import { SrqError } from '../model/errors.ts';
import { undefuse } from '../model/spreadsheet-cell.ts';
import { RESULT_COLUMNS, type ReadOptions, type Row, type Table } from '../model/table.ts';
import { countKnownFields } from './aliases.ts';
import { decodedText, findEncoding, type TextEncoding } from './decode.ts';
import { findDialect } from './dialect.ts';
import { jsonColumns, jsonKind, jsonRows, looksLikeJson, MOST_COLUMNS, tooManyColumns } from './json-rows.ts';
import { openPartnerFile, type PartnerFile } from './partner-file.ts';
import { type CsvReading, csvHeader, csvRows } from './rows.ts';

const SAMPLE_LETTERS = 64 * 1024;

/** What a format adds to the table: its columns, and its rows from any text of the file. */
interface Content {
  readonly format: Table['format'];
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  rows(text: AsyncIterable<string>): AsyncIterable<Row[]>;
}

/**
 * Opens a partner's file: finds out format, encoding, delimiter and columns, reading it once or twice, in constant memory.
 * `name` is what messages call it.
 * Throws `SrqError('input')` for a file that cannot be read or holds no rows, `SrqError('usage')` for options that cannot be.
 */
export async function openTable(path: string, options: ReadOptions, name = path): Promise<Table> {
  const file = await openPartnerFile(path, name);
  const encoding = await findEncoding(file, options.encoding);
  const notes = new Notes(encoding.note);
  const sample = await sampleOf(file, encoding);
  if (sample.trim() === '')
    throw new SrqError('input', `${name} is empty.`, 'Export the file again and check its size.');
  const format = options.format ?? formatOf(path, sample);
  const open = format === 'csv' ? openCsv : openJson;
  const content = await open(file, encoding, { ...options, format }, sample, (note) => notes.say(note));
  sayColumns(content.columns, notes);
  const table = new FileTable(file, encoding, content, notes.all);
  await requireRows(table, name);
  return table;
}

/** Sentences for the plan, each said once. */
class Notes {
  readonly all: string[] = [];

  constructor(first: string | null) {
    if (first !== null) this.all.push(first);
  }

  say(note: string): void {
    if (!this.all.includes(note)) this.all.push(note);
  }
}

class FileTable implements Table {
  readonly path: string;
  readonly format: Table['format'];
  readonly encoding: string;
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  readonly notes: readonly string[];
  readonly sizeBytes: number;
  private readonly file: PartnerFile;
  private readonly codec: string;
  private readonly content: Content;
  private readonly testMark: number;
  private read = 0;

  constructor(file: PartnerFile, encoding: TextEncoding, content: Content, notes: readonly string[]) {
    this.path = file.path;
    this.sizeBytes = file.sizeBytes;
    this.format = content.format;
    this.encoding = encoding.label;
    this.delimiter = content.delimiter;
    this.notes = notes;
    this.file = file;
    this.codec = encoding.name;
    this.content = content;
    this.testMark = content.columns.indexOf('is_test');
    this.columns = isResultsFile(content.columns) ? content.columns.map(undefuse) : content.columns;
  }

  async *rows(): AsyncGenerator<readonly Row[]> {
    this.read = 0;
    const defused = isResultsFile(this.content.columns);
    const text = decodedText(this.file, this.codec, (bytes) => {
      this.read += bytes;
    });
    for await (const batch of this.content.rows(text)) {
      const rows = defused ? batch.map((row) => ({ ...row, cells: row.cells.map(undefuse) })) : batch;
      yield this.testMark < 0 ? rows : rows.map((row) => this.refuseTest(row));
    }
  }

  readBytes(): number {
    return this.read;
  }

  /** Google marks its test leads; the mark is a column when their results come back as CSV. */
  private refuseTest(row: Row): Row {
    const marked = /^(?:true|1|yes)$/i.test((row.cells[this.testMark] ?? '').trim());
    return marked && row.problem === null ? { ...row, problem: 'is a test lead: never sent' } : row;
  }
}

function formatOf(path: string, sample: string): Table['format'] {
  const ending = extname(path).toLowerCase();
  if (ending === '.ndjson' || ending === '.jsonl') return 'ndjson';
  return looksLikeJson(sample) || ending === '.json' ? jsonKind(sample) : 'csv';
}

async function openCsv(
  file: PartnerFile,
  encoding: TextEncoding,
  options: ReadOptions,
  sample: string,
  say: (note: string) => void,
): Promise<Content> {
  const dialect = findDialect(sample, options, countKnownFields);
  for (const note of dialect.notes) say(note);
  const reading: CsvReading = { dialect, encoding, say };
  const columns = await csvHeader(decodedText(file, encoding.name), reading);
  if (columns.length > MOST_COLUMNS) throw tooManyColumns();
  return {
    format: 'csv',
    delimiter: dialect.delimiter,
    columns,
    rows: (text) => csvRows(text, reading, columns),
  };
}

async function openJson(file: PartnerFile, encoding: TextEncoding, options: ReadOptions): Promise<Content> {
  const kind = options.format === 'ndjson' ? 'ndjson' : 'json';
  const columns = await jsonColumns(decodedText(file, encoding.name), kind);
  return { format: kind, delimiter: null, columns, rows: (text) => jsonRows(text, kind, columns, encoding) };
}

async function sampleOf(file: PartnerFile, encoding: TextEncoding): Promise<string> {
  let sample = '';
  for await (const text of decodedText(file, encoding.name)) {
    sample += text;
    if (sample.length >= SAMPLE_LETTERS) break;
  }
  return sample.slice(0, SAMPLE_LETTERS);
}

function sayColumns(columns: readonly string[], notes: Notes): void {
  const unnamed = columns.flatMap((name, index) => (name === '' ? [index + 1] : []));
  if (unnamed.length > 0) notes.say(`Without a name in the header, so ignored: column ${unnamed.join(', ')}.`);
  if (isResultsFile(columns)) notes.say(`A results file of srq: ${RESULT_COLUMNS.join(', ')} are set aside.`);
}

function isResultsFile(columns: readonly string[]): boolean {
  return RESULT_COLUMNS.every((name) => columns.includes(name));
}

async function requireRows(table: Table, path: string): Promise<void> {
  for await (const batch of table.rows()) if (batch.length > 0) return;
  throw new SrqError('input', `${path} has a header but no rows.`, 'Export the file again, with its data.');
}
