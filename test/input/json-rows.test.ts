import { describe, expect, it } from 'vitest';
import type { TextEncoding } from '../../src/input/decode.ts';
import { type JsonKind, jsonColumns, jsonRows } from '../../src/input/json-rows.ts';

const UTF8: TextEncoding = { name: 'utf-8', label: 'UTF-8', unexplained: null, isWrong: false, note: null };
const MIB = 1024 * 1024;

async function* only(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** The cells of each row with its line, and its problem if it has one; the error that ends them comes last. */
async function read(pieces: readonly string[], kind: JsonKind, encoding = UTF8): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    const columns = await jsonColumns(only(...pieces), kind);
    for await (const batch of jsonRows(only(...pieces), kind, columns, encoding)) {
      found.push(...batch.map(({ line, cells, problem }) => [line, cells.join('|'), ...(problem ? [problem] : [])]));
    }
  } catch (error) {
    found.push((error as Error).message);
  }
  return found;
}
const cells = async (object: unknown) => {
  const text = JSON.stringify(object);
  const columns = await jsonColumns(only(text), 'json');
  for await (const [row] of jsonRows(only(text), 'json', columns, UTF8))
    return [Object.fromEntries(columns.map((name, at) => [name, row?.cells[at]])), row?.problem];
  return null;
};

describe('the values of a file are told with their lines, wherever its text is cut', () => {
  it.each<[JsonKind, string, unknown[]]>([
    [
      'json',
      '[ {"a":"]},\\"{"},\n\n{"a":[1,\n2]} , {"a":3}]\n',
      [
        [1, ']},"{'],
        [3, '1, 2'],
        [4, '3'],
      ],
    ],
    [
      'json',
      ' {"a":"\\\\"}{"a":{\n"b":[]}}\t{"a":2}',
      [
        [1, '\\|'],
        [1, '|'],
        [2, '2|'],
      ],
    ],
    [
      'wrapped',
      '\n{"x":1,"data":\n[{"a":1},\n{"a":2}], "y":[{"a":3}]} }',
      [
        [3, '1'],
        [4, '2'],
      ],
    ],
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
      '{"a":1}\n{"a":2}\n',
      [
        [1, '1'],
        [2, '2'],
      ],
    ],
    ['json', '[]', []],
    [
      'json',
      '[{"a":1},,{"a":2}]',
      [
        [1, '1'],
        [1, '', 'is not valid JSON'],
        [1, '2'],
      ],
    ],
    ['json', '[{"a":1},]', [[1, '1']]],
    [
      'json',
      '[1,{"a":1},"x",null,[2]]',
      [
        [1, '', 'is not a JSON object'],
        [1, '1'],
        [1, '', 'is not a JSON object'],
        [1, '', 'is not a JSON object'],
        [1, '', 'is not a JSON object'],
      ],
    ],
    [
      'ndjson',
      '{"a":1}\nx',
      [
        [1, '1'],
        [2, '', 'is not valid JSON'],
      ],
    ],
    [
      'ndjson',
      '{"a":1,"a":2}\n{"a":3}',
      [
        [1, '', 'names a key twice with different values'],
        [2, '3'],
      ],
    ],
  ])('%s: %j', async (kind, text, expected) => {
    for (let cut = 0; cut <= text.length; cut++)
      expect(await read([text.slice(0, cut), text.slice(cut)], kind), `cut at ${cut}`).toEqual(expected);
  });

  const CUT = 'is cut off or has an unclosed quote or bracket.';
  it.each<[JsonKind, string, string]>([
    ['json', '[{"a":1},\n{"a":2}', `The JSON array is not closed: element 2 (line 2) ${CUT}`],
    ['json', '[{"a":1},\n{"a":2},', `The JSON array is not closed: element 3 (line 2) ${CUT}`],
    ['json', '[{"a":"]}', `The JSON array is not closed: element 1 (line 1) ${CUT}`],
    ['json', '[', `The JSON array is not closed: element 1 (line 1) ${CUT}`],
    ['json', '{"a":1}\n{"b":', 'The JSON value that begins at line 2 is not closed.'],
    ['json', '[{"a":1}]\n x', 'Text follows the JSON array (line 2).'],
    ['json', '[{"a":1}],', 'Text follows the JSON array (line 1).'],
    ['wrapped', '{"data":[{"a":1}', `The JSON array is not closed: element 1 (line 1) ${CUT}`],
  ])('%s that is damaged: %j', async (kind, text, message) => {
    for (let cut = 0; cut <= text.length; cut++)
      expect((await read([text.slice(0, cut), text.slice(cut)], kind)).at(-1), `cut at ${cut}`).toBe(message);
  });

  it('rows before the damage are told', async () => {
    const rows = jsonRows(only('[{"a":1},{"a":2},', '{"a"'), 'json', ['a'], UTF8);
    expect((await rows.next()).value).toHaveLength(2);
    await expect(rows.next()).rejects.toThrow('not closed');
  });
});

