import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ANY_OWNER } from '../../src/settings/own-file.ts';
import { WrittenFiles } from '../../src/settings/written-files.ts';

const TEXT = 'row,status\n1,created\n';
const SHA256 = createHash('sha256').update(TEXT).digest('hex');

/** A file that was noted as the results of a run, with a state folder or none. */
async function noted(withState: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'srq-written-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'results.csv');
  const files = new WrittenFiles(withState ? join(folder, 'state') : null, ANY_OWNER);
  writeFileSync(path, TEXT);
  await files.note(path, SHA256, 'run');
  return { path, files };
}

test.each([true, false])(
  'a file is known as what it was written as until it is changed; with a state: %s',
  async (withState) => {
    const { path, files } = await noted(withState);
    expect(await files.isUnchanged(path, 'run')).toBe(true);
    expect(await files.isUnchanged(path, 'rehearsal')).toBe(false);
    writeFileSync(path, `${TEXT}2,created\n`);
    expect(await files.isUnchanged(path, 'run')).toBe(false);
  },
);

test('a file whose time was rounded is known by the state alone', async () => {
  for (const withState of [true, false]) {
    const { path, files } = await noted(withState);
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    expect(await files.isUnchanged(path, 'run')).toBe(withState);
  }
});

test('a file that is gone, or a folder in its place, is not what was written', async () => {
  const { path, files } = await noted(true);
  rmSync(path);
  expect(await files.isUnchanged(path, 'run')).toBe(false);
  expect(await files.isUnchanged(join(path, '..'), 'run')).toBe(false);
});
