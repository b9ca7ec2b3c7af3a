import type { LogEntry } from '../../request/log/log-store.ts';
import { STATUS } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { type Cell, type Paint, printable, tableLine, tableText } from '../output.ts';
import { identifiersText } from './summary-text.ts';

const KEY_WIDTH = 12;

type Column = 'at' | 'status' | 'row' | 'ref' | 'end';

interface LineLayout {
  /** The minimum width of a line for this layout. */
  readonly minWidth: number;
  /** The widths of all columns but the last, which takes the rest of the line. */
  readonly widths: Partial<Record<Column, number>>;
  readonly time: (at: string) => string;
}

const MAX: LineLayout = {
  minWidth: 96,
  widths: { at: 19, status: 9, row: 7, ref: 20 },
  time: (at) => at.slice(0, 19),
};
const LAYOUTS: readonly LineLayout[] = [
  MAX,
  { minWidth: 72, widths: { at: 16, status: 9, ref: 14 }, time: (at) => at.slice(0, 16).replace('T', ' ') },
  { minWidth: 0, widths: { at: 11, status: 9 }, time: (at) => at.slice(5, 16).replace('T', ' ') },
];
const GAP_WIDTH = 2;

/** Formats the headings above the lines of the log. */
export function logHeading(columns: number, paint: Paint): string {
  const names = { at: 'time (UTC)', status: 'status', row: 'row', ref: 'reference', end: 'identifiers or message' };
  return logColumns(layoutFor(columns), columns, (name) => ({ text: names[name], paint: paint.dim }));
}

/** Formats a request of the log as one line. `columns` is the width of a line, or null for any width. */
export function logLine(entry: LogEntry, columns: number | null, paint: Paint): string {
  const { at, status, row, ref, ids, message } = entry;
  const layout = layoutFor(columns);
  return logColumns(layout, columns, (name, width) => {
    if (name === 'at') return { text: layout.time(at) };
    if (name === 'status') return { text: status, paint: paint[STATUS[status].colour] };
    if (name === 'row') return { text: String(row).padStart(width) };
    if (name === 'ref') return { text: printable(ref ?? '-') };
    return { text: identifiersText(ids) || printable(message ?? '') };
  });
}

function layoutFor(columns: number | null): LineLayout {
  return LAYOUTS.find(({ minWidth }) => columns === null || columns >= minWidth) ?? MAX;
}

function logColumns(
  { widths }: LineLayout,
  columns: number | null,
  cell: (name: Column, width: number) => Cell,
): string {
  const fixed = Object.entries(widths) as [Column, number][];
  const taken = fixed.reduce((sum, [, width]) => sum + width + GAP_WIDTH, 0);
  const rest = columns === null ? Number.POSITIVE_INFINITY : Math.max(0, columns - taken);
  const named: [Column, number][] = [...fixed, ['end', rest]];
  return tableLine(
    named.map(([name, width]) => cell(name, width)),
    named.map(([, width]) => width),
  );
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