describe('a value has at most 1 MiB', () => {
  const object = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
  const TOO_LONG = (line: number) => `The JSON value that begins at line ${line} is longer than 1 MiB.`;
  it.each<[JsonKind, (text: string) => string[], number]>([
    ['json', (text) => [`[{"a":1},\n ${text} ]`], 2],
    ['json', (text) => ['[\n', text.slice(0, 9), text.slice(9), ']'], 2],
    ['ndjson', (text) => ['{"a":1}\n', text], 2],
    ['ndjson', (text) => ['{"a":1}\n{"a":1}\n', text.slice(0, 9), text.slice(9), '\n'], 3],
    ['wrapped', (text) => [`{"data":[${text}`, `]}${' '.repeat(2 * MIB)}`], 1],
  ])('in %s', async (kind, pieces, line) => {
    const rows = await read(pieces(object(MIB)), kind);
    expect(rows.at(-1)).toEqual([line, 'x'.repeat(MIB - 8)]);
    expect((await read(pieces(object(MIB + 1)), kind)).at(-1)).toBe(TOO_LONG(line));
  });
});

describe('an object becomes cells', () => {
  it.each<[unknown, object]>([
    [{ a: { b: { c: 1 }, d: true } }, { 'a.b.c': '1', 'a.d': 'true' }],
    [{ a: [1, 'x', null] }, { a: '1, x, ' }],
    [{ a: [] }, { a: '' }],
    [{ a: [{ b: 1 }, 2, [3]] }, { 'a.0.b': '1', 'a.1': '2', 'a.2': '3' }],
    [{ a: [[1, 2]] }, { 'a.0': '1, 2' }],
    [{ a: null }, { a: '' }],
    [{ google_key: 'secret', a: { google_key: 'x' } }, { 'a.google_key': 'x' }],
    [{ field_data: [{ name: 'phone', values: ['1', '2'] }, { name: 'x' }] }, { phone: '1, 2', x: '' }],
    [{ user_column_data: [{ column_id: 'EMAIL', string_value: 'a@b' }] }, { EMAIL: 'a@b' }],
    [
      { field_data: 'x', user_column_data: 1 },
      { field_data: 'x', user_column_data: '1' },
    ],
    [{ a: { field_data: [{ name: 'b' }] } }, { 'a.field_data.0.name': 'b' }],
    [{ a: { user_column_data: [{ column_id: 'b' }] } }, { 'a.user_column_data.0.column_id': 'b' }],
  ])('%j: %j', async (object, expected) => {
    expect(await cells(object)).toEqual([expected, null]);
  });

  it.each<[unknown, string]>([
    [{ field_data: [{ values: ['1'] }] }, 'has an answer without a name'],
    [{ field_data: [3] }, 'has an answer without a name'],
    [{ user_column_data: [{ column_id: 1 }] }, 'has an answer without a name'],
    [{ a: 1, field_data: [{ name: 'a', values: ['2'] }] }, 'has two values for "a"'],
    [{ is_test: true, user_column_data: [] }, 'is a test lead: never sent'],
  ])('%j: %s', async (object, problem) => {
    expect((await cells(object))?.[1]).toBe(problem);
  });

  it.each<unknown>([
    { a: 1, field_data: [{ name: 'a', values: ['1'] }] },
    { is_test: false, user_column_data: [] },
    { is_test: 'true', user_column_data: [] },
    { is_test: true },
  ])('%j has no problem', async (object) => {
    expect((await cells(object))?.[1]).toBeNull();
  });

  it('up to a depth of twenty', async () => {
    const nested = (depth: number, inside = '1') => `${'{"a":'.repeat(depth)}${inside}${'}'.repeat(depth)}`;
    const problem = async (text: string) => (await read([text], 'json'))[0];
    expect(await problem(nested(20))).toEqual([1, '1']);
    expect(await problem(nested(21))).toEqual([1, '', 'is nested too deeply']);
    expect(await problem(nested(19, '[[1]]'))).toEqual([1, '1']);
    expect(await problem(nested(20, '[[1]]'))).toEqual([1, '', 'is nested too deeply']);
  });
});
