import { extname } from 'node:path';
import { headerForm } from '../request/lead/field-aliases.ts';
import {
  type ReadOptions,
  type Row,
  resultColumnOf,
  statesOutcomes,
  type Table,
  TEST_LEAD,
} from '../request/lead/table.ts';
import { unescapeFormulas } from '../request/words/csv-text.ts';
import { SrqError } from '../request/words/errors.ts';
import { type CsvRecord, csvRecords } from './csv-records.ts';
import { decodedText, findEncoding, requireSavedOnce, type TextEncoding } from './decode.ts';
import { type Dialect, findDialect } from './dialect.ts';
import { isContact } from './header-search.ts';
import {
  type JsonKind,
  jsonColumns,
  jsonKind,
  jsonObjects,
  jsonRows,
  looksLikeJson,
  MAX_COLUMNS,
  tooManyColumns,
} from './json-rows.ts';
import { refuseListWithin } from './list-within.ts';
import { firstChunk, kindOf, openPartnerFile, type PartnerFile } from './partner-file.ts';
import { headerOf, rowFit, rowRestorer, rowsOf } from './rows.ts';

/** The part of a file that its form is recognised by: so many characters, or so many lines if they are shorter. */
const SAMPLE_LETTERS = 64 * 1024;
const SAMPLE_LINES = /^(?:[^\n]*\n){200}/;

/**
 * Opens a partner's file and detects its kind, format, encoding, delimiter and columns. It reads the file once or twice
 * in constant memory. Only a workbook is held in memory, and its size is bounded. Messages call the file `name`. Throws
 * `SrqError('input')` if the file cannot be read or has no rows, and `SrqError('usage')` if an option cannot apply.
 */
export async function openTable(path: string, options: ReadOptions, name = path): Promise<Table> {
  const notes: string[] = [];
  const say = (note: string) => {
    if (!notes.includes(note)) notes.push(note);
  };
  const file = await openPartnerFile(path, name);
  const kind = kindOf(name, await firstChunk(file));
  const content = kind === 'zip' ? await openWorkbook(file, options, say) : await openText(path, file, options, say);
  if (content.format === 'csv' || content.format === 'xlsx') requireHeader(content.columns, name);
  sayColumns(content.columns, say);
  const table = tableOf(file, content, notes);
  await requireRows(table, name);
  return table;
}

async function openText(path: string, file: PartnerFile, options: ReadOptions, say: Say): Promise<TableContent> {
  if (options.sheet !== null) {
    throw new SrqError('sheet.unknown', `${file.path} is not a workbook, so it has no sheets.`, 'Leave --sheet out.');
  }
  const encoding = await findEncoding(file, options.encoding);
  if (encoding.note !== null) say(encoding.note);
  const sample = await sampleOf(file, encoding);
  if (sample.trim() === '') {
    throw new SrqError('file.no-rows', `${file.path} is empty.`, 'Export the file again and check its size.');
  }
  const format = options.format ?? formatOf(path, sample);
  if (format === 'csv') return openCsv(file, encoding, options, sample, say);
  return openJson(file, encoding, format);
}

/** Returns the content of a file as a table. The rows of a results file are restored, and test leads are refused. */
function tableOf({ path }: PartnerFile, content: TableContent, notes: readonly string[]): Table {
  const isResults = statesOutcomes(content);
  const columns = isResults ? content.columns.map(unescapeFormulas) : content.columns;
  const restored = isResults ? rowRestorer(columns) : null;
  // Google marks its test leads.
  const testMark = columns.findIndex((name) => headerForm(name) === 'is_test');
  const isTest = ({ cells }: Row) => /^(?:true|1|yes)$/i.test((cells[testMark] ?? '').trim());
  const refused = (row: Row) => (row.problem === null && isTest(row) ? { ...row, problem: TEST_LEAD } : row);
  return {
    ...{ ...content, path, columns, notes },
    async *rows() {
      for await (const batch of content.rows()) {
        const back = restored ? batch.map(restored) : batch;
        yield testMark < 0 ? back : back.map(refused);
      }
    },
  };
}

function formatOf(path: string, sample: string): 'csv' | JsonKind {
  const ending = extname(path).toLowerCase();
  if (ending === '.ndjson' || ending === '.jsonl') return 'ndjson';
  return looksLikeJson(sample) || ending === '.json' ? jsonKind(sample) : 'csv';
}

async function sampleOf(file: PartnerFile, encoding: TextEncoding): Promise<string> {
  let sample = '';
  for await (const text of decodedText(file, encoding.name)) {
    sample += text;
    const [lines] = SAMPLE_LINES.exec(sample) ?? [];
    if (lines !== undefined || sample.length >= SAMPLE_LETTERS) return (lines ?? sample).slice(0, SAMPLE_LETTERS);
  }
  // The last line of a short file is complete, while that of a sample is probably cut.
  return `${sample}\n`;
}

