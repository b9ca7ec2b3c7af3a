import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SrqError, systemCode } from '../model/errors.ts';
import type { PartnerFile } from './partner-file.ts';

/**
 * Maximum ratio of the unpacked to the packed size. Leads shrink to a tenth or a twentieth, a gzip bomb to a
 * thousandth.
 */
const MAX_EXPANSION = 100;
/** Up to this unpacked size any ratio is harmless. */
const HARMLESS_BYTES = 64 * 1024 * 1024;

/**
 * Returns a gzip file as the file that it contains. Each reading unpacks it as a stream, without holding it. Reading
 * throws `SrqError('input')` if the file is cut off, damaged, or expands to far more than a list of requests would.
 */
export function gunzipped(file: PartnerFile): PartnerFile {
  return { ...file, chunks: (onRead) => inflatedChunks(file, onRead) };
}

async function* inflatedChunks(file: PartnerFile, onRead?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const maxBytes = Math.max(HARMLESS_BYTES, file.sizeBytes * MAX_EXPANSION);
  const packed = Readable.from(copies(file, onRead), { objectMode: false, highWaterMark: 1 });
  const gunzip = createGunzip();
  packed.on('error', (error) => gunzip.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(file.path);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof SrqError ? error : damaged(file.path, error);
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

/** Copies each chunk, because it is valid only until the next one is requested, and a stream reads ahead. */
async function* copies(file: PartnerFile, onRead?: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of file.chunks(onRead)) yield Buffer.from(chunk);
}

function tooLarge(path: string): SrqError {
  return new SrqError(
    'input',
    `${path} unpacks to more than ${MAX_EXPANSION} times its size: this is no list of requests.`,
    'If it really is one, unpack it first: gunzip FILE',
  );
}

function damaged(path: string, cause: unknown): SrqError {
  return new SrqError(
    'input',
    `${path} cannot be unpacked (${systemCode(cause) || 'unknown error'}): it is cut off or damaged.`,
    'Fetch or export it again. To check it: gzip -t FILE',
    cause,
  );
}
