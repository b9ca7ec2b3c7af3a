import { Parser } from 'csv-parse';
import { SrqError } from '../request/words/errors.ts';
import { isContact } from './header-search.ts';

/**
 * One record of a CSV file or a sheet. The header is a record, and so is a line of empty cells, but an empty line is
 * not.
 */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** The line of the file where the record begins, counted from 1. */
  readonly line: number;
  /** True if an empty line precedes the record. */
  readonly afterEmptyLine: boolean;
  /** The reason why this may be more than one record, or null. */
  readonly suspicion: string | null;
}

/** A piece of a file's text, or of its bytes in UTF-8. Bytes are valid only until the next piece is requested. */
type Piece = string | Uint8Array;

/** How the records of a file are written. */
interface RecordDialect {
  readonly delimiter: string;
  readonly linesBeforeHeader: number;
  readonly escapedBy?: '"' | '\\';
}

/**
 * Yields the records of CSV in batches. Pieces of bytes may end within a character. If damage makes the rest unreadable,
 * it yields all records before the damage and then throws `SrqError('input')`. The message counts row and line from the
 * header.
 */
export async function* csvRecords(
  pieces: AsyncIterable<Piece>,
  { delimiter, linesBeforeHeader, escapedBy = '"' }: RecordDialect,
): AsyncGenerator<CsvRecord[]> {
  const parser = new Parser({
    delimiter,
    escape: escapedBy,
    record_delimiter: ['\r\n', '\n', '\r'],
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // A quote within an unquoted cell is an ordinary character (6" pipe). `swallowedRows` finds unclosed quotes that
    // this may hide.
    relax_quotes: true,
    max_record_size: MAX_RECORD,
  });
  const { info } = parser;
  let records: CsvRecord[] = [];
  let failure: SrqError | null = null;
  let nextLine = linesBeforeHeader + 1;
  let [linesSeen, emptyLinesSeen, count, columns] = [0, 0, 0, 0];

  // The parser is not used as a stream, because reading records from one takes ten times as long.
  parser.push = (cells: string[] | null) => {
    if (cells !== null) take(cells);
    return true;
  };
  for await (const piece of bytesAfterLines(pieces, linesBeforeHeader)) {
    parser._transform(piece, 'utf8', fail);
    yield* taken();
  }
  parser._flush(fail);
  yield* taken();

  function take(cells: string[]): void {
    const emptyLines = info.empty_lines - emptyLinesSeen;
    const spansLines = info.lines - linesSeen !== emptyLines + 1;
    linesSeen = info.lines;
    emptyLinesSeen = info.empty_lines;
    if (failure) return;
    if (count === 0) columns = cells.length;
    const line = nextLine + emptyLines;
    nextLine = line + 1 + (spansLines ? lineBreaks(cells) : 0);
    const found = spansLines ? swallowedRows(cells, columns, delimiter) : 'none';
    if (found === 'certain') {
      failure = notClosed(count, line);
      return;
    }
    const suspicion =
      found === 'likely'
        ? `takes up lines ${line} to ${nextLine - 1}: a quote in it is probably not closed`
        : escapedBy === '"' && cells.some(isEscapedOtherwise)
          ? 'has a quote behind a backslash, unlike the rest of the file; write the quote twice'
          : null;
    records.push({ cells, line, afterEmptyLine: emptyLines > 0, suspicion });
    count++;
  }

  /** There is no other error than a quote that is not closed and a record that is too long. */
  function fail(error?: Error | null): void {
    if (error) failure ??= notClosed(count, nextLine + info.empty_lines - emptyLinesSeen);
  }

  /** Yields the records that are complete, then throws the error that ended them, if there is one. */
  function* taken(): Generator<CsvRecord[]> {
    const batch = records;
    records = [];
    if (batch.length > 0) yield batch;
    if (failure) throw failure;
  }
}

/**
 * Tells whether a quote behind a backslash, as some programs write one within a text, has ended a cell or has let it go
 * on into the next one. A cell that keeps its quote did not end where the next one begins.
 */
