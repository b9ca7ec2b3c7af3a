import type { LogEntry } from '../../request/log/log-store.ts';
import { STATUS } from '../../request/log/status.ts';
import { clip, duration, type Paint, printable, tableLine, tableText, textWidth } from '../output.ts';
import { identifiersText } from './summary-text.ts';

const KEY_WIDTH = 12;
/** An answer may name the request at the service, by which a person finds it. */
const ANSWER_WIDTH = 200;

/** The widths of all columns but the last, which takes the rest of the line: time, status, row, reference. */
const WIDTHS = [19, 9, 7, 20] as const;
const TAKEN = WIDTHS.reduce((sum, width) => sum + width + 2, 0);

/** Formats the headings above the lines of the log. */
export function logHeading(columns: number, paint: Paint): string {
  const names = ['time (UTC)', 'status', 'row'.padStart(WIDTHS[2]), 'reference', 'what came back'];
  const cells = names.map((text) => ({ text, paint: paint.dim }));
  return tableLine(cells, [...WIDTHS, Math.max(0, columns - TAKEN)]);
}

/**
 * Formats a request of the log. `columns` is the width of a line, or null for any width. What does not fit at its end goes
 * below.
 */
export function logLine(
  { at, status, row, ref, ids, message }: LogEntry,
  columns: number | null,
  paint: Paint,
): string {
  const cells = [
    { text: at.slice(0, 19) },
    { text: status, paint: paint[STATUS[status].colour] },
    { text: String(row).padStart(WIDTHS[2]) },
    { text: printable(ref ?? '-') },
  ];
  const end = identifiersText(ids) || printable(message ?? '');
  if (columns === null || textWidth(end) <= columns - TAKEN)
    return tableLine([...cells, { text: end }], [...WIDTHS, Number.POSITIVE_INFINITY]);
  return `${tableLine(cells, WIDTHS)}\n  ${end}`;
}

/** Formats the requests in doubt with their keys, by which `resolve` identifies them. What is known of each stands below it. */
export function doubtText(
  doubtful: readonly (LogEntry & { readonly file: string | null })[],
  nowMs: number,
  columns: number | null,
  paint: Paint,
): string {
  const rows = doubtful.map(({ key, at, row, ref, file }) => [
    { text: key.slice(0, KEY_WIDTH), paint: paint.bold },
    { text: duration(Math.max(0, nowMs - Date.parse(at))) },
    { text: String(row) },
    { text: printable(ref ?? '-') },
    { text: printable(file ?? '-') },
  ]);
  const width = columns ?? Number.POSITIVE_INFINITY;
  const [heading = '', ...lines] = tableText(['key', 'age', 'row', 'reference', 'file'], rows, width, paint).split(
    '\n',
  );
  const below = doubtful.map(({ message, raw }) =>
    printable(
      [message, raw && `It answered: ${clip(raw.replace(/\s+/g, ' ').trim(), ANSWER_WIDTH)}`].filter(Boolean).join(' '),
    ),
  );
  return [heading, ...lines.flatMap((line, at) => [line, `  ${below[at]}`])].join('\n');
}
