/** One record of CSV: quoted where needed, ending in CRLF. */
export function csvRecordText(cells: readonly string[], delimiter: string): string {
  return `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
