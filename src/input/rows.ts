import { SrqError } from '../request/errors.ts';
import type { Row } from '../request/table.ts';
import type { CsvRecord } from './csv-records.ts';
import type { TextEncoding } from './decode.ts';

/** The context in which the records of a file are read. */
export interface RowReading {
  /** The encoding of the file, or null if its cells are not decoded from bytes. */
  readonly encoding: TextEncoding | null;
  /** Adds a note on something that only reading shows. To add a note twice is harmless. */
  readonly say: (note: string) => void;
}

const BATCH_ROWS = 256;

/** Maximum number of rows of a report's footer, which holds totals, a confidentiality line or a copyright. */
const MAX_FOOTER_ROWS = 20;

/** Reads the names of the columns, without the blanks around them. Throws `SrqError('input')` if there is no header. */
export async function headerOf(records: AsyncIterable<CsvRecord[]>, reading: RowReading): Promise<string[]> {
  for await (const batch of records) {
    const header = batch[0];
    if (!header) continue;
    refuseUndecodable(header, reading.encoding, 'The header');
    return header.cells.map((name) => name.trim());
  }
  throw new SrqError('input', 'The file has no header.', 'The first line has to name the columns.');
}

/**
 * Yields the data rows of a file in batches, given its records from the header on. It leaves out blank rows and a report's
 * footer. A ragged row has a problem.
 */
export async function* rowsOf(
  records: AsyncIterable<CsvRecord[]>,
  reading: RowReading,
  columns: readonly string[],
): AsyncGenerator<Row[]> {
  const shaper = new RowShaper(reading, columns);
  let atHeader = true;
  for await (const batch of records) {
    for (let from = atHeader ? 1 : 0; from < batch.length; from += BATCH_ROWS) {
      const rows: Row[] = [];
      const failure = shaper.shape(batch.slice(from, from + BATCH_ROWS), rows);
      if (rows.length > 0) yield rows;
      if (failure) throw failure;
    }
    atHeader = false;
  }
  shaper.sayFooter();
}

/** Numbers the rows. It holds back records that may be a footer until a later row shows that they are not. */
class RowShaper {
  private readonly reading: RowReading;
  private readonly columns: number;
  /** The number of columns without the unnamed ones at the end, which some programs write in the header alone. */
  private readonly named: number;
  private number = 0;
  private afterBlank = false;
  private held: CsvRecord[] = [];

  constructor(reading: RowReading, columns: readonly string[]) {
    this.reading = reading;
    this.columns = columns.length;
    this.named = columns.findLastIndex((name) => name !== '') + 1;
  }

  /** Appends the rows of the records to `rows`. Returns the error at which the file ends, or null. */
  shape(records: readonly CsvRecord[], rows: Row[]): SrqError | null {
    for (const record of records) {
      if (isBlank(record.cells)) {
        this.afterBlank = true;
        continue;
      }
      if (record.afterEmptyLine) this.afterBlank = true;
      if (this.mayBeFooter(record)) {
        this.held.push(record);
        continue;
      }
      for (const each of this.held) rows.push(this.row(each));
      this.held = [];
      this.afterBlank = false;
      try {
        refuseUndecodable(record, this.reading.encoding, `Row ${this.number + 1}`);
      } catch (error) {
        return error as SrqError;
      }
      rows.push(this.row(record));
    }
    return null;
  }

  sayFooter(): void {
    const first = this.held[0];
    const last = this.held.at(-1);
    if (!first || !last) return;
    const lines = first === last ? `line ${first.line}` : `lines ${first.line}–${last.line}`;
    this.reading.say(`Set aside as the report's footer: ${lines}.`);
  }

  private mayBeFooter({ cells }: CsvRecord): boolean {
    if (!this.afterBlank || this.columns < 3 || this.held.length >= MAX_FOOTER_ROWS) return false;
    return cells.reduce((filled, cell) => (cell.trim() === '' ? filled : filled + 1), 0) === 1;
  }

  private row({ cells, line, suspicion }: CsvRecord): Row {
    const whole = this.wholeCells(cells);
    const ragged = `has ${cells.length} cells where the header has ${this.columns}; check for an unquoted delimiter or line break in the line`;
    return { number: ++this.number, line, cells: whole ?? cells, problem: suspicion ?? (whole ? null : ragged) };
  }

  /** Returns as many cells as the header has, or null. Empty cells at the end are added or removed for that. */
  private wholeCells(cells: readonly string[]): readonly string[] | null {
    if (cells.length === this.columns) return cells;
    if (cells.length > this.columns) return isBlank(cells.slice(this.columns)) ? cells.slice(0, this.columns) : null;
    return cells.length < this.named ? null : [...cells, ...Array<string>(this.columns - cells.length).fill('')];
  }
}

function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}

/**
 * Throws `SrqError('input')` if a record of a file with undecodable bytes has a U+FFFD. It stands for lost letters, and
 * nothing after it can be trusted.
 */
function refuseUndecodable(record: CsvRecord, encoding: TextEncoding | null, who: string): void {
  if (!encoding?.damaged || !record.cells.some((cell) => cell.includes('\uFFFD'))) return;
  throw undecodable(`${who} (line ${record.line})`, encoding);
}

/** Returns the error for bytes at `where` that the encoding does not have. */
export function undecodable(where: string, encoding: TextEncoding): SrqError {
  return new SrqError(
    'input',
    `${where} holds bytes that are not ${encoding.label}.`,
    'Name the encoding the file really has, for example: --encoding windows-1252',
  );
}
