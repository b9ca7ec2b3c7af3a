import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import { openFile, readTable, scratchFile } from '../helpers/read-table.ts';

describe('the format of a file', () => {
  it.each([
    ['a,b\n1,2\n', 'csv', 'csv'],
    ['{"a":1}\n{"a":2}\n', 'txt', 'ndjson'],
    ['{"a":1}\n{"a":2}\n', 'csv', 'ndjson'],
    ['[{"a":1}]', 'txt', 'json'],
    ['{"a":\n1}', 'txt', 'json'],
    ['{"data":[{"a":1}]}', 'txt', 'json'],
    ['[1]\n', 'json', 'json'],
    ['[1]\n[1]\n', 'txt', 'csv'],
    ['{"a":\n1}', 'NDJSON', 'ndjson'],
    ['{"a":1}\n', 'jsonl', 'ndjson'],
    ['1\n', 'JSONL', 'ndjson'],
  ])('%j in a file that ends with .%s is %s', async (content, ending, format) => {
    expect((await openFile(scratchFile(content, ending))).format).toBe(format);
    expect((await openFile(scratchFile(gzipSync(content), `${ending}.gz`))).format).toBe(format);
  });

  it('may be said', async () => {
    expect((await openFile(scratchFile('{"a":1}\nx\n'), { format: 'csv' })).format).toBe('csv');
    expect((await openFile(scratchFile('{"a":\n1}', 'csv'), { format: 'json' })).format).toBe('json');
    expect((await readTable(scratchFile('{"data":[{"a":1}]}', 'csv'), { format: 'json' })).cells).toEqual([['1']]);
    await expect(openFile(scratchFile('{"data":[{"a":1}]}', 'csv'), { format: 'ndjson' })).rejects.toThrow(
      'in its list "data"',
    );
  });

  it('of a list within an object is refused, unless the object has known fields', async () => {
    await expect(openFile(scratchFile('{"x":1,"list":[{"a":1}]}'))).rejects.toThrow('in its list "list"');
    expect((await openFile(scratchFile('{"phone":1,"list":[{"a":1}]}'))).columns).toEqual(['phone', 'list.0.a']);
  });
});

describe('notes tell', () => {
  it('what was found, once each, in the order of reading', async () => {
    const text = 'Title;;\na;;c\n1;2;3\n4;5;6\n;;\ntotal;;\n';
    const { table } = await readTable(scratchFile(gzipSync(Buffer.from(`${text}`, 'latin1'))));
    for await (const _ of table.rows());
    expect(table.notes).toEqual([
      'Unpacked while reading (gzip).',
      'Set aside before the header: line 1.',
      'Without a name in the header: column 2.',
      "Set aside as the report's footer: line 6.",
    ]);
  });

  it('nothing where nothing was found', async () => {
    expect((await readTable(scratchFile('a,b\n1,2\n'))).table.notes).toEqual([]);
    expect((await readTable(scratchFile('[{"a":1}]'))).table.notes).toEqual([]);
  });

  it('the columns of a results file', async () => {
    const text = 'phone,srq_status,srq_id,srq_message,srq_row\n1,created,x,,1\n';
    expect((await openFile(scratchFile(text))).notes).toEqual([
      'A results file of srq: srq_status, srq_id, srq_message, srq_row are set aside. What it calls created or duplicate is not sent.',
    ]);
  });

  it('which columns nearly all rows leave out, and which have no name', async () => {
    const { notes } = await openFile(scratchFile(`a,b,,d,\n${'1,2,x\n'.repeat(5)}`));
    expect(notes).toContain('Without a name in the header: column 3, 5.');
  });
});

describe('a test lead', () => {
  it.each([
    ['true', true],
    [' TRUE ', true],
    ['1', true],
    ['Yes', true],
    ['false', false],
    ['', false],
    ['truely', false],
    ['11', false],
  ])('is marked by %j: %s', async (mark, isTest) => {
    const { rows } = await readTable(scratchFile(`is_test,b\n${mark},x\n`));
    expect(rows.map(({ problem }) => problem)).toEqual([isTest ? 'is a test lead: never sent' : null]);
    const { rows: last } = await readTable(scratchFile(`b,is_test\nx,${mark}\n`));
    expect(last[0]?.problem).toBe(rows[0]?.problem);
  });

  it('keeps another problem that it has', async () => {
    const { rows } = await readTable(scratchFile('is_test,b\ntrue\nx,y\nx,y\n'));
    expect(rows[0]?.problem).toContain('has 1 cell');
  });
});

