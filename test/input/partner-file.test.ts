import { realpathSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstChunk, kindOf, notAWorkbook, openPartnerFile, unreadable } from '../../src/input/partner-file.ts';
import { filesOpenHere } from '../helpers/open-files.ts';
import { scratchFile } from '../helpers/read-table.ts';

const BOM = '\xef\xbb\xbf';

describe('a file is told by its first bytes', () => {
  it.each([
    ['gzip', [0x1f, 0x8b]],
    ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ])('as %s, if all of them are right', (kind, begins) => {
    expect(kindOf('f', Buffer.from([...begins, 0x20]))).toBe(kind);
    for (const at of begins.keys())
      expect(kindOf('f', Buffer.from(begins.with(at, (begins[at] ?? 0) ^ 0x01)))).toBe('text');
    expect(kindOf('f', Buffer.from(begins.slice(0, -1)))).toBe('text');
  });

  it.each([
    [[0xd0, 0xcf, 0x11, 0xe0], 'an Excel 97-2003 workbook (.xls), or one with a password', 'without a password'],
    [[0x25, 0x50, 0x44, 0x46], 'a PDF', 'Export the data'],
    [[0x28, 0xb5, 0x2f, 0xfd], 'compressed with Zstandard', 'zstd -d FILE'],
    [[0x42, 0x5a, 0x68], 'compressed with bzip2', 'bunzip2 FILE'],
    [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'compressed with xz', 'unxz FILE'],
    [[0x50, 0x4b, 0x05, 0x06], 'an empty ZIP archive', 'Export the file again'],
  ])('%j: what it is and the way out', (begins, what, hint) => {
    expect(() => kindOf('f', Buffer.from(begins))).toThrow(
      expect.objectContaining({
        code: 'input',
        message: `f is ${what}, not CSV or JSON.`,
        hint: expect.stringContaining(hint),
      }),
    );
    for (const at of begins.keys())
      expect(kindOf('f', Buffer.from(begins.with(at, (begins[at] ?? 0) ^ 0x80)))).toBe('text');
  });

  it.each(['<!DOCTYPE html>', ' \n<html>', '<table>', '<?xml version="1.0"?>', `${' '.repeat(195)}<html>`])(
    '%j is a web page or XML',
    (head) => {
      expect(() => kindOf('f', Buffer.from(head))).toThrow('f is a web page or XML, not CSV or JSON.');
    },
  );

  it.each(['<name>', `${' '.repeat(196)}<html>`, 'a,b', '', `${BOM}a,b`])('%j is text', (head) => {
    expect(kindOf('f', Buffer.from(head, 'latin1'))).toBe('text');
  });
});

it('a workbook that srq does not read comes with the way out', () => {
  expect(notAWorkbook('f', 'a thing')).toMatchObject({
    code: 'input',
    message: 'f is a thing.',
    hint: expect.stringContaining('CSV UTF-8'),
  });
});

describe('what cannot be opened or read', () => {
  const error = (code: string) => Object.assign(new Error('no'), { code });
  it.each([
    ['ENOENT', 'linux', 'There is no file f.', 'Check the name and the folder.'],
    ['ENOTDIR', 'linux', 'There is no file f.', 'Check the name and the folder.'],
    ['EBUSY', 'win32', /^f is open in another program/, /^Close it there/],
    ['EACCES', 'linux', 'You may not read f.', 'Allow it: chmod u+r f'],
    ['EPERM', 'darwin', 'You may not read f.', 'Allow it: chmod u+r f'],
    ['EACCES', 'win32', 'You may not read f.', /under Security/],
    ['EIO', 'linux', 'f cannot be read (EIO).', /local disk/],
    ['', 'linux', 'f cannot be read (unknown error).', /local disk/],
  ])('%s on %s', (code, system, message, hint) => {
    const told = unreadable('f', code === '' ? new Error('no') : error(code), system);
    expect(told).toMatchObject({ code: 'input', cause: expect.any(Error) });
    expect(told.message).toMatch(message);
    expect(told.hint).toMatch(hint);
  });
});

it('a file is read in chunks of 64 KiB, of which the first may be asked for alone, and says how far it was read', async () => {
  const bytes = Buffer.alloc(150_000, 'abc');
  const file = await openPartnerFile(scratchFile(bytes), 'leads.csv');
  expect([file.path, file.sizeBytes]).toEqual(['leads.csv', 150_000]);
  const read: number[] = [];
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks((count) => read.push(count))) chunks.push(Buffer.from(chunk));
  expect(read).toEqual([65_536, 65_536, 18_928]);
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  expect((await firstChunk(file)).equals(bytes.subarray(0, 65_536))).toBe(true);
  for (const size of [1, 65_537]) {
    const one = await openPartnerFile(scratchFile(bytes.subarray(0, size)));
    let read = 0;
    for await (const chunk of one.chunks()) read += chunk.length;
    expect(read).toBe(size);
  }
});

it('of a file without bytes the first are none, and it is refused when it is opened', async () => {
  const none = { path: 'f', sizeBytes: 0, async *chunks() {} };
  expect(await firstChunk(none)).toHaveLength(0);
  await expect(openPartnerFile(scratchFile(''), 'f')).rejects.toThrow('f is empty.');
});

it.skipIf(process.platform !== 'linux')('a file is closed when it has been read, also if only in part', async () => {
  const path = realpathSync(scratchFile(Buffer.alloc(150_000, 'abc')));
  const file = await openPartnerFile(path);
  for (let time = 0; time < 30; time++) {
    await firstChunk(file);
    expect(filesOpenHere()).not.toContain(path);
    for await (const chunk of file.chunks()) expect(chunk.length).toBeGreaterThan(0);
    expect(filesOpenHere()).not.toContain(path);
  }
});
