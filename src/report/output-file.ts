import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SrqError, systemCode } from '../request/errors.ts';

const HEAD_BYTES = 64 * 1024;

/** A part of a file. */
type Chunk = string | Uint8Array;

/**
 * Throws `SrqError('usage')` if a file that srq is about to write would replace anything but an earlier one of its
 * kind. A slip in an option must not cost the user the leads, the log or the settings. `isOwn` receives the beginning
 * of an existing file.
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
      `${path} exists and is not a ${kind} of srq, so it is not replaced.`,
      hint,
    );
  }
}

/** Throws `SrqError('usage')`, before anything is sent, if no file can be written beside `path`. */
export async function requireWritable(path: string, kind: string, option: string): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, '', { mode: 0o600 });
    await rm(part);
  } catch (error) {
    const message = `The ${kind} ${path} could not be written (${systemCode(error)}). Nothing was sent.`;
    throw new SrqError('output.unwritable', message, `Name another place: ${option} FILE`, error);
  }
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
export async function writeWhole(path: string, chunks: AsyncIterable<Chunk>, stop: AbortSignal): Promise<boolean> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await pipeline(chunksUntil(stop, chunks), createWriteStream(part, { mode: 0o600 }));
    if (stop.aborted) await rm(part, { force: true });
    else await rename(part, path);
    return !stop.aborted;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Ends the chunks after `stop`, so that what they are read from is closed. */
async function* chunksUntil(stop: AbortSignal, chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
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
