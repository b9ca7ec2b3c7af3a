import type { ChalkInstance } from 'chalk';
import { clip, padded, textWidth } from './text-width.ts';

/** One place of a table. `text` is printable; `paint` adds nothing that is seen but colour. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';
/** A column is not made narrower than this, so that something of it can be read. */
const LEAST_WIDTH = 6;

/** A table. `columns`: what a line of the terminal has room for; null: no terminal, so lines of any length and no headings. */
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

/** Cells side by side, cut and filled to their widths; the last one is not filled. */
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

/** Takes from the widest column until a line has room. */
function narrowed(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  const room = columns - GAP.length * (widths.length - 1);
  for (;;) {
    const over = widths.reduce((sum, width) => sum + width, 0) - room;
    const widest = Math.max(...widths);
    if (over <= 0 || widest <= LEAST_WIDTH) return widths;
    const next = Math.max(LEAST_WIDTH, ...widths.filter((width) => width < widest));
    widths[widths.indexOf(widest)] = Math.max(next === widest ? widest - 1 : next, widest - over, LEAST_WIDTH);
  }
}
