import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requireOwnOrNew, writeAll, writeWhole } from '../../src/report/output-file.ts';
import { filesOpenHere } from '../helpers/open-files.ts';

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

const isOwn = (head: string) => head.startsWith('srq');
const required = () => requireOwnOrNew(path, 'report', '--report', isOwn);

test.each([
  ['none', () => rmSync(path)],
  ['an empty one', () => writeFileSync(path, '')],
  ['one of its kind', () => writeFileSync(path, `srq${'x'.repeat(200_000)}`)],
])('a file may be written where there is %s', async (_, make) => {
  make();
  await expect(required()).resolves.toBeUndefined();
});

test('a file that is another one, or no file, is never replaced: a slip in an option must not cost the leads', async () => {
  await expect(required()).rejects.toMatchObject({
    reason: 'output.not-replaced',
    hint: 'Name another file: --report FILE',
  });
  expect(readFileSync(path, 'utf8')).toBe('as it was');
  rmSync(path);
  mkdirSync(path);
  await expect(required()).rejects.toThrow('is not a regular file');
});

test.skipIf(process.platform !== 'linux')('what was only looked at is not held open', async () => {
  await expect(required()).rejects.toThrow('not replaced');
  expect(filesOpenHere()).not.toContain(path);
});

test('a slow reader is waited for, and one that has gone is not', async () => {
  const slow = new PassThrough({ highWaterMark: 4 });
  let isWritten = false;
  const writing = writeAll(slow, 'more than four').then(() => {
    isWritten = true;
  });
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  expect(String(slow.read())).toBe('more than four');
  await writing;
  expect(slow.listenerCount('drain') + slow.listenerCount('close')).toBe(0);
  const leaving = writeAll(slow, 'more than four');
  slow.destroy();
  await leaving;
  await writeAll(slow, 'more');
});
