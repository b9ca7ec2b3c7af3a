import { describe, expect, it } from 'vitest';
import type { TextEncoding } from '../../src/input/decode.ts';
import { type JsonKind, jsonColumns, jsonObjects, jsonRows } from '../../src/input/json-rows.ts';

const UTF8: TextEncoding = { name: 'utf-8', label: 'UTF-8', unexplained: null, note: null };
const MIB = 1024 * 1024;

async function* only(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** The cells of each row with its line, and its problem if it has one; the error that ends them comes last. */
async function read(pieces: readonly string[], kind: JsonKind, encoding = UTF8): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    const objects = await jsonObjects(() => only(...pieces), kind);
    const columns = await jsonColumns(objects);
    for await (const batch of jsonRows(objects(), columns, encoding)) {
      found.push(...batch.map(({ line, cells, problem }) => [line, cells.join('|'), ...(problem ? [problem] : [])]));
    }
  } catch (error) {
    found.push((error as Error).message);
  }
  return found;
}
describe('the values of a file, wherever its text is cut', () => {
  it.each<[JsonKind, string, unknown[]]>([
    [
      'ndjson',
      '{"a":1}\n\n \r\n{"a":2}\r\n{"a":3}',
      [
        [1, '1'],
        [4, '2'],
        [5, '3'],
      ],
    ],
    [
      'ndjson',
      '{"a":1,"a":2}\nx\n{"a":3}',
      [
        [1, '', 'names a key twice with different values'],
        [2, '', 'is not valid JSON'],
        [3, '3'],
      ],
    ],
  ])('a JSON file gives its values, wherever its text is cut, %s: %j', async (kind, text, expected) => {
    for (let cut = 0; cut <= text.length; cut++)
      expect(await read([text.slice(0, cut), text.slice(cut)], kind), `cut at ${cut}`).toEqual(expected);
  });
});

it('a line of JSON has at most 1 MiB, and a file that is no lines at most 20 MiB', async () => {
  const object = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
  expect((await read(['{"a":1}\n', object(MIB)], 'ndjson')).at(-1)).toEqual([2, 'x'.repeat(MIB - 8)]);
  expect(await read(['{"a":1}\n', object(MIB + 1)], 'ndjson')).toEqual([
    'Line 2 of the file is longer than JSON may be, a line of 1 MiB.',
  ]);
  const half = ' '.repeat(10 * MIB);
  expect(await read(['[', half, half.slice(2), ']'], 'json')).toEqual([]);
  expect(await read(['[', half, half, ']'], 'json')).toEqual([
    'The file is longer than JSON may be, 20 MiB, unless each line is a value.',
  ]);
});

describe('an object becomes cells', () => {
  it('objects of a JSON row become cells down to a depth of twenty', async () => {
    const nested = (depth: number, inside = '1') => `${'{"a":'.repeat(depth)}${inside}${'}'.repeat(depth)}`;
    const problem = async (text: string) => (await read([text], 'json'))[0];
    expect(await problem(nested(20))).toEqual([null, '1']);
    expect(await problem(nested(21))).toEqual([null, '', 'is nested too deeply']);
    expect(await problem(nested(19, '[[1]]'))).toEqual([null, '1']);
    expect(await problem(nested(20, '[[1]]'))).toEqual([null, '', 'is nested too deeply']);
  });
});
