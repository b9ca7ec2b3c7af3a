import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writtenFiles } from '../doors/kept.ts';

const TEXT = 'srq_status\n1,created\n';
const TRUST = { uid: process.getuid?.() ?? null, onDistrusted: () => {} };

/** A file that was noted as written. */
async function noted() {
  const folder = mkdtempSync(join(tmpdir(), 'srq-written-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'results.csv');
  writeFileSync(path, TEXT);
  const state = join(folder, 'state');
  const files = writtenFiles(state, TRUST);
  await files.note(path);
  return { folder, path, state, files };
}

test('a file is known as it was written, by any way to it, until it is changed or gone', async () => {
  const { folder, path, files } = await noted();
  symlinkSync(folder, join(folder, 'link'));
  expect(await files.isUnchanged(path)).toBe(true);
  expect(await files.isUnchanged(join(folder, 'link', 'results.csv'))).toBe(true);
  expect(await files.isUnchanged(folder)).toBe(false);
  writeFileSync(path, `${TEXT}2,created\n`);
  expect(await files.isUnchanged(path)).toBe(false);
  rmSync(path);
  expect(await files.isUnchanged(path)).toBe(false);
});

test('another file with the same content is not one that srq wrote, nor is any once the state is lost', async () => {
  const { folder, path, state, files } = await noted();
  const other = join(folder, 'other.csv');
  writeFileSync(other, TEXT);
  expect(await files.isUnchanged(other)).toBe(false);
  // A path may name a person, and the name of its record must not.
  expect(readdirSync(state)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  rmSync(state, { recursive: true });
  expect(await files.isUnchanged(path)).toBe(false);
});
