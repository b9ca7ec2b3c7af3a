/**
 * Formats one CSV record that ends in CRLF. A cell is quoted where needed, and where another usual separator would
 * split it.
 */
export function csvRecordText(cells: readonly string[], delimiter: string): string {
  return `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  return /[",;\t\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Characters that begin a formula in spreadsheets, including the fullwidth and small forms of East Asian keyboards. */
const FORMULA_SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
/**
 * Matches where a cell may begin. A spreadsheet may be set to another separator than the file's, and then the quotes
 * protect nothing.
 */
const CELL_BEGINS = '(?:^|[,;|"\\t\\r\\n])';
/** Matches blanks, control characters and invisible marks. Some spreadsheets drop them at the beginning of a cell. */
const NOT_SEEN = '[\\p{Z}\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]*';

/**
 * Matches every text that {@link GUARDED} matches, and few others: nothing that stands before a sign there is a word
 * character or a full stop. It is tested first, because most cells match neither and this pattern takes a third of the
 * time.
 */
const MAY_BE_GUARDED = new RegExp(`(?<![\\w.])${FORMULA_SIGN}|^'*[\\t\\r]`);
const GUARDED = new RegExp(`(?=${FORMULA_SIGN})(?<=${CELL_BEGINS}${NOT_SEEN}'*)|(?=[\\t\\r])(?<=^'*)`, 'gu');
const GUARD = new RegExp(`'(?:(?=${FORMULA_SIGN})(?<=${CELL_BEGINS}${NOT_SEEN}'+)|(?=[\\t\\r])(?<=^'+))`, 'gu');

/**
 * Protects a cell against formula injection, whichever separator a spreadsheet splits the line at. An apostrophe is put
 * before each `=`, `+`, `-` or `@` that could begin a cell, and before a TAB or CR at the very beginning. Where
 * apostrophes are there already, one more is added, so that {@link unescapeFormulas} restores every text exactly.
 */
export function escapeFormulas(text: string): string {
  return MAY_BE_GUARDED.test(text) ? text.replace(GUARDED, "'") : text;
}

/** Restores the text that {@link escapeFormulas} made this cell from. */
export function unescapeFormulas(cell: string): string {
  return cell.replace(GUARD, '');
}

/**
 * Formats a CSV record that is safe to open in a spreadsheet, because cells that look like formulas are escaped. It
 * ends in CRLF.
 */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return csvRecordText(cells.map(escapeFormulas), delimiter);
}
