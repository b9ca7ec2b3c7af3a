import { buffer } from 'node:stream/consumers';
import { zipSync } from 'fflate';
import { type CellValue, readSheet } from 'read-excel-file/universal';
import { type Entry, fromBufferPromise } from 'yauzl';
import type { ReadOptions } from '../request/lead/table.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';
import type { CsvRecord } from './csv-records.ts';
import { linesBeforeHeader } from './dialect.ts';
import { looksLikeLead } from './header-search.ts';
import { MAX_COLUMNS, tooManyColumns } from './json-rows.ts';
import { attributeOf, showCells } from './number-formats.ts';
import { notAWorkbook, type PartnerFile } from './partner-file.ts';

/** Maximum sizes of a workbook, packed and unpacked. It is held in memory, because it cannot be read as a stream. */
const MAX_ARCHIVE_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 100 * 1024 * 1024;

/**
 * Reads one sheet of an `.xlsx` workbook into memory: the named one, or else the visible one with rows that look like leads. Throws
 * `SrqError('input')` if several have such rows, or if the file is not such a workbook, is damaged, or is larger than a list
 * of leads. Throws `SrqError('usage')` if there is no such sheet.
 */
export async function readWorkbook(
  file: PartnerFile,
  { sheet: wanted, skipLines }: Pick<ReadOptions, 'sheet' | 'skipLines'>,
) {
  const parts = await tablesIn(await archiveOf(file), file.path).catch((error: unknown) => {
    throw error instanceof SrqError ? error : damaged(file.path, DAMAGED_ARCHIVE, error);
  });
  for (const part of parts.values()) {
    requireShortPieces(part, file.path);
    requireBoundedSheet(part.toString('latin1'), file.path);
  }
  const sheets = sheetsOf(parts.get('xl/workbook.xml')?.toString('utf8') ?? '');
  const candidates = wanted === null ? visible(sheets) : [sheetNamed(sheets, wanted, file.path)];
  showCells(parts);
  // The parts are packed again, because the library trusts the sizes that an archive states, and only these parts were
  // checked.
  const bounded = new Blob([zipSync(Object.fromEntries(parts), { level: 0 })]);
  let [index, content] = [candidates[0] ?? 0, fromHeader([], 0)];
  // Only their names are kept: the records of a sheet may take much memory.
  const withLeads: string[] = [];
  for (const at of candidates) {
    const all = await recordsOf(bounded, at, file.path);
    const found = fromHeader(all, skipLines);
    const hasLeads = all.some(looksLikeLead);
    if (hasLeads) {
      const rows = found.records.slice(1).filter(({ cells }) => cells.some((cell) => cell.trim() !== '')).length;
      withLeads.push(`"${sheets[at]?.name ?? ''}" (${rows} ${rows === 1 ? 'row' : 'rows'})`);
    }
    if (hasLeads || at === index) [index, content] = [at, found];
  }
  if (withLeads.length > 1) {
    throw new SrqError(
      'sheet.unclear',
      `${file.path} has leads in several sheets: ${withLeads.join(', ')}.`,
      'Choose one: --sheet NAME. To import all of them, run the command for each.',
    );
  }
  return {
    name: sheets[index]?.name ?? '',
    /** Whether it is not the first one, because it alone has rows that look like leads. */
    isChosen: index !== candidates[0],
    /** The names of the workbook's other sheets. */
    others: sheets.filter((_, at) => at !== index).map(({ name }) => name),
    /** Number of rows of the workbook that are hidden, as by a filter. */
    hidden: hiddenRows(parts),
    ...content,
  };
}

/**
 * Returns the header and all rows below it in order, including empty rows, with notes on what stands above it. The rules are
 * those of CSV.
 */
function fromHeader(records: readonly CsvRecord[], skipLines: number) {
  const sample = records.slice(skipLines, skipLines + 200).map(({ cells }) => ({ cells, lines: 1 }));
  const { linesBeforeHeader: before, notes } = linesBeforeHeader(sample, skipLines);
  return { notes, records: records.slice(before) };
}

async function recordsOf(workbook: Blob, sheet: number, path: string): Promise<CsvRecord[]> {
  const rows = await readSheet(workbook, sheet + 1, { trim: false, parseNumber: numberText }).catch((error: unknown) =>
    Promise.reject(damagedSheet(path, error)),
  );
  return rows.map((cells, at) => ({
    cells: cells.map(cellText),
    line: at + 1,
    afterEmptyLine: false,
    suspicion: null,
  }));
}

/** Maximum number of sheets that are searched for leads. */
const MAX_SHEETS = 20;

