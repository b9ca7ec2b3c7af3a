import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ANY_OWNER, WrittenFiles } from '../doors/kept.ts';

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

test('a file that is gone, or a folder in its place, is not what was written', async () => {
  const { path, files } = await noted(true);
  rmSync(path);
  expect(await files.isUnchanged(path, 'run')).toBe(false);
  expect(await files.isUnchanged(join(path, '..'), 'run')).toBe(false);
});

// Who moves to this version may bring a results file back that an earlier one has written.
test.each([
  ['run', 62_220],
  ['rehearsal', 665_602],
  ['export', 349_604],
] as const)(
  'a file that an earlier version wrote as %s is known by the microseconds of its time',
  async (of, microseconds) => {
    const { path, files } = await noted(false);
    utimesSync(path, 1_000_000_000, 1_000_000_000 + (microseconds + 0.5) / 1_000_000);
    expect(await files.isUnchanged(path, of)).toBe(true);
    utimesSync(path, 1_000_000_000, 1_000_000_000 + (microseconds + 1.5) / 1_000_000);
    expect(await files.isUnchanged(path, of)).toBe(false);
  },
);

test('a file keeps the second in which it was written, and is known by any way to it', async () => {
  const { path, files } = await noted(true);
  expect(Math.abs(statSync(path).mtimeMs - Date.now())).toBeLessThan(60_000);
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  const folder = join(path, '..');
  symlinkSync(folder, join(folder, 'link'));
  expect(await files.isUnchanged(join(folder, 'link', 'results.csv'), 'run')).toBe(true);
  const other = join(folder, 'other.csv');
  writeFileSync(other, TEXT);
  utimesSync(other, 1_000_000_000, 1_000_000_000);
  expect(await files.isUnchanged(other, 'run')).toBe(false);
});

test('what the state says of a file counts only if it is in the form of srq', async () => {
  const { path, files } = await noted(true);
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  const state = join(path, '..', 'state');
  const [name = ''] = readdirSync(state);
  for (const text of ['', '{', JSON.stringify({ sha256: SHA256 }), JSON.stringify({ sha256: SHA256, of: 'export' })]) {
    writeFileSync(join(state, name), text);
    expect(await files.isUnchanged(path, 'run')).toBe(false);
  }
  // A path may name a person, and the name of its record must not.
  expect(name).toMatch(/^[0-9a-f]{32}\.json$/);
});
