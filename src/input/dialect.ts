import { parse } from 'csv-parse/sync';
import { countKnownFields } from '../request/lead/field-aliases.ts';
import { SrqError } from '../request/words/errors.ts';
import { lineBreaks } from './csv-records.ts';
import { headerIndex } from './header-search.ts';

/** The delimiter of a CSV file and the position of its header. */
export type Dialect = ReturnType<typeof findDialect>;

interface SampleRecord {
  readonly cells: readonly string[];
  /** Number of physical lines of the record. */
  readonly lines: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const NAMES: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', pipe: '|', '\\t': '\t' };

/**
 * A delimiter with at least this share of the best score is as likely as the best. The known fields in the header then
 * decide.
 */
const CLOSE_SCORE = 0.9;

/** What is left of the score of a delimiter that most probably cuts through cells. */
const BROKEN = 0.25;

/**
 * Returns the delimiter that the user gave, as one character or as `tab`, `comma`, `semicolon` or `pipe`. Throws
 * `SrqError('usage')` if the text cannot be a delimiter.
 */
function namedDelimiter(text: string): string {
  const delimiter = NAMES[text.toLowerCase()] ?? text;
  if ([...delimiter].length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new SrqError(
    'arguments.invalid',
    `"${text}" cannot be a delimiter.`,
    'For example: --delimiter ";" or --delimiter tab',
  );
}

/** Detects the dialect of a CSV file from its first 64 Ki characters. */
export function findDialect(
  sample: string,
  options: { readonly delimiter: string | null; readonly skipLines: number },
) {
  const asked = sample.slice(endOfLines(sample, options.skipLines));
  const sep = /^(?:\uFEFF)?"?sep=(.)"?[;,\t]*(?:\r\n|\n|\r)/i.exec(asked);
  const written = sep ? asked.slice(sep[0].length) : asked;
  // How a quote within quotes is written: twice, or behind a backslash.
  const escapedBy: '"' | '\\' = hasBackslashQuotes(written) ? '\\' : '"';
  const body = escapedBy === '"' ? written : written.replaceAll('\\"', '""');
  const declared = options.delimiter === null ? (sep?.[1] ?? null) : namedDelimiter(options.delimiter);
  const candidates = declared === null ? DELIMITERS : [declared];
  refuseLineQuotes(body);
  const { delimiter, records } = likeliest(body, candidates);
  const { recordsBeforeHeader, ...header } = linesBeforeHeader(records, options.skipLines + (sep ? 1 : 0));
  /** The rows after the header. */
  const rows = records.slice(recordsBeforeHeader + 1).map(({ cells }) => cells);
  return { delimiter, escapedBy, sample: rows, ...header };
}

const QUOTED_LINE = /^"(?:[^"]|"")*"$/;

/**
 * Throws `SrqError('input')` if each line is one quoted text with delimiters in it. Programs write such lines when they
 * export what was already an export.
 */
function refuseLineQuotes(text: string): void {
  const lines = text.split(LINE_END).filter((line) => line.trim() !== '');
  const isQuoted = lines.slice(0, MAX_BEFORE).every((line) => QUOTED_LINE.test(line));
  if (!isQuoted || !/[,;\t|]/.test(lines[0] ?? '')) return;
  throw new SrqError(
    'csv.unreadable',
    'Each line of the file is quoted as a whole.',
    `Export it again, or take these quotes off: sed 's/^"//; s/"\\r*$//; s/""/"/g' FILE > leads.csv`,
  );
}

/**
 * Tells whether a program wrote a quote within a text behind a backslash (`"Regal 48\\""`), and none twice. A backslash
 * before the end of a cell may be one of its own.
 */
function hasBackslashQuotes(text: string): boolean {
  return /\\"(?![,;\t|\r\n]|$)/.test(text) && !/[^,;\t|\r\n\\"]""[^,;\t|\r\n]/.test(text);
}

/**
 * Returns the number of lines before the header, with notes on them. `records` are those after the first `before`
 * lines.
 */
