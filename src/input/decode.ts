import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import iconv from 'iconv-lite';
import { SrqError } from '../request/errors.ts';
import { firstChunk, type PartnerFile } from './partner-file.ts';

/** The encoding of a file's text. */
export interface TextEncoding {
  /** The name that iconv-lite uses. */
  readonly name: string;
  /** The name that people use. */
  readonly label: string;
  /** True if the file holds bytes that this encoding does not have. They are decoded as U+FFFD. */
  readonly damaged: boolean;
  /** A note for the plan on how the encoding was found, or null. */
  readonly note: string | null;
}

const LABELS: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'windows-1252': 'Windows-1252',
};

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Finds the encoding of a whole file. It is the declared one; else the one of the byte order mark; else UTF-16 if NUL
 * bytes stand where UTF-16 has them; else UTF-8 if all bytes are valid; else Windows-1252, with a note. Throws
 * `SrqError('input')` if the bytes are none of these, and `SrqError('usage')` if the declared encoding is unknown.
 */
export async function findEncoding(file: PartnerFile, declared: string | null): Promise<TextEncoding> {
  const named = declared === null ? null : declaredEncoding(declared);
  const head = await firstChunk(file);
  const name = named ?? encodingByBom(head) ?? encodingByNuls(head.subarray(0, 4096));
  if (name !== null) {
    const label = declared !== null && !LABELS[name] ? declared : (LABELS[name] ?? name);
    return { name, label, damaged: await isDamaged(file, name), note: null };
  }
  if (!(await isDamaged(file, 'utf-8'))) return { name: 'utf-8', label: 'UTF-8', damaged: false, note: null };
  if (await isDamaged(file, 'windows-1252')) {
    throw new SrqError(
      'input',
      `${file.path} is neither UTF-8 nor Windows-1252 text.`,
      'Export it again as CSV UTF-8, or name its encoding: --encoding NAME',
    );
  }
  const note =
    'Read as Windows-1252, because it is not valid UTF-8. If accents look wrong, name the encoding: --encoding NAME';
  return { name: 'windows-1252', label: 'Windows-1252', damaged: false, note };
}

/**
 * Yields the text of a file without its byte order mark. No piece ends within a character. `onRead`: see {@link
 * PartnerFile}.
 */
export async function* decodedText(
  file: PartnerFile,
  encoding: string,
  onRead?: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = encoding === 'utf-8' ? new StringDecoder('utf8') : iconv.getDecoder(encoding, { stripBOM: false });
  let atStart = true;
  let half = '';
  for await (const chunk of file.chunks(onRead)) {
    let text = half + decoder.write(chunk);
    if (atStart && text.startsWith('\uFEFF')) text = text.slice(1);
    atStart &&= text === '';
    half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    yield half ? text.slice(0, -1) : text;
  }
  const rest = half + (decoder.end() ?? '');
  if (rest) yield rest;
}

function declaredEncoding(declared: string): string {
  const plain = declared.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plain === 'utf8') return 'utf-8';
  // A bare "UTF-16" means little-endian, because that is what Windows writes.
  if (plain === 'utf16' || plain === 'utf16le' || plain === 'unicode') return 'utf-16le';
  if (plain === 'utf16be') return 'utf-16be';
  if (iconv.encodingExists(declared)) return declared;
  throw new SrqError(
    'usage',
    `There is no encoding ${declared}.`,
    'For example: --encoding utf-8, windows-1252, iso-8859-15, utf-16le, macintosh, cp850',
  );
}

function encodingByBom(head: Buffer): string | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return null;
}

/**
 * Detects UTF-16 by its NUL bytes, or returns null. In the languages of our markets most characters have one NUL byte: the
 * odd byte in little-endian text, the even byte in big-endian text.
 */
function encodingByNuls(head: Buffer): string | null {
  const nuls = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  const pairs = head.length / 2;
  const [even = 0, odd = 0] = nuls;
  if (odd > pairs * 0.4 && even < pairs * 0.05) return 'utf-16le';
  if (even > pairs * 0.4 && odd < pairs * 0.05) return 'utf-16be';
  return null;
}

/**
 * Returns true if any byte is not valid in the encoding. It reads the whole file, because that byte may be the last
 * one.
 */
async function isDamaged(file: PartnerFile, encoding: string): Promise<boolean> {
  if (encoding === 'utf-8') return !(await isAllUtf8(file));
  const utf16 = encoding.startsWith('utf-16');
  if (utf16 && (await hasOddLength(file))) return true;
  for await (const text of decodedText(file, encoding)) {
    if (utf16 ? LONE_SURROGATE.test(text) : text.includes('\uFFFD')) return true;
  }
  return false;
}

async function hasOddLength(file: PartnerFile): Promise<boolean> {
  let odd = 0;
  for await (const chunk of file.chunks()) odd ^= chunk.length & 1;
  return odd === 1;
}

async function isAllUtf8(file: PartnerFile): Promise<boolean> {
  let carried = Buffer.alloc(0);
  for await (const chunk of file.chunks()) {
    const bytes = carried.length > 0 ? Buffer.concat([carried, chunk]) : chunk;
    const whole = bytes.length - incompleteTail(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) return false;
    carried = Buffer.from(bytes.subarray(whole));
  }
  return carried.length === 0;
}

/** Returns the number of bytes at the end that are the beginning of a UTF-8 character that the next chunk continues. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