function visible(sheets: readonly { hidden: boolean }[]): number[] {
  const shown = sheets.flatMap(({ hidden }, at) => (hidden ? [] : [at]));
  return shown.length > 0 ? shown.slice(0, MAX_SHEETS) : [0];
}

async function archiveOf(file: PartnerFile): Promise<Buffer> {
  if (file.sizeBytes > MAX_ARCHIVE_BYTES)
    throw notAWorkbook(file.path, `a workbook of more than ${MAX_ARCHIVE_BYTES / 1024 / 1024} MiB`);
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function requireWorkbook(names: readonly string[], path: string): void {
  if (names.includes('xl/workbook.xml')) return;
  if (names.includes('xl/workbook.bin')) throw notAWorkbook(path, 'a binary Excel workbook (.xlsb)');
  if (names.includes('content.xml')) throw notAWorkbook(path, 'an OpenDocument spreadsheet (.ods)');
  throw notAWorkbook(path, 'a ZIP archive, but no workbook', 'Unpack it, and import the file that is in it.');
}

function hiddenRows(parts: ReadonlyMap<string, Buffer>): number {
  const rows = [...parts.values()].flatMap((part) => part.toString('latin1').match(/<(?:[\w-]+:)?row\s[^<>]*>/g) ?? []);
  return rows.filter((row) => /\shidden\s*=\s*["'](?:1|true)["']/.test(row)).length;
}

/** Reads the sheets in the order of the workbook's own list. */
function sheetsOf(xml: string): { name: string; hidden: boolean }[] {
  const tags = xml.match(/<(?:[\w-]+:)?sheet\s[^<>]*>/g) ?? [];
  return tags.map((tag) => ({
    name: attributeOf(tag, 'name') ?? '',
    hidden: /\sstate\s*=\s*["'](?:hidden|veryHidden)["']/.test(tag),
  }));
}

function sheetNamed(sheets: readonly { name: string }[], wanted: string, path: string): number {
  const names = sheets.map(({ name }) => name);
  const same = names.findIndex((name) => name.trim().toLowerCase() === wanted.trim().toLowerCase());
  if (same >= 0) return same;
  const meant = nearest(wanted, names);
  throw new SrqError(
    'sheet.unknown',
    `${path} has no sheet "${wanted}".${meant ? ` Did you mean "${meant}"?` : ''}`,
    `The sheets are: ${names.slice(0, 50).join(', ')}`,
  );
}

/**
 * Formats a number of a workbook. An integer beyond the safe range has lost digits. It is written with an exponent,
 * which the checks of the fields recognise.
 */
function numberText(text: string): string {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) return number.toExponential().toUpperCase();
  return String(number);
}

/**
 * Formats a cell. Dates in a workbook have no zone. The library returns them as UTC, a fraction of a millisecond too
 * early.
 */
function cellText(value: CellValue<string> | null): string {
  if (value === null) return '';
  if (!(value instanceof Date)) return String(value);
  const [day = '', time = ''] = new Date(Math.round(value.getTime() / 1000) * 1000).toISOString().split('T');
  return time === '00:00:00.000Z' ? day : `${day} ${time.slice(0, 8)}`;
}

const SAVE_AGAIN = 'Open it in a spreadsheet and save it again, as .xlsx or as CSV UTF-8.';

const damaged = (path: string, what: string, cause?: unknown): SrqError =>
  new SrqError('file.damaged', `${path} is ${what}.`, SAVE_AGAIN, cause);

/** Returns the error of a sheet, with the place of the cell if the library names it. */
function damagedSheet(path: string, cause?: unknown): SrqError {
  const [, row, column] = /row (\d+), col (\d+)/.exec(cause instanceof Error ? cause.message : '') ?? [];
  const where = row === undefined ? '' : ` (row ${row}, column ${column})`;
  return damaged(path, `an Excel workbook that cannot be read${where}`, cause);
}

/** The parts that hold tables, without drawings, comments and the like. */
const READ_PART =
  /^(?:xl\/(?!(?:drawings|charts|chartsheets|theme|media|comments|threadedComments|persons|pivot\w*|externalLinks)).*|_rels\/.*|\[Content_Types\])\.(?:xml|rels)$/;

/** Maximum size of a tag, a comment or a text. A cell of a spreadsheet holds at most 32,767 characters. */
const MAX_PIECE = 64 * 1024;

/**
 * Throws `SrqError('input')` if a tag, a comment or a text is too long. The library parses an unfinished one again with
 * each chunk, so that a file of 3 KB could keep it busy for minutes.
 */
function requireShortPieces(xml: Buffer, path: string): void {
  for (let at = 0; at < xml.length; ) {
    const open = xml.indexOf('<', at);
    const end = open < 0 ? xml.length : open;
    const close =
      open < 0 ? end : xml.indexOf(xml.subarray(open, open + 4).toString('latin1') === '<!--' ? '-->' : '>', open);
    if (end - at > MAX_PIECE || (close < 0 ? xml.length : close) - end > MAX_PIECE) {
      throw new SrqError(
        'file.too-large',
        `${path} holds a text or a tag of more than ${MAX_PIECE / 1024} KiB, which no cell of a spreadsheet has.`,
        SAVE_AGAIN,
      );
    }
    if (close < 0) return;
    at = close + 1;
  }
}

/** Maximum numbers of rows and cells of a sheet, so that they fit into memory. A longer list must be a CSV file. */
const MAX_ROWS = 100_000;
const MAX_CELLS = 5_000_000;

/** Matches the tag of a row or a cell with its attributes. XML allows `>` within their quotes. */
const TAG = /<(?:[\w-]+:)?(?:row|c)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g;
const ANY_TAG = /<(?:[\w-]+:)?(?:row|c)(?=[\s/>])/g;
const PLACE = /\s(?:[\w-]+:)?r\s*=\s*["']([^"']*)["']/g;

/**
 * Throws `SrqError('input')` if the cells of a sheet claim positions too far out. The library fills every gap before a
 * cell, so a kilobyte of XML could take gigabytes of memory.
 */
function requireBoundedSheet(xml: string, path: string): void {
  let [rows, columns, tags] = [0, 0, 0];
  for (const [, attributes = ''] of xml.matchAll(TAG)) {
    tags++;
    for (const [, place = ''] of attributes.matchAll(PLACE)) {
      const [, letters = '', digits = ''] = /^([A-Z]{0,3})(\d{1,7})$/.exec(place) ?? [];
      if (digits === '') throw damagedSheet(path);
      rows = Math.max(rows, Number(digits));
      columns = Math.max(columns, columnNumber(letters));
    }
  }
  for (const _ of xml.matchAll(ANY_TAG)) tags--;
  if (tags !== 0) throw damagedSheet(path);
  if (columns > MAX_COLUMNS) throw tooManyColumns();
  // The margin of 100 rows is for the header and the titles above it.
  if (rows > MAX_ROWS + 100 || rows * columns > MAX_CELLS) {
    throw new SrqError(
      'file.too-large',
      `The sheet of ${path} reaches to row ${rows}, column ${columns}; at most ${MAX_ROWS} rows and ${MAX_CELLS} cells of a workbook are read.`,
      'Delete what is beside or below the data, or save the sheet as CSV UTF-8 and import that: it may have any size.',
    );
  }
}

/** Returns the number of a column by its letters: A is 1, Z is 26, AA is 27. */
function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}

const MAX_ENTRIES = 10_000;
const DAMAGED_ARCHIVE = 'a damaged ZIP archive or workbook';

/**
 * Unpacks the parts of a workbook that hold tables, by name. Their total size may be at most 100 MiB. It is checked in the
 * directory of the archive first and again while unpacking, because the directory may be wrong. Throws
 * `SrqError('input')` for larger parts and for an archive that is no workbook. Any other error is damage.
 */
async function tablesIn(archive: Buffer, path: string): Promise<Map<string, Buffer>> {
  // Names are compared and never used as paths, so the library need not refuse unsafe ones.
  const zip = await fromBufferPromise(archive, { decodeStrings: false });
  if (zip.entryCount > MAX_ENTRIES) throw damaged(path, DAMAGED_ARCHIVE);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  requireWorkbook(entries.map(nameOf), path);
  const chosen = entries.filter((entry) => READ_PART.test(nameOf(entry)));
  const promised = chosen.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (promised > MAX_UNPACKED_BYTES) {
    throw new SrqError(
      'file.too-large',
      `${path} unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB.`,
      'A workbook is held in memory, so its size is limited. Save the sheet as CSV UTF-8 and import that: it may have any size.',
    );
  }
  const parts = new Map<string, Buffer>();
  for (const entry of chosen) {
    if (parts.has(nameOf(entry))) throw damaged(path, DAMAGED_ARCHIVE);
    // The stream reports an error if a part has another size than the directory states.
    parts.set(nameOf(entry), await buffer(await zip.openReadStreamPromise(entry)));
  }
  return parts;
}

function nameOf({ fileNameRaw }: Entry): string {
  return fileNameRaw.toString('utf8');
}
