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
