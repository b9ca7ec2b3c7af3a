type Cells = readonly string[];

/** Maximum number of rows that are looked at, and of characters of each cell. */
const MAX_ROWS = 200;
const MAX_LETTERS = 200;

/** What a cell looks like, from the surest sign to the vaguest. The last pattern matches every text. */
const SHAPES: readonly RegExp[] = [
  /^\s*$/,
  /^\s*\S+@\S+\s*$/,
  /^\s*(?:https?:|www\.)/i,
  /^\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?!\d)/,
  /^(?:\D{0,2})\+\d/,
  /^[\d\s()./-]*$(?<=(?:\d\D*){9,})/,
  /^[\d\s()./-]*$/,
  /^\s*[A-Za-z]{1,3}\s*$/,
  /^\s*\d/,
  /^\s*(?:\S+\s+){4}/,
  /\d/,
  /^/,
];

/** A cell that begins with a blank is told apart: a text that was cut at a comma goes on with one. */
const KINDS = SHAPES.length * 2;

function shapeOf(cell: string): number {
  const text = cell.length > MAX_LETTERS ? cell.slice(0, MAX_LETTERS) : cell;
  const shape = SHAPES.findIndex((pattern) => pattern.test(text));
  return shape * 2 + (shape > 0 && text.startsWith(' ') ? 1 : 0);
}

/**
 * The place in a row from which its cells fit other columns, and how much better they fit those than where they stand:
 * the logarithm of how many times likelier.
 */
interface Shift {
  readonly at: number;
  readonly gain: number;
}

/** What counts for a kind of cell that a column has not shown yet, in rows. */
const UNSEEN = 0.2;

/** A gain that is worth a question to a person: three times likelier. */
export const LIKELY_GAIN = Math.log(3);
/** A gain that does not come by chance: twenty times likelier. */
export const CLEAR_GAIN = Math.log(20);

/** What the cells of each column usually look like, learned from rows whose cells are in their places. */
export class CellShapes {
  private readonly counts: readonly Float64Array[];
  private readonly rows: number;

  constructor(columns: number, rows: readonly Cells[]) {
    const seen = rows.slice(0, MAX_ROWS);
    this.rows = seen.length;
    this.counts = Array.from({ length: columns }, (_, column) => {
      const counts = new Float64Array(KINDS);
      for (const cells of seen) {
        const kind = shapeOf(cells[column] ?? '');
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      return counts;
    });
  }

  /**
   * Finds where a row of more than `width` cells was cut within a text, so that with those pieces put together it fits
   * the first `width` columns best.
   */
  merged(cells: Cells, width: number, delimiter: string): Shift {
    const surplus = cells.length - width;
    if (surplus <= 0 || width <= 0) return { at: 0, gain: Number.NEGATIVE_INFINITY };
    let before = 0;
    let after = 0;
    for (let column = 1; column < width; column++) after += this.fit(column, cells[column + surplus] ?? '');
    let best = { at: 0, score: Number.NEGATIVE_INFINITY };
    for (let at = 0; at < width; at++) {
      const score = before + this.fit(at, cells.slice(at, at + surplus + 1).join(delimiter)) + after;
      if (score > best.score) best = { at, score };
      before += this.fit(at, cells[at] ?? '');
      after -= at + 1 < width ? this.fit(at + 1, cells[at + 1 + surplus] ?? '') : 0;
    }
    let asItIs = 0;
    for (const [column, cell] of cells.entries()) asItIs += this.fit(column, cell);
    for (let column = width; column < this.counts.length; column++) best.score += this.fit(column, '');
    return { at: best.at, gain: best.score - asItIs };
  }

  /** Finds where a row of fewer than `width` cells has lost cells, so that the others fit `width` columns best. */
  missing(cells: Cells, width: number): Shift {
    const lost = width - cells.length;
    let score = 0;
    for (let column = cells.length - 1; column >= 0; column--) score += this.fit(column + lost, cells[column] ?? '');
    let best = { at: 0, score };
    for (let at = 1; at <= cells.length; at++) {
      const cell = cells[at - 1] ?? '';
      score += this.fit(at - 1, cell) - this.fit(at - 1 + lost, cell);
      if (score >= best.score) best = { at, score };
    }
    return { at: best.at, gain: best.score - score };
  }

  private fit(column: number, cell: string): number {
    const counts = this.counts[column];
    return counts ? Math.log(((counts[shapeOf(cell)] ?? 0) + UNSEEN) / (this.rows + UNSEEN * KINDS)) : 0;
  }
}
