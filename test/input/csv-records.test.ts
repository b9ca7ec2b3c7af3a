import { expect, test } from 'vitest';
import { csvRecords } from '../../src/input/csv-records.ts';

/** Reads a text that comes in pieces, and returns the line and the cells of each record. */
async function read(pieces: readonly string[], linesBeforeHeader = 0) {
  async function* text() {
    yield* pieces;
  }
  const found: [line: number, ...cells: string[]][] = [];
  for await (const batch of csvRecords(text(), { delimiter: ',', linesBeforeHeader })) {
    found.push(...batch.map(({ line, cells }): [number, ...string[]] => [line, ...cells]));
  }
  return found;
}

test.each(['\n', '\r\n', '\r'])('lines before the header are set aside wherever the text is cut (%j)', async (end) => {
  const text = ['Leads of May', '', 'as of today', 'a,b', '1,2', ''].join(end);
  for (let cut = 0; cut <= text.length; cut += 1) {
    const found = await read([text.slice(0, cut), text.slice(cut)], 3);
    expect(found, `cut at ${cut}`).toEqual([
      [4, 'a', 'b'],
      [5, '1', '2'],
    ]);
  }
});

const MIB = 1024 * 1024;
const TOO_LONG = 'A line is longer than 1 MiB';

test('a line of delimiters may have 1 MiB, and not one letter more, in one piece or several', async () => {
  const [, row] = await read(['a,b\n', ','.repeat(MIB), '\n', ',\n']);
  expect(row).toHaveLength(MIB + 2);
  await expect(read(['a,b\n', ','.repeat(MIB + 1), '\n1,2\n'])).rejects.toThrow(TOO_LONG);
  await expect(read(['a,b\n,', ','.repeat(MIB)])).rejects.toThrow(TOO_LONG);
  await expect(read([`a,b\r${','.repeat(MIB + 1)}`])).rejects.toThrow(TOO_LONG);
});

test.each(['\n', '\r\n', '\r'])('records of a CSV file carry their lines in the file (%j)', async (end) => {
  const text = ['a,b', '"1" x,2', `"3${end}and more",4`, '5,6', '', '"7",8', ''].join(end);
  const expected = [
    [1, 'a', 'b'],
    [2, '"1" x', '2'],
    [3, `3${end}and more`, '4'],
    [5, '5', '6'],
    [7, '7', '8'],
  ];
  for (let cut = 0; cut <= text.length; cut += 1)
    expect(await read([text.slice(0, cut), text.slice(cut)]), `cut at ${cut}`).toEqual(expected);
});

/** The lines of the records, their suspicions, and the message of the error that ends them. */
async function suspicions(text: string) {
  async function* pieces() {
    yield text;
  }
  const found: unknown[] = [];
  try {
    for await (const batch of csvRecords(pieces(), { delimiter: ',', linesBeforeHeader: 0 }))
      found.push(...batch.map(({ suspicion }) => suspicion));
  } catch (error) {
    found.push((error as Error).message.replace(/ has a quote.*/, ' is not closed'));
  }
  return found;
}

test.each<[string, string, string | null | undefined]>([
  ['a quote where a cell would open its own', 'a,b\n1,"""x\n,""y"\n', undefined],
  ['a quote where a row would open its own', 'a,b\n1,"""x\n""y"\n', undefined],
  ['a quote where a row of CR would', 'a,b\n1,"""x\r""y"\n', undefined],
  ['quotes elsewhere', 'a,b\n1,"""x\ny"""\n', null],
  ['a text that begins with no quote', 'a,b\n1,"x\n,""y"\n', null],
  ['a ragged record with a row within', 'a,b,c\n1,"x,\n,y"\n', undefined],
  ['a ragged record with less than a row within', 'a,b,c\n1,"x,\ny"\n', null],
  ['a ragged record of two columns', 'a,b\n"x,\ny"\n', null],
  ['a whole record with a row within', 'a,b,c\n1,"x,\n,y",3\n', null],
  ['a whole record of four columns that reads like two rows', 'a,b,c,d\n1,2,3,"x\n4,5,6,7"\n', null],
  ['a whole record of five columns with a cell less', 'a,b,c,d,e\n1,2,3,4,"x\n5,6,7,8"\n', null],
  ['a whole record of five columns with a cell more', 'a,b,c,d,e\n1,2,3,4,"x\n5,6,7,8,9,0"\n', null],
  ['no line break in it', 'a,b,c,d,e\n1,2,3,4,"5,6,7,8,9"\n', null],
])('a record after a quote that was not closed is not trusted: %s', async (_, text, expected) => {
  expect((await suspicions(text)).at(-1)).toEqual(expected === undefined ? 'Row 1 (line 2) is not closed' : expected);
});