/**
 * Throws `SrqError('input')` if the first line is a lead instead of column names, because it contains an e-mail address
 * or a telephone number. If it were taken for the header, that lead would be lost and no column would be understood.
 */
function requireHeader(columns: readonly string[], file: string): void {
  const at = columns.findIndex((name) => isContact(name) && /@|^\+|^00/.test(name));
  if (at < 0) return;
  const what = columns[at]?.includes('@') ? 'an e-mail address' : 'a telephone number';
  throw new SrqError(
    'file.no-header',
    `${file} has no header: column ${at + 1} of its first line holds ${what}. Nothing was sent.`,
    'Put a line above it that names the columns, for example: ref,fullname,phone,email,postal_code,city,request_text. --skip-lines N leaves out lines above the header.',
  );
}

function sayColumns(columns: readonly string[], say: Say): void {
  const unnamed = columns.flatMap((name, index) => (name === '' ? [index + 1] : []));
  if (unnamed.length > 0) say(`Without a name in the header: column ${unnamed.join(', ')}.`);
  if (!statesOutcomes({ columns })) return;
  const own = columns.filter((name) => resultColumnOf(name) !== null);
  say(`A results file of srq: ${own.join(', ')} are set aside. What it calls created or duplicate is not sent.`);
}

async function requireRows(table: Table, path: string): Promise<void> {
  for await (const batch of table.rows()) if (batch.length > 0) return;
  const what = table.format === 'json' || table.format === 'ndjson' ? 'holds no rows' : 'has a header but no rows';
  throw new SrqError('file.no-rows', `${path} ${what}.`, 'Export the file again, with its data.');
}

/** The content of a file as a table. */
type TableContent = Omit<Table, 'path' | 'notes'>;

type Say = (note: string) => void;

/** Opens a CSV file as a table. `sample` is the beginning of its text. */
async function openCsv(
  file: PartnerFile,
  encoding: TextEncoding,
  options: ReadOptions,
  sample: string,
  say: Say,
): Promise<TableContent> {
  const dialect = findDialect(sample, options);
  for (const note of dialect.notes) say(note);
  // The splitter decodes UTF-8 itself, cell by cell.
  const records = () =>
    csvRecords(encoding.name === 'utf-8' ? file.chunks() : decodedText(file, encoding.name), dialect);
  const content = await contentOf(records, dialect, encoding, say);
  if (options.encoding === null) requireSavedOnce(file.path, content.columns);
  return { format: 'csv', encoding: encoding.label, delimiter: dialect.delimiter, ...content };
}

/** Returns what records say: the columns and the rows. */
async function contentOf(
  records: () => AsyncIterable<CsvRecord[]>,
  { delimiter, sample }: Pick<Dialect, 'delimiter' | 'sample'>,
  encoding: TextEncoding | null,
  say: Say,
): Promise<Pick<TableContent, 'columns' | 'rows'>> {
  const columns = await headerOf(records(), encoding);
  if (columns.length > MAX_COLUMNS) throw tooManyColumns();
  const fit = rowFit(columns, delimiter, sample);
  if (fit.note !== null) say(fit.note);
  return { columns, rows: () => rowsOf(records(), columns, fit, encoding, say) };
}

async function openJson(file: PartnerFile, encoding: TextEncoding, format: JsonKind): Promise<TableContent> {
  const objects = await jsonObjects(() => decodedText(file, encoding.name), format);
  const columns = await jsonColumns(objects);
  refuseListWithin(columns, file.path);
  return {
    format,
    encoding: encoding.label,
    delimiter: null,
    columns,
    rows: () => jsonRows(objects(), columns, encoding),
  };
}

/** Opens one sheet of a workbook as a table. The rules for titles, footers and blank rows are those of CSV. */
async function openWorkbook(file: PartnerFile, options: ReadOptions, say: Say): Promise<TableContent> {
  const { readWorkbook } = await import('./workbook.ts');
  const { name, isChosen, others, hidden, notes, records } = await readWorkbook(file, options);
  const more = others.length > 0 ? ` The others are left out (--sheet NAME): ${others.join(', ')}.` : '';
  const why = isChosen ? ', the only one with rows that look like leads' : '';
  say(`Read from the sheet "${name}"${why}.${more}`);
  if (hidden > 0)
    say(`Hidden rows of the workbook are read like all others, also those that a filter hides: ${hidden}.`);
  for (const note of notes) say(note);
  const inOneBatch = async function* () {
    yield [...records];
  };
  const content = await contentOf(inOneBatch, { delimiter: ',', sample: [] }, null, say);
  return { format: 'xlsx', encoding: null, delimiter: null, ...content };
}
