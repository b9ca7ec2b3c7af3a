import { randomUUID } from 'node:crypto';
import { lstat, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SrqError, systemCode } from '../request/words/errors.ts';

const HEAD_BYTES = 64 * 1024;

type Chunk = string | Uint8Array;

/**
 * Checks that a file to be written replaces at most an earlier one of its kind, and throws `SrqError('usage')` if not.
 * A slip in an option must not cost the user the leads, the log or the settings. `isOwn` receives the beginning of an
 * existing file.
 */
export async function requireOwnOrNew(
  path: string,
  kind: string,
  option: string,
  isOwn: (head: string) => boolean,
): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (!found) return;
  const hint = `Name another file: ${option} FILE`;
  if (!found.isFile())
    throw new SrqError('output.not-replaced', `${path} is not a regular file; nothing was written.`, hint);
  if (found.size > 0 && !isOwn(await headOf(path))) {
    throw new SrqError(
      'output.not-replaced',
      `${path} exists and is not a file that srq wrote (${kind}), so it is not replaced.`,
      hint,
    );
  }
}

/**
 * Throws `SrqError('usage')` for `-`, standard output, because it has the result of the command. `option` is the flag that
 * names the file.
 */
export function requireFileName(path: string | undefined, option: string): void {
  if (path !== '-') return;
  throw new SrqError(
    'flags.contradict',
    `${option} - cannot be used: standard output has the result of the command. Nothing was sent.`,
    `Name a file: ${option} FILE`,
  );
}

/** Returns the unique path of a file, however it is named, even through a link. The file need not exist. */
export async function onlyPath(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  return realpath(path).catch(async () => join(await realpath(folder).catch(() => folder), basename(path)));
}

/** Names that mean a device on Windows in every folder, whatever ending they have. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i;

/**
 * Checks, before anything is sent, that a file can be written. Throws `SrqError('usage')` if no file can be written
 * beside `path`, or if the existing file cannot be replaced because another program has it open.
 */
export async function requireWritable(
  path: string,
  kind: string,
  option: string,
  system: string = platform(),
): Promise<void> {
  if (system === 'win32' && WINDOWS_DEVICE.test(basename(path))) {
    throw new SrqError(
      'output.not-replaced',
      `${path} is a device on Windows, not a file. Nothing was sent.`,
      `Name a file: ${option} FILE`,
    );
  }
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, '', { mode: 0o600 });
    await rm(part);
    await requireNotHeldOpen(path, system);
  } catch (error) {
    const message = `The ${kind} ${path} could not be written (${whyUnwritable(error, system)}). Nothing was sent.`;
    const close = isHeldOpen(error, system) ? 'Close it there and run the same command again, or name' : 'Name';
    throw new SrqError('output.unwritable', message, `${close} another place: ${option} FILE`, error);
  }
}

/** Throws the system's error if another program has the file open. A missing or unreadable file passes. */
async function requireNotHeldOpen(path: string, system: string): Promise<void> {
  try {
    await (await open(path, 'r+')).close();
  } catch (error) {
    if (isHeldOpen(error, system)) throw error;
  }
}

/**
 * Tells whether an error means that another program has the file open and prevents others from writing it, as Excel
 * does on Windows.
 */
export function isHeldOpen(error: unknown, system: string = platform()): boolean {
  const code = systemCode(error);
  return code === 'EBUSY' || (system === 'win32' && (code === 'EPERM' || code === 'EACCES'));
}

/** Returns the reason for which a file cannot be written, for a message. */
export function whyUnwritable(error: unknown, system: string = platform()): string {
  return isHeldOpen(error, system)
    ? `it is open in another program, such as Excel: ${systemCode(error)}`
    : systemCode(error);
}

async function headOf(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Writes texts or bytes to a file that only the user can read. An existing file is replaced only once the new one is complete.
 * If `stop` fires before that, nothing is replaced and the result is false. Errors of the system and of `chunks` are
 * passed on.
 */
export async function writeWhole(
  path: string,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  stop: AbortSignal,
): Promise<boolean> {
  const part = `${path}.${randomUUID()}.part`;
  // It is there before the first chunk is read, so that it can be removed whatever happens.
  const file = await open(part, 'wx', 0o600);
  try {
    await pipeline(chunksUntil(stop, chunks), file.createWriteStream());
    if (stop.aborted) await rm(part, { force: true });
    else await rename(part, path);
    return !stop.aborted;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Writes a file of this kind that `--output` names, as `writeWhole` does. Throws `SrqError('usage')` if the system cannot
 * write it. An `SrqError` of `chunks` is passed on.
 */
export async function writeOutput(
  path: string,
  kind: string,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  stop: AbortSignal,
): Promise<boolean> {
  try {
    return await writeWhole(path, chunks, stop);
  } catch (error) {
    if (error instanceof SrqError || systemCode(error) === '') throw error;
    const message = `The ${kind} ${path} cannot be written (${whyUnwritable(error)}).`;
    throw new SrqError('output.unwritable', message, 'Name another place: --output FILE', error);
  }
}

/** Ends the chunks once `stop` fires, so that their source is closed. */
async function* chunksUntil(stop: AbortSignal, chunks: Iterable<Chunk> | AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    if (stop.aborted) return;
    yield chunk;
  }
}

const WRITABLE_AGAIN = ['drain', 'close', 'error'] as const;

/** Writes a chunk, and waits while the reader is slower than the writer. A reader that has gone away is not an error. */
export async function writeAll(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of WRITABLE_AGAIN) stream.off(event, go);
      resolve();
    };
    for (const event of WRITABLE_AGAIN) stream.on(event, go);
  });
}
