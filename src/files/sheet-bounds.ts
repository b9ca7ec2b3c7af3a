import { SrqError } from '../model/errors.ts';
import { MOST_COLUMNS, tooManyColumns } from './json-rows.ts';

/** With these a sheet's cells fit into memory; a longer list belongs into a CSV file. */
const MOST_ROWS = 100_000;
const MOST_CELLS = 5_000_000;

/** Any tag of a row or a cell, its attributes with it; XML allows `>` within their quotes. */
const TAG = /<(?:[\w-]+:)?(?:row|c)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g;
const ANY_TAG = /<(?:[\w-]+:)?(?:row|c)(?=[\s/>])/g;
const PLACE = /\s(?:[\w-]+:)?r\s*=\s*["']([^"']*)["']/g;

/**
 * Refuses a sheet whose cells claim places far out: the reader fills every gap before them, so a kilobyte of XML could ask
 * for gigabytes. Throws `SrqError('input')`; `damaged` is the error for places that are none.
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
  if (columns > MOST_COLUMNS) throw tooManyColumns();
  // The header and titles above it come on top.
  if (rows > MOST_ROWS + 100 || rows * columns > MOST_CELLS) {
    throw new SrqError(
      'input',
      `The sheet of ${path} reaches to row ${rows}, column ${columns}; at most ${MOST_ROWS} rows and ${MOST_CELLS} cells of a workbook are read.`,
      'Delete what stands beside or below the data, or save the sheet as CSV UTF-8 and import that: any size goes.',
    );
  }
}

/** A is 1, Z is 26, AA is 27. */
function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}
