import { defuse } from '../model/spreadsheet-cell.ts';

/** A CSV record that a spreadsheet may open: quoted where needed, formulas defused. Ends in CRLF. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => quoted(defuse(cell), delimiter)).join(delimiter)}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