export function linesBeforeHeader(records: readonly SampleRecord[], before: number) {
  const rows = records.map(({ cells }) => cells);
  const above = records.slice(0, Math.max(0, headerIndex(rows, usualLength(rows).length)));
  const lines = above.reduce((sum, each) => sum + each.lines, 0);
  const span = lines === 1 ? `line ${before + 1}` : `lines ${before + 1}–${before + lines}`;
  const isSaid = above.some(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  return {
    /** Number of physical lines: those that the user skips, `sep=`, a preamble, and blank lines. */
    linesBeforeHeader: before + lines,
    recordsBeforeHeader: above.length,
    notes: isSaid ? [`Set aside before the header: ${span}.`] : [],
  };
}

/** Returns the index after the first `count` lines of a text. */
function endOfLines(text: string, count: number): number {
  const lineEnd = /\r\n|\n|\r/g;
  for (let line = 0; line < count; line++) if (!lineEnd.exec(text)) return text.length;
  return lineEnd.lastIndex;
}

/** Splits a text by each delimiter, and returns the one that explains it best with its records. */
function likeliest(text: string, delimiters: readonly string[]): { delimiter: string; records: SampleRecord[] } {
  const scored = delimiters.map((delimiter) => {
    const records = sampleRecords(text, delimiter);
    const rows = records.map(({ cells }) => cells);
    const { length, share } = usualLength(rows);
    const header = rows[headerIndex(rows.slice(0, MAX_BEFORE), length)] ?? [];
    // A wrong delimiter has cut through quoted cells if the pieces keep their quotes.
    const isBroken = rows.filter((cells) => cells.some((cell) => cell.startsWith('"'))).length > rows.length / 2;
    const score = regularity(length, share, header.length) * (isBroken ? BROKEN : 1);
    return { delimiter, records, score, known: countKnownFields(header) };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const close = scored.filter(({ score }) => score >= best * CLOSE_SCORE);
  const [likeliest] = best > 0 ? close.sort((a, b) => b.known - a.known || b.score - a.score) : scored;
  return likeliest ?? { delimiter: ',', records: [] };
}

const LINE_END = /\r\n|\n|\r/;

/**
 * Maximum difference between the number of cells in the header and in all rows. Rows may end with a delimiter, for
 * example.
 */
const MAX_DIFFERENCE = 2;

/**
 * Scores a delimiter: the `share` of the records that have the most frequent number of cells, times the logarithm of that
 * `length`. The score is halved if the header has slightly more or fewer cells, and 0 if its number is quite different.
 */
function regularity(length: number, share: number, headerLength: number): number {
  if (length > 1 && length === headerLength) return share * Math.log(length);
  const least = Math.min(length, headerLength);
  const isNear = least > 2 && Math.abs(length - headerLength) <= MAX_DIFFERENCE;
  return isNear ? (share * Math.log(least)) / 2 : 0;
}

/** Returns the most frequent number of cells, and the share of the rows that have it. Blank lines do not count. */
export function usualLength(rows: readonly (readonly string[])[]): { length: number; share: number } {
  const counts = new Map<number, number>();
  const full = rows.filter((cells) => cells.length > 1 || cells[0] !== '');
  for (const cells of full) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [length, count] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  return { length, share: count / Math.max(1, full.length) };
}

/** Number of records among which the header is looked for, if only the delimiter is asked. */
const MAX_BEFORE = 50;

/**
 * Splits a sample into records. A last record without a line end, which is probably cut, is left out unless there are
 * fewer than two others. Nothing is an error here.
 */
function sampleRecords(text: string, delimiter: string): SampleRecord[] {
  const records: SampleRecord[] = [];
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      on_record: (cells: string[]) => {
        records.push({ cells, lines: 1 + lineBreaks(cells) });
        return null;
      },
    });
  } catch {
    // The sample ends within quotes.
    return records;
  }
  if (records.length > 2 && !/[\r\n]$/.test(text)) records.pop();
  return records;
}
