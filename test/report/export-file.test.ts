import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeExport } from '../../src/report/export-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-export-'));
  path = join(folder, 'out.csv');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an export that is written', () => {
  async function* chunks(last: () => string | Uint8Array) {
    yield 'one\n';
    yield last();
  }

  test('and stopped is told as unfinished, with nothing written', async () => {
    const stop = new AbortController();
    const stopping = chunks(() => {
      stop.abort();
      return 'two\n';
    });
    await expect(writeExport(path, stopping, stop.signal)).rejects.toMatchObject({
      reason: 'interrupted.unfinished',
      message: `Interrupted: ${path} was not written.`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
