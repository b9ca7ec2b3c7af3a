/** From this many columns on, a text does not by chance hold exactly a row's worth of delimiters in every line. */
const TELLING_COLUMNS = 5;

/**
 * Whether a record that spans lines has taken in the rows after it, because a quote was not closed where it should be.
 *
 * `certain`: a cell goes on as text after a quote that stands where the next cell's or row's opening quote belongs, or the
 * record is ragged and one cell holds at least a row's worth of delimiters. `likely`: the record is whole, but one of its
 * cells reads like complete rows.
 */
export function swallowedRows(
  cells: readonly string[],
  columns: number,
  delimiter: string,
): 'none' | 'likely' | 'certain' {
  let found: 'none' | 'likely' = 'none';
  for (const cell of cells) {
    const breaks = cell.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (breaks === 0) continue;
    const delimiters = cell.split(delimiter).length - 1;
    if (cell.startsWith('"') && opensWithin(cell, delimiter)) return 'certain';
    if (columns > 2 && cells.length !== columns && delimiters >= columns - 1) return 'certain';
    if (columns >= TELLING_COLUMNS && delimiters === breaks * (columns - 1)) found = 'likely';
  }
  return found;
}

/** A quote right after a delimiter or a line break: where the opening quote of another cell would be. */
function opensWithin(cell: string, delimiter: string): boolean {
  return [delimiter, '\n', '\r'].some((before) => cell.includes(`${before}"`));
}
