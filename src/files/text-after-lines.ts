import { SrqError } from '../model/errors.ts';

/** In bytes or letters. No row of a partner's file is longer; more is a quote that was never closed, or no CSV at all. */
export const LONGEST_RECORD = 1024 * 1024;

/**
 * Text without its first lines, and in no piece that would make an endless line: csv-parse bounds a record by its
 * letters, so a gigabyte of nothing but delimiters would fill the memory.
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
    if (sinceLineEnd > LONGEST_RECORD) {
      throw new SrqError(
        'input',
        'A line is longer than 1 MiB: this is not CSV.',
        'Export the data again as CSV, or name the format: --format json',
      );
    }
    if (rest) yield rest;
  }
}
