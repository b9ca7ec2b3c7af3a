import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeAudio } from '../../src/input/audio.ts';
import { filesOpenHere } from '../helpers/open-files.ts';

const root = mkdtempSync(join(tmpdir(), 'srq-audio-'));
afterAll(() => rmSync(root, { recursive: true }));
const folder = join(root, 'leads');
mkdirSync(join(folder, 'voice'), { recursive: true });
const sound = Buffer.from('RIFF not really a sound');
writeFileSync(join(folder, 'voice', 'a.wav'), sound);
writeFileSync(join(folder, 'empty.wav'), '');
writeFileSync(join(root, 'outside.wav'), sound);
mkdirSync(join(root, 'leads-other'));
writeFileSync(join(root, 'leads-other', 'b.wav'), sound);
symlinkSync(join(root, 'outside.wav'), join(folder, 'link.wav'));
symlinkSync('voice/a.wav', join(folder, 'inner-link.wav'));
symlinkSync('loop.wav', join(folder, 'loop.wav'));

it('a recording in the folder is known by its size and digest, and read as base64', async () => {
  const audio = await describeAudio('voice/a.wav', folder);
  const sha256 = createHash('sha256').update(sound).digest('hex');
  expect(audio).toMatchObject({
    path: expect.stringContaining('a.wav'),
    sizeBytes: sound.length,
    sha256,
    mediaType: 'audio/wav',
  });
  expect(Buffer.from(await audio.base64(), 'base64')).toEqual(sound);
  expect((await describeAudio('inner-link.wav', folder)).sha256).toBe(sha256);
});

it.each([
  ['../outside.wav', 'outside the folder'],
  ['../leads-other/b.wav', 'outside the folder'],
  [join(root, 'outside.wav'), 'outside the folder'],
  ['link.wav', 'outside the folder'],
  ['.', 'outside the folder'],
  ['voice', 'not a file'],
  ['empty.wav', 'empty'],
  ['none.wav', 'no recording'],
  ['loop.wav', 'ELOOP'],
  ['a\0.wav', 'ERR_INVALID_ARG_VALUE'],
  ['https://example.com/a.wav', 'no recording https://example.com/a.wav'],
])('%j is refused as the name of a recording', async (path, why) => {
  await expect(describeAudio(path, folder)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(why),
  });
});

it.each([
  '/proc/self/environ',
  '/nowhere/at/all.wav',
  '../none.wav',
  '/dev/zero',
  '/dev/stdin',
  '../../../../../etc/hostname',
  'voice/../../outside.wav',
])('%s is refused for where it lies, without being looked at', async (path) => {
  await expect(describeAudio(path, folder)).rejects.toThrow('outside the folder');
});

it.skipIf(process.platform === 'win32')(
  'a pipe is refused as a recording, and nobody waits for its writer',
  async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.wav')]);
    await expect(describeAudio('pipe.wav', folder)).rejects.toThrow('not a file');
  },
);

it('a recording that becomes a link or a pipe before it is sent is not read', async () => {
  const path = join(folder, 'swapped.wav');
  writeFileSync(path, sound);
  const audio = await describeAudio('swapped.wav', folder);
  rmSync(path);
  symlinkSync(join(root, 'outside.wav'), path);
  await expect(audio.base64()).rejects.toThrow('not a file');
});

it('a long recording is base64 in one piece', async () => {
  const long = randomBytes(700_001);
  writeFileSync(join(folder, 'long.wav'), long);
  expect(await (await describeAudio('long.wav', folder)).base64()).toBe(long.toString('base64'));
});

it('a recording whose bytes are no longer those that were described is refused', async () => {
  writeFileSync(join(folder, 'changing.wav'), 'one');
  const audio = await describeAudio('changing.wav', folder);
  writeFileSync(join(folder, 'changing.wav'), 'two');
  await expect(audio.base64()).rejects.toThrow('changed');
  writeFileSync(join(folder, 'changing.wav'), 'longer');
  await expect(audio.base64()).rejects.toThrow('changed');
});

it.each([
  ['unknown.mp3', 'audio/mpeg'],
  ['VOICE.OGG', 'audio/ogg'],
])('a recording is what its name says: %s', async (name, type) => {
  writeFileSync(join(folder, name), 'no sound');
  expect((await describeAudio(name, folder)).mediaType).toBe(type);
});

it('a recording has at most 25 MiB, and its size is told', async () => {
  const MIB = 1024 * 1024;
  const sparse = (bytes: number) => {
    const path = join(folder, 'sparse.wav');
    writeFileSync(path, '');
    truncateSync(path, bytes);
    return describeAudio('sparse.wav', folder);
  };
  expect((await sparse(25 * MIB)).sizeBytes).toBe(25 * MIB);
  await expect(sparse(25 * MIB + 1)).rejects.toThrow('has 25.0 MiB; at most 25.0 MiB are allowed');
  await expect(sparse(2000.5 * MIB)).rejects.toThrow('has 2000.5 MiB; at most 25.0 MiB are allowed');
});

it.skipIf(process.platform !== 'linux')('a recording is closed as soon as it has been read', async () => {
  const path = realpathSync(join(folder, 'voice', 'a.wav'));
  for (let time = 0; time < 30; time++) {
    const audio = await describeAudio('voice/a.wav', folder);
    expect(filesOpenHere()).not.toContain(path);
    await audio.base64();
    expect(filesOpenHere()).not.toContain(path);
  }
});

it('a list is not taken for a recording', async () => {
  writeFileSync(join(folder, 'leads.csv'), 'a,b\n1,2\n');
  await expect(describeAudio('leads.csv', folder)).rejects.toThrow('is not a recording');
});
