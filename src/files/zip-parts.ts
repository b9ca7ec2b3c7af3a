import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { SrqError } from '../model/errors.ts';

const inflate = promisify(inflateRaw);

/** One file of a ZIP archive, as the archive's directory describes it. */
interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly headerAt: number;
}

const [END_OF_DIRECTORY, DIRECTORY_ENTRY, LOCAL_HEADER] = [0x06054b50, 0x02014b50, 0x04034b50];
const [STORED, DEFLATED] = [0, 8];
const MOST_ENTRIES = 10_000;

/** The names of a ZIP archive's files. Throws `SrqError('input')` for a damaged archive. */
export function zipNames(archive: Buffer, path: string): string[] {
  return entriesOf(archive, path).map(({ name }) => name);
}

/**
 * The files of a ZIP archive that are wanted, by name. Together they may be `mostBytes`: judged by the archive's directory
 * before anything is unpacked, and held to while unpacking, for the directory may lie. Throws `SrqError('input')` for more,
 * and for a damaged archive.
 */
export async function zipParts(
  archive: Buffer,
  wanted: (name: string) => boolean,
  mostBytes: number,
  path: string,
): Promise<Map<string, Buffer>> {
  const entries = entriesOf(archive, path).filter(({ name }) => wanted(name));
  const promised = entries.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0);
  if (promised > mostBytes) throw tooLarge(path, mostBytes);
  const parts = new Map<string, Buffer>();
  for (const entry of entries) {
    if (parts.has(entry.name)) throw damaged(path);
    parts.set(entry.name, await partOf(archive, entry, path));
  }
  return parts;
}

function entriesOf(archive: Buffer, path: string): ZipEntry[] {
  try {
    const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
    if (end < 0 || archive.readUInt32LE(end) !== END_OF_DIRECTORY) throw damaged(path);
    const count = archive.readUInt16LE(end + 10);
    if (count > MOST_ENTRIES) throw damaged(path);
    let at = archive.readUInt32LE(end + 16);
    const entries: ZipEntry[] = [];
    for (let index = 0; index < count; index++) {
      if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged(path);
      const nameBytes = archive.readUInt16LE(at + 28);
      entries.push({
        name: archive.toString('utf8', at + 46, at + 46 + nameBytes),
        method: archive.readUInt16LE(at + 10),
        packedBytes: archive.readUInt32LE(at + 20),
        unpackedBytes: archive.readUInt32LE(at + 24),
        headerAt: archive.readUInt32LE(at + 42),
      });
      at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    }
    return entries;
  } catch (error) {
    throw error instanceof SrqError ? error : damaged(path, error);
  }
}

async function partOf(archive: Buffer, entry: ZipEntry, path: string): Promise<Buffer> {
  const { headerAt, method, packedBytes, unpackedBytes } = entry;
  try {
    if (archive.readUInt32LE(headerAt) !== LOCAL_HEADER) throw damaged(path);
    const from = headerAt + 30 + archive.readUInt16LE(headerAt + 26) + archive.readUInt16LE(headerAt + 28);
    const packed = archive.subarray(from, from + packedBytes);
    if (method === STORED && packedBytes === unpackedBytes) return packed;
    // One byte more than promised is an error of zlib's.
    if (method === DEFLATED) return await inflate(packed, { maxOutputLength: Math.max(1, unpackedBytes) });
  } catch (error) {
    throw error instanceof SrqError ? error : damaged(path, error);
  }
  throw damaged(path);
}

function tooLarge(path: string, mostBytes: number): SrqError {
  return new SrqError(
    'input',
    `${path} unpacks to more than ${Math.round(mostBytes / 1024 / 1024)} MiB.`,
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
