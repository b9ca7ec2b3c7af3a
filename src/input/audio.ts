import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
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
  const folder = await realpath(insideFolder).catch(refuse(insideFolder));
  // The name is checked before links are resolved, so that no file outside of the folder is accessed.
  const absolute = resolve(folder, path);
  if (!isInside(absolute, folder) && !isInside(absolute, resolve(insideFolder))) throw outside(path);
  const real = await realpath(absolute).catch(refuse(path));
  if (!isInside(real, folder)) throw outside(path);
  const { size, bytes } = await readRecording(real, path, MAX_AUDIO_BYTES);
  if (size === 0) throw unusable(`The recording ${path} is empty.`, 'Export it again.');
  if (bytes === null) throw tooLarge(path, size);
  const mediaType = mediaTypeOfName(path);
  if (mediaType === null) throw unusable(`${path} is not a recording.`, 'Name a sound file, such as .mp3 or .wav.');
  const described = { path: real, sizeBytes: bytes.length, sha256: digestOf(bytes), mediaType };
  return { ...described, base64: () => readBase64(described) };
}

async function readBase64({ path, sizeBytes, sha256 }: Omit<AudioFile, 'base64'>): Promise<string> {
  const { bytes } = await readRecording(path, path, sizeBytes);
  if (bytes !== null && digestOf(bytes) === sha256) return bytes.toString('base64');
  throw unusable(`The recording ${path} changed after it was checked.`, 'Run the same command again.');
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Reads a recording without following a link or waiting for the writer of a pipe. `bytes` is null if there are more than
 * `most`.
 */
async function readRecording(real: string, path: string, most: number) {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0);
  // A device or a pipe is refused before it is opened, because opening one can have effects.
  const found = await lstat(real).catch(refuse(path));
  if (!found.isFile()) throw unusable(`The recording ${path} is not a file.`, 'Name one sound file.');
  const handle = await open(real, flags).catch(refuse(path));
  try {
    const { size } = await handle.stat();
    return { size, bytes: size > most ? null : await handle.readFile() };
  } finally {
    await handle.close();
  }
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

function unusable(message: string, hint: string, cause?: unknown): SrqError {
  return new SrqError('recording.unusable', message, hint, cause);
}

/** Returns what throws the error for a recording that the system does not let srq read. */
const refuse =
  (path: string) =>
  (error: unknown): never => {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw unusable(`There is no recording ${path}.`, 'Recordings are looked for in the folder of the file.', error);
    const message = `The recording ${path} cannot be read (${code || 'unknown error'}).`;
    throw unusable(message, 'Check its name and its permissions.', error);
  };