const isEscapedOtherwise = (cell: string): boolean => cell.startsWith('"') && cell.includes('\\""');

function notClosed(row: number, line: number): SrqError {
  const where = row === 0 ? `The header (line ${line})` : `Row ${row} (line ${line})`;
  return new SrqError(
    'csv.unreadable',
    `${where} has a quote that is not closed, or is longer than 1 MiB; what follows cannot be told apart.`,
    'Close the quote in that line (a quote within a text is written twice), or export the file again.',
  );
}

/** Counts the line breaks within a record. csv-parse itself counts a CRLF within quotes twice. */
export function lineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) count += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  return count;
}

/**
 * Minimum number of columns. In a narrower table, every line of a text may have a row's number of delimiters by chance,
 * so one of its pieces has to be a contact.
 */
const MIN_TELLING_COLUMNS = 5;

/**
 * Tells whether a record that spans lines contains the rows after it, because a quote was not closed.
 *
 * It is `certain` if a cell continues as text after a quote at a place where the next cell or row would open its quote,
 * or if the record is ragged and one of its cells has at least a row's number of delimiters. It is `likely` if the
 * record is whole, but one of its cells reads like complete rows, or has a line that reads like a lead.
 */
function swallowedRows(cells: readonly string[], columns: number, delimiter: string): 'none' | 'likely' | 'certain' {
  let found: 'none' | 'likely' = 'none';
  for (const cell of cells) {
    const [, ...later] = cell.split(/\r\n|\n|\r/);
    if (later.length === 0) continue;
    const delimiters = cell.split(delimiter).length - 1;
    // A quote follows where another cell would open its own.
    const opensWithin = [delimiter, '\n', '\r'].some((before) => cell.includes(`${before}"`));
    if (cell.startsWith('"') && opensWithin) return 'certain';
    if (columns > 2 && cells.length !== columns && delimiters >= columns - 1) return 'certain';
    if (columns >= MIN_TELLING_COLUMNS && delimiters === later.length * (columns - 1)) found = 'likely';
    if (columns > 2 && later.some(isLead)) found = 'likely';
  }
  return found;

  function isLead(line: string): boolean {
    const pieces = line.split(delimiter);
    return pieces.length === columns && pieces.some(isContact);
  }
}

/**
 * Maximum size of one record, in bytes or characters. A longer one is not a row of a partner's file, because a quote
 * was never closed or the file is not CSV at all.
 */
const MAX_RECORD = 1024 * 1024;

/**
 * Yields the bytes without the first `count` lines. Throws `SrqError('input')` if a line is longer than 1 MiB. csv-parse
 * bounds a record only by the characters in its cells, so a gigabyte of delimiters would fill the memory.
 */
async function* bytesAfterLines(pieces: AsyncIterable<Piece>, count: number): AsyncGenerator<Buffer> {
  let [left, before, sinceLineEnd] = [count, Buffer.alloc(0), 0];
  for await (const piece of pieces) {
    // csv-parse may keep a part of what it is given, so it is given a copy.
    const bytes = Buffer.from(piece as Uint8Array);
    const lastEnd = Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r'));
    sinceLineEnd = lastEnd < 0 ? sinceLineEnd + bytes.length : bytes.length - lastEnd - 1;
    if (sinceLineEnd > MAX_RECORD) {
      throw new SrqError(
        'csv.unreadable',
        'A line is longer than 1 MiB: this is not CSV.',
        'Export the data again as CSV, or name the format: --format json',
      );
    }
    if (left === 0) yield bytes;
    else {
      before = Buffer.concat([before, bytes]);
      // A CR at the end may be the first half of a CRLF.
      for (let end = LINE_END.exec(before.toString('latin1')); end !== null && left > 0; left--) {
        before = before.subarray(end.index + end[0].length);
        end = LINE_END.exec(before.toString('latin1'));
      }
      if (left === 0) yield before;
    }
  }
}

const LINE_END = /\r\n|\n|\r(?!$)/;
