/**
 * One record of CSV, ending in CRLF: quoted where needed, and where another usual separator would take a cell apart.
 */
export function csvRecordText(cells: readonly string[], delimiter: string): string {
  return `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  return /[",;\t\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
