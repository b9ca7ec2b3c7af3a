import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise } from 'yauzl';
import { SrqError } from '../model/errors.ts';

const MAX_ENTRIES = 10_000;

/** A ZIP archive whose directory has been read, and of whose parts none has been unpacked. */
export interface ZipArchive {
  readonly names: readonly string[];
  /**
   * Unpacks the wanted parts, by name. Together they may be `maxBytes`: judged by the directory before anything is unpacked,
   * and held to while unpacking, for the directory may lie. Throws `SrqError('input')` for more, and for a damaged archive.
   */
  readonly parts: (wanted: (name: string) => boolean, maxBytes: number) => Promise<Map<string, Buffer>>;
}

const END_OF_DIRECTORY = Buffer.from('PK\x05\x06', 'latin1');
const END_BYTES = 22;

/** Reads the directory of a ZIP archive. Throws `SrqError('input')` for a damaged one. */
export async function openZip(archive: Buffer, path: string): Promise<ZipArchive> {
  const asDamaged = (error: unknown) => Promise.reject(damaged(path, error));
  // Names are compared and never become paths, so the library need not refuse those that would be unsafe as such.
  const zip = await fromBufferPromise(withoutTail(archive), { decodeStrings: false }).catch(asDamaged);
  if (zip.entryCount > MAX_ENTRIES) throw damaged(path);
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry);
  } catch (error) {
    throw damaged(path, error);
  }
  return {
    names: entries.map(nameOf),
    parts: async (wanted, maxBytes) => {
      const chosen = entries.filter((entry) => wanted(nameOf(entry)));
      const promised = chosen.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
      if (promised > maxBytes) throw tooLarge(path, maxBytes);
      const parts = new Map<string, Buffer>();
      for (const entry of chosen) {
        if (parts.has(nameOf(entry))) throw damaged(path);
        // A part that is not as large as the directory promises is an error of the stream's.
        const part = await zip.openReadStreamPromise(entry).then(buffer).catch(asDamaged);
        parts.set(nameOf(entry), part);
      }
      return parts;
    },
  };
}

/** Cuts off what follows the archive, as some downloads have it: the library would refuse the file for that. */
function withoutTail(archive: Buffer): Buffer {
  const end = archive.lastIndexOf(END_OF_DIRECTORY);
  if (end < 0 || end + END_BYTES > archive.length) return archive;
  return archive.subarray(0, end + END_BYTES + archive.readUInt16LE(end + END_BYTES - 2));
}

function nameOf({ fileNameRaw }: Entry): string {
  return fileNameRaw.toString('utf8');
}

function tooLarge(path: string, maxBytes: number): SrqError {
  return new SrqError(
    'input',
    `${path} unpacks to more than ${Math.round(maxBytes / 1024 / 1024)} MiB.`,
    'A workbook is held in memory, so it is bounded. Save the sheet as CSV UTF-8 and import that: any size goes.',
  );
}

function damaged(path: string, cause?: unknown): SrqError {
  return new SrqError(
    'input',
    `${path} is a damaged ZIP archive or workbook.`,
    'Open it in a spreadsheet and save it anew, as .xlsx or as CSV UTF-8.',
    cause,
  );
}
