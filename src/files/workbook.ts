import { zipSync } from 'fflate';
import { type CellValue, readSheet } from 'read-excel-file/universal';
import { nearest } from '../model/did-you-mean.ts';
import { SrqError } from '../model/errors.ts';
import type { CsvRecord } from './csv-records.ts';
import { notAWorkbook } from './file-kind.ts';
import type { PartnerFile } from './partner-file.ts';
import { requireBoundedSheet } from './sheet-bounds.ts';
import { openZip } from './zip-parts.ts';

/** Maximum sizes of a workbook, packed and unpacked. It is held in memory, because it cannot be read as a stream. */
const MAX_ARCHIVE_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 100 * 1024 * 1024;

/** One sheet of a workbook, held in memory. */
export interface Sheet {
  readonly name: string;
  /** The names of the workbook's other sheets. */
  readonly others: readonly string[];
  /** All rows in order, including empty rows and those above the header. */
  readonly records: readonly CsvRecord[];
}

/**
 * Reads one sheet of an `.xlsx` workbook: the one that is named, else the first visible one. Throws `SrqError('input')`
 * if the file is not such a workbook, is damaged, or is larger than a list of leads, and `SrqError('usage')` if there
 * is no such sheet.
 */
export async function readWorkbook(file: PartnerFile, wanted: string | null): Promise<Sheet> {
  const zip = await openZip(await archiveOf(file), file.path);
  requireWorkbook(zip.names, file.path);
  const parts = await zip.parts((name) => /\.(?:xml|rels)$/.test(name), MAX_UNPACKED_BYTES);
  for (const part of parts.values()) {
    requireBoundedSheet(part.toString('latin1'), file.path, () => damaged(file.path, 'a cell without a place'));
  }
  const sheets = sheetsOf(parts.get('xl/workbook.xml')?.toString('utf8') ?? '');
  const index = chosenSheet(sheets, wanted, file.path);
  // The parts are packed again, because the reader trusts the sizes that an archive states, and only these were checked.
  const bounded = zipSync(Object.fromEntries(parts), { level: 0 });
  const rows = await readSheet(new Blob([bounded]), index + 1, { trim: false, parseNumber: numberText }).catch(
    (error: unknown) => Promise.reject(damaged(file.path, error instanceof Error ? error.message : '', error)),
  );
  return {
    name: sheets[index]?.name ?? '',
    others: sheets.filter((_, at) => at !== index).map(({ name }) => name),
    records: rows.map((cells, at) => ({
      cells: cells.map(cellText),
      line: at + 1,
      afterEmptyLine: false,
      suspicion: null,
    })),
  };
}

async function archiveOf(file: PartnerFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    if (bytes > MAX_ARCHIVE_BYTES) {
      throw notAWorkbook(file.path, `a workbook of more than ${MAX_ARCHIVE_BYTES / 1024 / 1024} MiB`);
    }
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

function requireWorkbook(names: readonly string[], path: string): void {
  if (names.includes('xl/workbook.xml')) return;
  if (names.includes('xl/workbook.bin')) throw notAWorkbook(path, 'a binary Excel workbook (.xlsb)');
  if (names.includes('content.xml')) throw notAWorkbook(path, 'an OpenDocument spreadsheet (.ods)');
  throw notAWorkbook(path, 'a ZIP archive, but no workbook', 'Unpack it, and import the file that is in it.');
}

/** Reads the sheets in the order of the workbook's own list. */
function sheetsOf(xml: string): { name: string; hidden: boolean }[] {
  const tags = xml.match(/<(?:[\w-]+:)?sheet\s[^>]*>/g) ?? [];
  return tags.map((tag) => ({
    name: unescaped(/\sname\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(tag)?.slice(1).join('') ?? ''),
    hidden: /\sstate\s*=\s*["'](?:hidden|veryHidden)["']/.test(tag),
  }));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function chosenSheet(
  sheets: readonly { name: string; hidden: boolean }[],
  wanted: string | null,
  path: string,
): number {
  if (wanted === null) {
    return Math.max(
      0,
      sheets.findIndex(({ hidden }) => !hidden),
    );
  }
  const names = sheets.map(({ name }) => name);
  const same = names.findIndex((name) => name.trim().toLowerCase() === wanted.trim().toLowerCase());
  if (same >= 0) return same;
  const meant = nearest(wanted, names);
  throw new SrqError(
    'usage',
    `${path} has no sheet "${wanted}".${meant ? ` Did you mean "${meant}"?` : ''}`,
    `The sheets are: ${names.slice(0, 50).join(', ')}`,
  );
}

/**
 * Formats a number of a workbook. An integer beyond the safe range has lost digits, so it is written with an exponent,
 * which the checks of the fields find.
 */
function numberText(text: string): string {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) return number.toExponential().toUpperCase();
  return String(number);
}

/**
 * Formats a cell. Dates in a workbook have no zone; the reader returns them as UTC, a fraction of a millisecond too
 * early.
 */
function cellText(value: CellValue<string> | null): string {
  if (value === null) return '';
  if (!(value instanceof Date)) return String(value);
  const [day = '', time = ''] = new Date(Math.round(value.getTime() / 1000) * 1000).toISOString().split('T');
  return time === '00:00:00.000Z' ? day : `${day} ${time.slice(0, 8)}`;
}

function damaged(path: string, why: string, cause?: unknown): SrqError {
  const [, row, column] = /row (\d+), col (\d+)/.exec(why) ?? [];
  const where = row === undefined ? '' : ` (row ${row}, column ${column})`;
  return new SrqError(
    'input',
    `${path} is an Excel workbook that cannot be read${where}.`,
    'Open it in a spreadsheet and save it anew, as .xlsx or as CSV UTF-8.',
    cause,
  );
}
