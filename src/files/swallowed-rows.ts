/** Minimum number of columns at which a text does not by chance have a row's number of delimiters in every line. */
const MIN_TELLING_COLUMNS = 5;

/**
 * Tells whether a record that spans lines contains the rows after it, because a quote was not closed.
 *
 * It is `certain` if a cell goes on as text after a quote that stands where the opening quote of the next cell or row
 * belongs, or if the record is ragged and one of its cells has at least a row's number of delimiters. It is `likely` if
 * the record is whole, but one of its cells reads like complete rows.
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
    if (columns >= MIN_TELLING_COLUMNS && delimiters === breaks * (columns - 1)) found = 'likely';
  }
  return found;
}

/** Returns true if a quote follows a delimiter or a line break, which is where another cell's opening quote would be. */
function opensWithin(cell: string, delimiter: string): boolean {
  return [delimiter, '\n', '\r'].some((before) => cell.includes(`${before}"`));
}
