import type { LogEntry } from '../../request/log/log-store.ts';
import { STATUS } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { folded, type Paint, printable, tableLine, tableText, textWidth } from '../output.ts';
import { identifiersText } from './summary-text.ts';

const KEY_WIDTH = 12;

/** On a narrower terminal, a message that does not fit goes below its request. */
const WIDE = 96;
/** The widths of all columns but the last, which takes the rest of the line: time, status, row, reference. */
const WIDTHS = { wide: [19, 9, 7, 20], narrow: [16, 9, 5, 12] } as const;
const GAP_WIDTH = 2;

/** Formats the headings above the lines of the log. */
export function logHeading(columns: number, paint: Paint): string {
  const widths = columns < WIDE ? WIDTHS.narrow : WIDTHS.wide;
  const names = ['time (UTC)', 'status', 'row'.padStart(widths[2]), 'reference', 'identifiers or message'];
  const cells = names.map((text) => ({ text, paint: paint.dim }));
  return tableLine(cells, [...widths, restOf(widths, columns)]);
}

/** Formats a request of the log. `columns` is the width of a line, or null for any width. */
export function logLine(
  { at, status, row, ref, ids, message }: LogEntry,
  columns: number | null,
  paint: Paint,
): string {
  const isWide = columns === null || columns >= WIDE;
  const widths = isWide ? WIDTHS.wide : WIDTHS.narrow;
  const cells = [
    { text: isWide ? at.slice(0, 19) : at.slice(0, 16).replace('T', ' ') },
    { text: status, paint: paint[STATUS[status].colour] },
    { text: String(row).padStart(widths[2]) },
    { text: printable(ref ?? '-') },
  ];
  const end = identifiersText(ids) || printable(message ?? '');
  const rest = columns === null ? Number.POSITIVE_INFINITY : restOf(widths, columns);
  if (isWide || textWidth(end) <= rest) return tableLine([...cells, { text: end }], [...widths, rest]);
  return `${tableLine(cells, widths)}\n${folded(`  ${end}`, columns)}`;
}

function restOf(widths: readonly number[], columns: number): number {
  return Math.max(0, columns - widths.reduce((sum, width) => sum + width + GAP_WIDTH, 0));
}

/** Formats the requests in doubt with their keys, by which `resolve` identifies them. */
export function doubtText(doubtful: readonly LogRecord[], nowMs: number, columns: number | null, paint: Paint): string {
  const rows = doubtful.map(({ key, at, row, ref, message }) => [
    { text: key.slice(0, KEY_WIDTH), paint: paint.bold },
    { text: ageText(nowMs - Date.parse(at)) },
    { text: String(row) },
    { text: printable(ref ?? '-') },
    { text: printable(message ?? 'The process ended before an answer was recorded.') },
  ]);
  return tableText(['key', 'age', 'row', 'reference', 'what is known'], rows, columns, paint);
}

/** Formats an age in its largest unit: 40 s, 12 min, 5 h, 3 d. */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
