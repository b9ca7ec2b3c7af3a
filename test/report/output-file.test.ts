import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeWhole } from '../../src/report/output-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-output-'));
  path = join(folder, 'out.csv');
  writeFileSync(path, 'as it was');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function* chunks(last: () => string) {
  yield 'one\n';
  yield last();
}
const written = () => ({ text: readFileSync(path, 'utf8'), files: readdirSync(folder) });

test('a file that is written whole takes the place of the one before, for its owner alone', async () => {
  expect(
    await writeWhole(
      path,
      chunks(() => 'two\n'),
      new AbortController().signal,
    ),
  ).toBe(true);
  expect(written()).toEqual({ text: 'one\ntwo\n', files: ['out.csv'] });
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what cannot be written whole leaves the file as it was, and nothing beside it', async () => {
  const failing = chunks(() => {
    throw new Error('the input has changed');
  });
  await expect(writeWhole(path, failing, new AbortController().signal)).rejects.toThrow('the input has changed');
  expect(written()).toEqual({ text: 'as it was', files: ['out.csv'] });
});

test('what is stopped before it is whole leaves the file as it was, and nothing beside it', async () => {
  const halt = new AbortController();
  const stopping = chunks(() => {
    halt.abort();
    return 'two\n';
  });
  expect(await writeWhole(path, stopping, halt.signal)).toBe(false);
  expect(written()).toEqual({ text: 'as it was', files: ['out.csv'] });
});
