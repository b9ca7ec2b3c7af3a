import { SrqError } from '../model/errors.ts';

/**
 * Maximum size of one record, in bytes or characters. A longer one is not a row of a partner's file: a quote was never
 * closed, or the file is not CSV at all.
 */
export const MAX_RECORD = 1024 * 1024;

/**
 * Yields text without its first `count` lines. Throws `SrqError('input')` if a line is longer than 1 MiB. csv-parse
 * bounds a record by the letters in its cells alone, so that a gigabyte of delimiters would fill the memory.
 */
export async function* textAfterLines(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count;
  let sinceLineEnd = 0;
  let afterCarriageReturn = false;
  for await (const piece of text) {
    let rest = piece;
    if (afterCarriageReturn && rest.startsWith('\n')) rest = rest.slice(1);
    afterCarriageReturn = false;
    while (left > 0 && rest !== '') {
      const end = /\r\n|\n|\r/.exec(rest);
      afterCarriageReturn = end?.[0] === '\r' && end.index + 1 === rest.length;
      rest = end ? rest.slice(end.index + end[0].length) : '';
      if (end) left--;
    }
    const lastEnd = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r'));
    sinceLineEnd = lastEnd < 0 ? sinceLineEnd + rest.length : rest.length - lastEnd - 1;
    if (sinceLineEnd > MAX_RECORD) {
      throw new SrqError(
        'input',
        'A line is longer than 1 MiB: this is not CSV.',
        'Export the data again as CSV, or name the format: --format json',
      );
    }
    if (rest) yield rest;
  }
}