describe('the beginning of a file', () => {
  it('tells the dialect in 64 Ki characters', async () => {
    const filler = (count: number) => `a,b\n${'x,y\n'.repeat(count)}`;
    // Behind the sample any other delimiter may be more frequent.
    const late = `${filler(16_384)}${'p;q;r\n'.repeat(40_000)}`;
    expect((await openFile(scratchFile(late))).delimiter).toBe(',');
    const early = `a,b\n${'p;q;r\n'.repeat(9_000)}${filler(3)}`;
    expect((await openFile(scratchFile(early))).delimiter).toBe(';');
  });

  it('has a last line that counts if the file is short', async () => {
    expect((await readTable(scratchFile('a;b;c\n1;2;3\n4;5;6'))).cells).toHaveLength(2);
  });

  it('has at most 5,000 columns', async () => {
    const of = (count: number) =>
      `${Array.from({ length: count }, (_, at) => `c${at}`).join(',')}\n${'x,'.repeat(count - 1)}x\n`;
    expect((await openFile(scratchFile(of(5_000)))).columns).toHaveLength(5_000);
    await expect(openFile(scratchFile(of(5_001)))).rejects.toThrow('more than 5000 columns');
  });

  it('may be anything in JSON, where names are no header', async () => {
    expect((await openFile(scratchFile('[{"ana@example.com":1}]'))).columns).toEqual(['ana@example.com']);
    await expect(openFile(scratchFile(workbook([{ name: 'L', rows: [['ana@example.com'], ['x']] }])))).rejects.toThrow(
      'has no header: column 1',
    );
  });

  it('without a table is refused by what is missing', async () => {
    await expect(openFile(scratchFile(' \n\n'))).rejects.toThrow(/is empty\.$/);
    await expect(openFile(scratchFile('\n', 'ndjson'))).rejects.toThrow(/is empty\.$/);
    await expect(openFile(scratchFile('{"data":[]}', 'json'))).rejects.toThrow('holds no rows.');
    await expect(openFile(scratchFile('a,b\n,\n'))).rejects.toThrow('has a header but no rows.');
    await expect(openFile(scratchFile(workbook([{ name: 'L', rows: [['a', 'b']] }])))).rejects.toThrow(
      'has a header but no rows.',
    );
  });
});

it('a packed file of up to 64 MiB may expand as it likes', async () => {
  const packed = (bytes: number) =>
    gzipSync(Buffer.concat([Buffer.from('a\n'), Buffer.alloc(bytes - 2, 'x\n')]), { level: 9 });
  const most = 64 * 1024 * 1024;
  expect(packed(most).length * 500).toBeLessThan(most);
  expect((await openFile(scratchFile(packed(most)))).columns).toEqual(['a']);
  await expect(openFile(scratchFile(packed(most + 1)))).rejects.toThrow('unpacks to more than 100 times its size');
});

it('rows are read from the beginning each time, with what was read told anew', async () => {
  const { table } = await readTable(scratchFile('a,b\n1,2\n'));
  expect([table.readBytes(), table.sizeBytes, table.encoding, table.delimiter, table.format]).toEqual([
    8,
    8,
    'UTF-8',
    ',',
    'csv',
  ]);
  let rows = 0;
  for await (const batch of table.rows()) rows += batch.length;
  expect([rows, table.readBytes()]).toEqual([1, 8]);
});

it('a file in quotes, behind titles or in another encoding is read as text with the same rows', async () => {
  const expected = [['é', '2', '3']];
  for (const content of ['a,b,c\né,2,3\n', 'T\n\na,b,c\né,2,3\n', '"a,b,c"\n"é,2,3"\n', '\uFEFFa,b,c\né,2,3\n'])
    expect((await readTable(scratchFile(content))).cells, content).toEqual(expected);
  expect((await readTable(scratchFile(Buffer.from('a,b,c\né,2,3\n', 'latin1')))).cells).toEqual(expected);
});
