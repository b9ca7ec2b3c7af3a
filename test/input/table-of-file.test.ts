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

  it('the format of a file may be named', async () => {
    expect((await openFile(scratchFile('{"a":1}\nx\n'), { format: 'csv' })).format).toBe('csv');
    expect((await openFile(scratchFile('{"a":\n1}', 'csv'), { format: 'json' })).format).toBe('json');
    expect((await readTable(scratchFile('{"data":[{"a":1}]}', 'csv'), { format: 'json' })).cells).toEqual([['1']]);
    await expect(openFile(scratchFile('{"data":[{"a":1}]}', 'csv'), { format: 'ndjson' })).rejects.toThrow(
      'in its list "data"',
    );
  });
});

describe('notes tell', () => {
  it('notes say what was found, once each, in the order of reading', async () => {
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

  it('notes say nothing where nothing was found', async () => {
    expect((await readTable(scratchFile('a,b\n1,2\n'))).table.notes).toEqual([]);
    expect((await readTable(scratchFile('[{"a":1}]'))).table.notes).toEqual([]);
  });

  it('notes name the columns of a results file', async () => {
    const text = 'phone,srq_status,srq_id,srq_message,srq_row\n1,created,x,,1\n';
    expect((await openFile(scratchFile(text))).notes).toEqual([
      'A results file of srq: srq_status, srq_id, srq_message, srq_row are set aside. What it calls created or duplicate is not sent.',
    ]);
  });

  it('notes name columns that nearly all rows leave out, and those without a name', async () => {
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
  ])('a test lead is marked by %j: %s', async (mark, isTest) => {
    const { rows } = await readTable(scratchFile(`is_test,b\n${mark},x\n`));
    expect(rows.map(({ problem }) => problem)).toEqual([isTest ? 'is a test lead: never sent' : null]);
    const { rows: last } = await readTable(scratchFile(`b,is_test\nx,${mark}\n`));
    expect(last[0]?.problem).toBe(rows[0]?.problem);
  });

  it('a test lead keeps another problem that it has', async () => {
    const { rows } = await readTable(scratchFile('is_test,b\ntrue\nx,y\nx,y\n'));
    expect(rows[0]?.problem).toContain('has 1 cell');
  });
});

describe('the beginning of a file', () => {
  it('the header of a file has at most 5,000 columns', async () => {
    const of = (count: number) =>
      `${Array.from({ length: count }, (_, at) => `c${at}`).join(',')}\n${'x,'.repeat(count - 1)}x\n`;
    expect((await openFile(scratchFile(of(5_000)))).columns).toHaveLength(5_000);
    await expect(openFile(scratchFile(of(5_001)))).rejects.toThrow('more than 5000 columns');
  });

  it('a JSON file may begin with anything, for names are no header there', async () => {
    expect((await openFile(scratchFile('[{"ana@example.com":1}]'))).columns).toEqual(['ana@example.com']);
    await expect(openFile(scratchFile(workbook([{ name: 'L', rows: [['ana@example.com'], ['x']] }])))).rejects.toThrow(
      'has no header: column 1',
    );
  });
});
