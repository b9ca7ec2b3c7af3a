import type { ChalkInstance } from 'chalk';
import { clip, padded, textWidth } from './text-width.ts';

/** One cell of a table. `text` is printable, and `paint` adds only colour to it. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';
/** Minimum width of a column, so that something of it can be read. */
const MIN_WIDTH = 6;

/**
 * Formats a table. `columns` is the width of the terminal, or null without one; then lines may have any length and
 * there are no headings.
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  columns: number | null,
  paint: ChalkInstance,
): string {
  const natural = headings.map((heading, at) =>
    rows.reduce(
      (widest, row) => Math.max(widest, textWidth(row[at]?.text ?? '')),
      columns === null ? 0 : textWidth(heading),
    ),
  );
  const widths = columns === null ? natural : narrowed(natural, columns);
  const head = columns === null ? [] : [headings.map((text) => ({ text, paint: paint.dim }))];
  return [...head, ...rows].map((row) => tableLine(row, widths)).join('\n');
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

/** Narrows the widest column, again and again, until the line fits. */
function narrowed(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  const room = columns - GAP.length * (widths.length - 1);
  for (;;) {
    const over = widths.reduce((sum, width) => sum + width, 0) - room;
    const widest = Math.max(...widths);
    if (over <= 0 || widest <= MIN_WIDTH) return widths;
    const next = Math.max(MIN_WIDTH, ...widths.filter((width) => width < widest));
    widths[widths.indexOf(widest)] = Math.max(next === widest ? widest - 1 : next, widest - over, MIN_WIDTH);
  }
}
