import { SrqError } from '../model/errors.ts';
import { MAX_COLUMNS, tooManyColumns } from './json-rows.ts';

/** Maximum numbers of rows and cells of a sheet, so that they fit into memory. A longer list belongs into a CSV file. */
const MAX_ROWS = 100_000;
const MAX_CELLS = 5_000_000;

/** The pattern of a row's or a cell's tag with its attributes. XML allows `>` within their quotes. */
const TAG = /<(?:[\w-]+:)?(?:row|c)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g;
const ANY_TAG = /<(?:[\w-]+:)?(?:row|c)(?=[\s/>])/g;
const PLACE = /\s(?:[\w-]+:)?r\s*=\s*["']([^"']*)["']/g;

/**
 * Throws `SrqError('input')` if the cells of a sheet claim places too far out. The reader fills every gap before a
 * cell, so that a kilobyte of XML could take gigabytes of memory. `damaged` returns the error for a place that is not
 * valid.
 */
export function requireBoundedSheet(xml: string, path: string, damaged: () => SrqError): void {
  let [rows, columns, tags] = [0, 0, 0];
  for (const [, attributes = ''] of xml.matchAll(TAG)) {
    tags++;
    for (const [, place = ''] of attributes.matchAll(PLACE)) {
      const [, letters = '', digits = ''] = /^([A-Z]{0,3})(\d{1,7})$/.exec(place) ?? [];
      if (digits === '') throw damaged();
      rows = Math.max(rows, Number(digits));
      columns = Math.max(columns, columnNumber(letters));
    }
  }
  for (const _ of xml.matchAll(ANY_TAG)) tags--;
  if (tags !== 0) throw damaged();
  if (columns > MAX_COLUMNS) throw tooManyColumns();
  // The margin of 100 rows is for the header and the titles above it.
  if (rows > MAX_ROWS + 100 || rows * columns > MAX_CELLS) {
    throw new SrqError(
      'input',
      `The sheet of ${path} reaches to row ${rows}, column ${columns}; at most ${MAX_ROWS} rows and ${MAX_CELLS} cells of a workbook are read.`,
      'Delete what stands beside or below the data, or save the sheet as CSV UTF-8 and import that: any size goes.',
    );
  }
}

/** Returns the number of a column by its letters: A is 1, Z is 26, AA is 27. */
function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}
