import { csvRecordText } from '../model/csv-text.ts';
import { defuse } from '../model/spreadsheet-cell.ts';

/**
 * Formats a CSV record that is safe to open in a spreadsheet: cells that look like formulas are defused. It ends in
 * CRLF.
 */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return csvRecordText(cells.map(defuse), delimiter);
}
