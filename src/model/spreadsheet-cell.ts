/**
 * A text as a cell that no spreadsheet takes for a formula: what begins with `= + - @`, TAB or CR gets an apostrophe in
 * front. Texts that already look so get one more, so that {@link undefuse} gives back every text exactly.
 */
export function defuse(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** The text that {@link defuse} made this cell from. */
export function undefuse(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}
