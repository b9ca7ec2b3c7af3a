import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { mediaTypeOfName } from '../request/lead/media-type.ts';
import type { AudioFile } from '../request/lead/service-request.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';

/**
 * Maximum size of a recording. The API's own limit is not public. This one allows minutes of speech in any usual
 * format.
 */
const MAX_AUDIO_BYTES = 25 * 1024 * 1024;

/**
 * Describes a recording that a row names. `path` is relative to `insideFolder`. Throws `SrqError('input')` unless the
 * path is a regular file of 1 byte to 25 MiB, and its real path is inside the real path of that folder.
 */
export async function describeAudio(path: string, insideFolder: string): Promise<AudioFile> {
  const folder = await realpath(insideFolder).catch((error: unknown) =>
    Promise.reject(unreadable(insideFolder, error)),
  );
  // The name is checked before links are resolved, so that no file outside of the folder is accessed.
  const absolute = resolve(folder, path);
  if (!isInside(absolute, folder) && !isInside(absolute, resolve(insideFolder))) throw outside(path);
  const real = await realpath(absolute).catch((error: unknown) => Promise.reject(unreadable(path, error)));
  if (!isInside(real, folder)) throw outside(path);
  const handle = await openRecording(real, path);
  try {
    const found = await handle.stat();
    if (found.size === 0) throw unusable(`The recording ${path} is empty.`, 'Export it again.');
    if (found.size > MAX_AUDIO_BYTES) throw tooLarge(path, found.size);
    const bytes = await handle.readFile();
    const mediaType = mediaTypeOfName(path);
    if (mediaType === null) throw unusable(`${path} is not a recording.`, 'Name a sound file, such as .mp3 or .wav.');
    const described = { path: real, sizeBytes: bytes.length, sha256: digestOf(bytes), mediaType };
    return { ...described, base64: () => readBase64(described) };
  } finally {
    await handle.close();
  }
}

async function readBase64(audio: Omit<AudioFile, 'base64'>): Promise<string> {
  const handle = await openRecording(audio.path, audio.path);
  try {
    const { size } = await handle.stat();
    const bytes = size === audio.sizeBytes ? await handle.readFile() : null;
    if (bytes === null || digestOf(bytes) !== audio.sha256) throw changed(audio.path);
    return bytes.toString('base64');
  } finally {
    await handle.close();
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Opens a recording without following a link or waiting for the writer of a pipe. */
async function openRecording(real: string, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0);
  // A device or a pipe is refused before it is opened, because opening one can have effects.
  const found = await lstat(real).catch((error: unknown) => Promise.reject(unreadable(path, error)));
  if (!found.isFile()) throw unusable(`The recording ${path} is not a file.`, 'Name one sound file.');
  return open(real, flags).catch((error: unknown) => Promise.reject(unreadable(path, error)));
}

function outside(path: string): SrqError {
  return unusable(
    `The recording ${path} lies outside the folder of the file.`,
    'Put the recordings into the folder of the file, or one inside it.',
  );
}

function tooLarge(path: string, sizeBytes: number): SrqError {
  const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return unusable(
    `The recording ${path} has ${mebibytes(sizeBytes)}; at most ${mebibytes(MAX_AUDIO_BYTES)} are allowed.`,
    'Shorten it, or save it in a compressed form.',
  );
}

function changed(path: string): SrqError {
  return unusable(`The recording ${path} changed after it was checked.`, 'Run the same command again.');
}

function unusable(message: string, hint: string, cause?: unknown): SrqError {
  return new SrqError('recording.unusable', message, hint, cause);
}

function unreadable(path: string, error: unknown): SrqError {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return unusable(`There is no recording ${path}.`, 'Recordings are looked for in the folder of the file.', error);
  return unusable(
    `The recording ${path} cannot be read (${code || 'unknown error'}).`,
    'Check its name and its permissions.',
    error,
  );
}
