import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireExportPlace, writeExport } from '../../src/report/export-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-export-'));
  path = join(folder, 'out.csv');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an export may replace', () => {
  test.each([
    ['one of the log as CSV', 'ref,id,ids,status,at,row,file,run,key\r\nL-1,9'],
    ['one of the log with another delimiter', 'ref;id;ids;status;at;row;file;run;key\r\n'],
    ['one of a file', 'Name,Phone,srq_status,srq_id,srq_at\r\nAna'],
    ['one of a file with no other column', 'srq_status\tsrq_id\tsrq_at\r\n'],
    ['an empty one as JSON', '[]\n'],
    ['one of the log as JSON', '[{"ref":"L-1","id":"9","ids":{"id":"9"}}]'],
    ['one of a file as JSON', '[{"Name":"Ana","srq_status":"created","srq_id":"9","srq_at":null}]'],
  ])('%s', async (_, text) => {
    writeFileSync(path, text);
    await requireExportPlace(path, null, false);
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([text, ['out.csv']]);
  });

  test('nothing, where there is no file yet, and an empty one', async () => {
    await requireExportPlace(path, null, false);
    writeFileSync(path, '');
    await requireExportPlace(path, join(folder, 'missing.csv'), false);
  });

  test('a workbook, where it is known to be one of ours', async () => {
    writeFileSync(path, 'PK\u0003\u0004');
    await expect(requireExportPlace(path, null, false)).rejects.toMatchObject({ reason: 'output.not-replaced' });
    await requireExportPlace(path, null, true);
  });
});

test.each([
  'Name,Phone\r\nAna',
  'ref,id,status\r\n',
  'Name,srq_status,srq_id,srq_at,Phone\r\n',
  'Name,srq_status,srq_id\r\n',
  '[{"ref":"L-1"}]',
  '[{"Name":"Ana","srq_status":"created"}]',
  '[]',
])('no other file is replaced: %j', async (text) => {
  writeFileSync(path, text);
  await expect(requireExportPlace(path, null, false)).rejects.toMatchObject({
    reason: 'output.not-replaced',
    message: expect.stringContaining('(export)'),
    hint: 'Name another file: --output FILE',
  });
});

test('the input is not replaced, by whatever path it is named', async () => {
  writeFileSync(path, 'srq_status,srq_id,srq_at\r\n');
  const other = join(folder, 'other.csv');
  symlinkSync(path, other);
  for (const input of [path, other])
    await expect(requireExportPlace(path, input, true)).rejects.toMatchObject({
      reason: 'output.not-replaced',
      message: 'The export would replace the input.',
    });
});

test.skipIf(process.getuid?.() === 0)(
  'a folder that takes no file is an error at once (needs another user than root)',
  async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    await expect(requireExportPlace(join(closed, 'a.csv'), null, false)).rejects.toMatchObject({
      reason: 'output.unwritable',
    });
  },
);

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
