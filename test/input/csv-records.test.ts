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
