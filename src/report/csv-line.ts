import { csvRecordText } from '../model/csv-text.ts';
import { defuse } from '../model/spreadsheet-cell.ts';

/** A CSV record that a spreadsheet may open: quoted where needed, formulas defused. Ends in CRLF. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return csvRecordText(cells.map(defuse), delimiter);
}
