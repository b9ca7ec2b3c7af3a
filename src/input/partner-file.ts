import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { mediaTypeOfName } from '../request/lead/media-type.ts';
import { SrqError, shellWord, systemCode } from '../request/words/errors.ts';

const CHUNK_BYTES = 64 * 1024;
/** The first chunk is smaller: whoever asks for the header alone need not take more apart. */
const FIRST_CHUNK_BYTES = 4 * 1024;

/** A partner's file. It is read more than once and must not change in between. */
export type PartnerFile = Readonly<Awaited<ReturnType<typeof openPartnerFile>>>;

/** Returns the first bytes of a file, at most 4 KiB. */
export async function firstChunk(file: PartnerFile): Promise<Buffer> {
  for await (const chunk of file.chunks()) return Buffer.from(chunk.subarray(0, FIRST_CHUNK_BYTES));
  return Buffer.alloc(0);
}

/** Returns a text that shows whether a file is still the same one. */
const fingerprint = ({ size, mtimeNs, ino, dev }: BigIntStats) => [size, mtimeNs, ino, dev].join();

/** Opens a regular file for reading. Throws `SrqError('input')` with a hint if it cannot be opened. */
export async function openPartnerFile(path: string, name = path) {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => Promise.reject(unreadable(name, error)));
  if (found.isDirectory()) {
    throw new SrqError('file.unreadable', `${name} is a folder.`, 'Name one file in it.');
  }
  if (!found.isFile()) {
    throw new SrqError(
      'file.unreadable',
      `${name} is not a regular file.`,
      'Save the data to a file, or pipe it in and name "-" in place of the file.',
    );
  }
  if (found.size === 0n)
    throw new SrqError('file.no-rows', `${name} is empty.`, 'Export the file again and check its size.');
  return { path: name, sizeBytes: Number(found.size), chunks: () => chunksOf(path, name, found) };
}

/**
 * Yields all bytes from the beginning. A chunk is valid only until the next one is requested. Throws `SrqError('input')` before
 * it yields a chunk if the file is no longer the one that was opened.
 */
async function* chunksOf(path: string, name: string, expected: BigIntStats): AsyncGenerator<Buffer> {
  const handle = await open(path).catch((error: unknown) => Promise.reject(unreadable(name, error)));
  const requireSame = (now: BigIntStats | null) => {
    if (now === null || fingerprint(now) !== fingerprint(expected)) throw changed(name);
  };
  try {
    requireSame(await handle.stat({ bigint: true }));
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; position < expected.size; ) {
      const room = position === 0 ? buffer.subarray(0, FIRST_CHUNK_BYTES) : buffer;
      const { bytesRead: bytes } = await handle
        .read(room, 0, room.length, position)
        .catch((error: unknown) => Promise.reject(unreadable(name, error)));
      // The path is checked, not the handle, because the handle of a replaced file still leads to the old one.
      requireSame(await stat(path, { bigint: true }).catch(() => null));
      if (bytes === 0) throw changed(name);
      position += bytes;
      yield buffer.subarray(0, bytes);
    }
  } finally {
    await handle.close();
  }
}

function changed(path: string): SrqError {
  return new SrqError(
    'file.changed',
    `${path} changed while it was read.`,
    'Wait until the export is finished, then run the same command again.',
  );
}

/** Returns the error for a file that cannot be opened or read, with what to do on this system. */
export function unreadable(path: string, error: unknown, system: string = platform()): SrqError {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new SrqError('file.missing', `There is no file ${path}.`, 'Check the name and the folder.', error);
  }
  if (code === 'EBUSY') {
    const message = `${path} is open in another program that lets nobody else read it (EBUSY).`;
    return new SrqError('file.unreadable', message, 'Close it there, or save a copy and import that.', error);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const windows = 'Allow it in the properties of the file, under Security.';
    const hint = system === 'win32' ? windows : `Allow it: chmod u+r ${shellWord(path)}`;
    return new SrqError('file.unreadable', `You may not read ${path}.`, hint, error);
  }
  return new SrqError(
    'file.unreadable',
    `${path} cannot be read (${code || 'unknown error'}).`,
    'Copy the file to a local disk and try again.',
    error,
  );
}

/** The kinds of file that srq can read, as the first bytes show them. */
export type FileKind = 'text' | 'zip';

const SAVE_AS_CSV =
  'Open it in a spreadsheet and save it as "CSV UTF-8 (comma delimited)" (File > Save As > File type), then import that file.';

type Refused = readonly [begins: RegExp, what: string, hint: string];

const NO_TABLE: Refused = [
  /^%PDF|^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF....WEBP|^II\*\0|^MM\0\*|^\{\\rtf|^SQLite format|^PAR1/s,
  'a document, a picture, a recording or a database',
  'Export the data as CSV UTF-8 instead.',
];

/** The first bytes of the kinds that srq refuses, with their name and what to do instead. */
const REFUSED: readonly Refused[] = [
  [
    /^\xd0\xcf\x11\xe0/,
    'an Excel 97-2003 workbook (.xls), or one with a password',
    `${SAVE_AS_CSV} Or save it as .xlsx without a password.`,
  ],
  [/^\x1f\x8b/, 'packed with gzip', 'Unpack it first: gunzip FILE. Or: gunzip -c FILE | srq bulk -'],
  // Zstandard, bzip2, xz, 7-Zip, RAR, and a ZIP archive with nothing in it.
  [
    /^\x28\xb5\x2f\xfd|^BZh|^\xfd7zXZ|^7z\xbc\xaf|^Rar!|^PK\x05\x06/,
    'packed',
    'Unpack it, and import the file that is in it.',
  ],
  NO_TABLE,
  [/^\xff\xfe\0\0|^\0\0\xfe\xff|^(?:[^\0]\0{3}){4}|^(?:\0{3}[^\0]){4}/, 'UTF-32 text', 'Export it again as CSV UTF-8.'],
  [/^\s*<(?:!doctype|html|table|\?xml)/i, 'a web page or XML', SAVE_AS_CSV],
];

/** Number of first bytes that tell the kind of a file. */
const HEAD_BYTES = 200;

/**
 * Returns the kind of a file by its first bytes. A recording is told by its name. Throws `SrqError('input')`, saying what to
 * do instead, for a kind that srq cannot read.
 */
export function kindOf(path: string, head: Buffer): FileKind {
  const text = head.subarray(0, HEAD_BYTES).toString('latin1');
  const refused = mediaTypeOfName(path) !== null ? NO_TABLE : REFUSED.find(([begins]) => begins.test(text));
  if (refused) throw new SrqError('file.wrong-kind', `${path} is ${refused[1]}, not CSV or JSON.`, refused[2]);
  return text.startsWith('PK\x03\x04') ? 'zip' : 'text';
}

/** Returns the error for a ZIP archive that is not a workbook which srq can read. */
export function notAWorkbook(path: string, what: string, hint = SAVE_AS_CSV): SrqError {
  return new SrqError('file.wrong-kind', `${path} is ${what}.`, hint);
}
