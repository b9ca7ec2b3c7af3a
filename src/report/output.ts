import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Chalk } from 'chalk';
import textWidth from 'fast-string-width';
import { printable, printableLines, thousands, UNPRINTABLE } from '../request/words/characters.ts';

/** Makes texts of foreign origin safe for a terminal, and numbers readable. */
export { printable, printableLines, thousands };

/**
 * Formats JSON in which controls and invisible characters are escaped, so that it is safe on a terminal. Its value is
 * the same.
 */
export function terminalSafeJson(value: unknown): string {
  const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNPRINTABLE, escaped);
}

/** Formats a number of things that are named in the singular: 1 record, 2,000 records. */
export function countText(count: number, thing: string): string {
  return `${thousands(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** Formats a number of rows: 1 row, 2,000 rows. */
export function rowsText(count: number): string {
  return countText(count, 'row');
}

/** Minimum wait that is announced. Shorter ones end before the user has read the message. */
export const MIN_ANNOUNCED_MS = 10_000;

/** Formats a duration for people: 8 s, 3 min 20 s, 2 h 5 min. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const parts =
    minutes < 60 ? [`${minutes} min`, `${seconds % 60} s`] : [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ');
}

/**
 * The colours of texts, by their numbers among a terminal's 256 colours. Every terminal shows the first sixteen in its
 * own way. These always have a contrast of 4.5:1 on white and of at least 4:1 on black.
 */
export const TONES = { red: 161, yellow: 130, green: 28, cyan: 63, dim: 243 } as const;

/** Functions that colour a text, or return it unchanged where there are no colours. */
export type Paint = Readonly<Record<keyof typeof TONES | 'bold', (text: string) => string>>;

export function painter(colour: boolean): Paint {
  const chalk = new Chalk({ level: colour ? 2 : 0 });
  const tones = Object.entries(TONES).map(([name, tone]) => [name, chalk.ansi256(tone)]);
  return { bold: chalk.bold, ...Object.fromEntries(tones) };
}

/** Marks beyond ASCII that srq prints, with their substitutes. Each substitute is as wide as its mark. */
const ASCII_MARKS: Readonly<Record<string, string>> = {
  ...{ '✓': '+', '✗': 'x', '→': '>', '←': '<', '·': '|', '…': '~', '█': '#', '░': '.' },
};

/** Replaces srq's own marks by ASCII. Texts from files and services stay unchanged. */
export function inAscii(text: string): string {
  return text.replace(/[✓✗→←·…█░]/gu, (mark) => ASCII_MARKS[mark] ?? mark);
}

/** Tells whether the locale is limited to ASCII. If no locale is set, terminals can still show more. */
export function isAsciiLocale(env: Readonly<Record<string, string | undefined>>): boolean {
  return /^(?:C|POSIX)$/.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}

/** Formats pairs as two columns. The first column is as wide as its widest entry. */
export function aligned(pairs: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => textWidth(name)));
  return pairs.map(([name, value]) => `${indent}${padded(name, width)}  ${value}`);
}

/** Returns the number of columns that a printable text takes on a terminal. Colours take none. */
export { textWidth };

/** Cuts a text to at most `width` columns, and marks the cut. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += textWidth(character);
    if (used >= width) break;
    kept += character;
  }
  return width < 1 ? '' : `${kept}…`;
}

/** Pads a text with blanks to `width` columns. */
function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** One cell of a table. `text` is printable, and `paint` adds only colour to it. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';
/** Maximum width of a column but the last, so that something of the last can be read. */
const MAX_WIDTH = 20;

/**
 * Formats a table. `columns` is the width of the terminal, and the last column gets what the others leave of it. Null means
 * that there is no terminal: lines may have any length and there are no headings.
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  columns: number | null,
  paint: Paint,
): string {
  const head = columns === null ? [] : [headings.map((text) => ({ text, paint: paint.dim }))];
  const lines = [...head, ...rows];
  const most = columns === null ? Number.POSITIVE_INFINITY : MAX_WIDTH;
  const widths = headings.slice(0, -1).map((_, at) => {
    return lines.reduce((widest, row) => Math.min(most, Math.max(widest, textWidth(row[at]?.text ?? ''))), 0);
  });
  const taken = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const rest = columns === null ? most : Math.max(0, columns - taken);
  return lines.map((row) => tableLine(row, [...widths, rest])).join('\n');
}

/** Formats cells side by side, cut and padded to their widths. The last one is not padded. */
export function tableLine(cells: readonly Cell[], widths: readonly number[]): string {
  return cells
    .map(({ text, paint = (same) => same }, at) => {
      const width = widths[at] ?? 0;
      const cut = clip(text, width);
      return paint(at === cells.length - 1 ? cut : padded(cut, width));
    })
    .join(GAP)
    .trimEnd();
}

/**
 * Returns the number of columns of a terminal, or null if the stream is not a terminal and lines may have any length.
 */
export function columnsOf(stream: Writable & { readonly isTTY?: boolean; readonly columns?: number }): number | null {
  return stream.isTTY && stream.columns !== undefined && stream.columns > 0 ? stream.columns : null;
}

const CHUNK_CHARACTERS = 1 << 16;

/** Joins the texts of many items, because each write takes time. */
export async function* inChunks<Item>(
  items: AsyncIterable<Item>,
  textOf: (item: Item) => string,
): AsyncGenerator<string> {
  let chunk = '';
  for await (const item of items) {
    chunk += textOf(item);
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Writes a chunk, and waits while the reader is slower than the writer. A reader that has gone away is not an error. */
export async function writeAll(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(chunk)) return;
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => {});
  settled.abort();
}
