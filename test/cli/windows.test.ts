import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesOfPattern } from '../../src/cli/file-pattern.ts';
import { isHeldOpen } from '../doors/kept.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-held-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const systemError = (code: string) => Object.assign(new Error('x'), { code });

test('a file that another program holds open is told apart from one that may not be written', () => {
  const held = (system: string) =>
    ['EBUSY', 'EPERM', 'EACCES', 'ENOSPC'].map((code) => isHeldOpen(systemError(code), system));
  expect(held('win32')).toEqual([true, true, true, false]);
  expect(held('linux')).toEqual([true, false, false, false]);
});

describe('A pattern', () => {
  beforeEach(() => {
    for (const name of ['b.csv', 'a.CSV', 'c.csv.txt', 'a+b.csv']) writeFileSync(join(folder, name), '');
  });
  const named = async (pattern: string) =>
    (await filesOfPattern(join(folder, pattern))).map((path) => path.slice(folder.length + 1));

  test.each([
    ['*.csv', ['a+b.csv', 'a.CSV', 'b.csv']],
    ['?.csv', ['a.CSV', 'b.csv']],
    ['a+*', ['a+b.csv']],
    ['b.csv', ['b.csv']],
    ['*.xlsx', ['*.xlsx']],
  ])('A pattern that the shells of Windows leave as %s names the files that it means', async (pattern, files) => {
    expect(await named(pattern)).toEqual(files);
  });
});
