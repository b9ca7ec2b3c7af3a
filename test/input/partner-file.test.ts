import { realpathSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstChunk, openPartnerFile, unreadable } from '../../src/input/partner-file.ts';
import { filesOpenHere } from '../helpers/open-files.ts';
import { scratchFile } from '../helpers/read-table.ts';

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
  ])('a file that cannot be opened or read, %s on %s, is reported', (code, system, message, hint) => {
    const told = unreadable('f', code === '' ? new Error('no') : error(code), system);
    expect(told).toMatchObject({ code: 'input', cause: expect.any(Error) });
    expect(told.message).toMatch(message);
    expect(told.hint).toMatch(hint);
  });
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
