import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { SrqError, systemCode } from '../model/errors.ts';
import type { AudioFile } from '../model/service-request.ts';

/** The API's bound for recordings is not public; this is more than minutes of speech in any usual form. */
const MOST_AUDIO_BYTES = 25 * 1024 * 1024;

/**
 * Looks at a recording named in a row: a regular file, not empty, at most `maxBytes`, whose real path lies inside the real
 * path of `insideFolder`, to which `path` is relative. Every failure is an `SrqError('input')`.
 */
export async function describeAudio(
  path: string,
  insideFolder: string,
  maxBytes = MOST_AUDIO_BYTES,
): Promise<AudioFile> {
  const folder = await realpath(insideFolder).catch((error: unknown) =>
    Promise.reject(unreadable(insideFolder, error)),
  );
  const real = await realPathOf(path, resolve(folder, path));
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
    throw new SrqError(
      'input',
      `The recording ${path} lies outside the folder of the file.`,
      'Put the recordings into the folder of the file, or one inside it.',
    );
  }
  // No link is followed any more, and opening does not wait for a pipe's writer.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0)).catch(
    (error: unknown) => Promise.reject(unreadable(path, error)),
  );
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new SrqError('input', `The recording ${path} is not a file.`, 'Name one sound file.');
    if (found.size === 0) throw new SrqError('input', `The recording ${path} is empty.`, 'Export it again.');
    if (found.size > maxBytes) throw tooLarge(path, found.size, maxBytes);
    return { path: real, sizeBytes: found.size, sha256: await digestOf(handle, found.size, path) };
  } finally {
    await handle.close();
  }
}

/** The recording in base64. Throws `SrqError('input')` if it is no longer the file that was described. */
export async function readAudioBase64(audio: AudioFile): Promise<string> {
  const handle = await open(audio.path).catch((error: unknown) => Promise.reject(unreadable(audio.path, error)));
  try {
    if ((await handle.stat()).size !== audio.sizeBytes) throw changed(audio.path);
    const bytes = Buffer.alloc(audio.sizeBytes);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const digest = createHash('sha256').update(bytes.subarray(0, bytesRead)).digest('hex');
    if (digest !== audio.sha256) throw changed(audio.path);
    return bytes.toString('base64');
  } finally {
    await handle.close();
  }
}

async function realPathOf(path: string, absolute: string): Promise<string> {
  if (path.includes('\0')) throw new SrqError('input', 'The name of a recording holds a NUL.', 'Name one sound file.');
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    throw new SrqError(
      'input',
      'A recording is named by a web address.',
      'Download it into the folder of the file and name it there.',
    );
  }
  return realpath(absolute).catch((error: unknown) => Promise.reject(unreadable(path, error)));
}

async function digestOf(handle: FileHandle, sizeBytes: number, path: string): Promise<string> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) {
    read += (chunk as Buffer).length;
    if (read > sizeBytes) break;
    hash.update(chunk as Buffer);
  }
  if (read !== sizeBytes) throw changed(path);
  return hash.digest('hex');
}

function tooLarge(path: string, sizeBytes: number, maxBytes: number): SrqError {
  const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return new SrqError(
    'input',
    `The recording ${path} has ${mebibytes(sizeBytes)}; the most is ${mebibytes(maxBytes)}.`,
    'Shorten it, or save it in a compressed form.',
  );
}

function changed(path: string): SrqError {
  return new SrqError('input', `The recording ${path} changed after it was checked.`, 'Run the same command again.');
}

function unreadable(path: string, error: unknown): SrqError {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SrqError(
      'input',
      `There is no recording ${path}.`,
      'It is looked for in the folder of the file.',
      error,
    );
  return new SrqError(
    'input',
    `The recording ${path} cannot be read (${code || 'unknown error'}).`,
    'Check its name and its permissions.',
    error,
  );
}
