import { SrqError } from '../model/errors.ts';

/** How a CSV file is written, and where its header is. */
export interface Dialect {
  readonly delimiter: string;
  /** Physical lines before the header: asked for, `sep=`, preamble, blank. */
  readonly linesBeforeHeader: number;
  readonly notes: readonly string[];
}

/** A record as a first look sees it. */
interface SampleRecord {
  readonly cells: readonly string[];
  /** Physical lines it takes. */
  readonly lines: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const NAMES: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', pipe: '|', '\\t': '\t' };

/** Scores nearer together than this say nothing; then the header that names more known fields decides. */
const CLEAR_LEAD = 0.9;

/** The delimiter that a user named: one character, or `tab`, `comma`, `semicolon`, `pipe`. Throws `SrqError('usage')`. */
function namedDelimiter(text: string): string {
  const delimiter = NAMES[text.toLowerCase()] ?? text;
  if ([...delimiter].length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new SrqError('usage', `"${text}" cannot be a delimiter.`, 'For example: --delimiter ";" or --delimiter tab');
}

/**
 * Finds out how a CSV file is written from its first 64 Ki characters.
 * `knownFields` counts how many of a header's names mean a field.
 */
export function findDialect(
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

/** How many lines stand before the header, given the records after the first `before` lines, and what to say of them. */
export function linesBeforeHeader(
  records: readonly SampleRecord[],
  before: number,
): Pick<Dialect, 'linesBeforeHeader' | 'notes'> {
  const { lines, said } = preambleLines(records);
  const span = lines === 1 ? `line ${before + 1}` : `lines ${before + 1}–${before + lines}`;
  return { linesBeforeHeader: before + lines, notes: said ? [`Set aside before the header: ${span}.`] : [] };
}

/** The index after the first `count` lines of a text. */
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
  const close = scored.filter(({ score }) => score >= best * CLEAR_LEAD);
  close.sort((a, b) => b.known - a.known || b.score - a.score);
  return close[0]?.delimiter ?? ',';
}

/** Share of the records that have as many cells as most, times the logarithm of that number; 0 if the header has not. */
function regularity(records: readonly SampleRecord[], headerLength: number): number {
  const { length, share } = usualLength(records);
  return length > 1 && length === headerLength ? share * Math.log(length) : 0;
}

/** How many cells most records have, blank lines left out, and the share of those records. */
function usualLength(records: readonly SampleRecord[]): { length: number; share: number } {
  const counts = new Map<number, number>();
  const full = records.filter(({ cells }) => cells.length > 1 || cells[0] !== '');
  for (const { cells } of full) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [length, count] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  return { length, share: count / Math.max(1, full.length) };
}

const filled = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length;

/** Titles and blank lines above the header: records with at most one filled cell before the first that has more. */
function preambleLines(records: readonly SampleRecord[]): { lines: number; said: boolean } {
  const leastFilled = usualLength(records).length > 1 ? 2 : 1;
  const header = records.findIndex(({ cells }) => filled(cells) >= leastFilled);
  const before = records.slice(0, Math.max(0, header));
  return {
    lines: before.reduce((sum, { lines }) => sum + lines, 0),
    said: before.some(({ cells }) => filled(cells) > 0),
  };
}

/**
 * The records of a sample without its last, probably cut one (unless there are but two). A quote opens only at the
 * beginning of a cell; nothing is ever an error here.
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
