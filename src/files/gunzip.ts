import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SrqError, systemCode } from '../model/errors.ts';
import type { PartnerFile } from './partner-file.ts';

/** Leads shrink to a tenth or a twentieth; a bomb to a thousandth. Below the floor any ratio is harmless. */
const MOST_TIMES_LARGER = 100;
const HARMLESS_BYTES = 64 * 1024 * 1024;

/**
 * A gzip file as what is in it, unpacked anew at each reading and never held. Throws `SrqError('input')` while reading for one
 * that is cut off or damaged, or grows beyond all measure.
 */
export function unpacked(file: PartnerFile): PartnerFile {
  return { ...file, chunks: (onRead) => inflatedChunks(file, onRead) };
}

async function* inflatedChunks(file: PartnerFile, onRead?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const most = Math.max(HARMLESS_BYTES, file.sizeBytes * MOST_TIMES_LARGER);
  const packed = Readable.from(copies(file, onRead), { objectMode: false, highWaterMark: 1 });
  const gunzip = createGunzip();
  packed.on('error', (error) => gunzip.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most) throw tooLarge(file.path);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof SrqError ? error : damaged(file.path, error);
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

/** A chunk is valid only until the next one is asked for, and a stream reads ahead. */
async function* copies(file: PartnerFile, onRead?: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of file.chunks(onRead)) yield Buffer.from(chunk);
}

function tooLarge(path: string): SrqError {
  return new SrqError(
    'input',
    `${path} unpacks to more than ${MOST_TIMES_LARGER} times its size: this is no list of requests.`,
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
