import { StringDecoder } from 'node:string_decoder';
import { UTF8_AS_WINDOWS_1252 } from '../request/words/characters.ts';
import { SrqError } from '../request/words/errors.ts';
import { firstChunk, type PartnerFile } from './partner-file.ts';

/** The encoding of a file's text. */
export interface TextEncoding {
  /** The name that iconv-lite uses. */
  readonly name: string;
  /** The name that people use. */
  readonly label: string;
  /** Matches texts that this encoding does not explain. Null if it explains the whole file. */
  readonly unexplained: RegExp | null;
  /** A note for the plan on how the encoding was found, or null. */
  readonly note: string | null;
}

const LABELS: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'windows-1252': 'Windows-1252',
};

/**
 * Matches what cannot be decoded. Bytes that an encoding does not have become U+FFFD, and half a pair in UTF-16 becomes
 * a lone surrogate.
 */
export const UNDECODABLE = /\uFFFD|\p{Surrogate}/u;

/** Maximum number of undecodable places that count as a problem of single rows, even in a file of plain ASCII. */
const FEW_PLACES = 10;

/**
 * Finds the encoding of a whole file. The first of these applies: the declared encoding, the byte order mark, UTF-16 if
 * NUL bytes are where UTF-16 has them, UTF-8 if it explains most characters beyond ASCII, and else Windows-1252, with a
 * note. Rows that the encoding does not explain are refused later, one by one. Throws `SrqError('input')` if the bytes
 * are none of these, and `SrqError('usage')` if the declared encoding is unknown.
 */
export async function findEncoding(file: PartnerFile, declared: string | null): Promise<TextEncoding> {
  const named = declared === null ? null : await declaredEncoding(declared);
  const head = await firstChunk(file);
  const name = named ?? encodingByBom(head) ?? encodingByNuls(head.subarray(0, 4096));
  if ((name ?? 'utf-8') === 'utf-8' && (await isAllUtf8(file))) return textEncoding('utf-8', 'UTF-8', 0);
  const { known, unknown } = await censusOf(file, name ?? 'utf-8');
  if (name === null) return unknown <= known ? textEncoding('utf-8', 'UTF-8', unknown) : windows1252(file, known);
  const label = declared !== null && !LABELS[name] ? declared : (LABELS[name] ?? name);
  if (unknown > Math.max(FEW_PLACES, known)) throw undecodable(file.path, label);
  return textEncoding(name, label, unknown);
}

/** Throws if a header has UTF-8 within UTF-8: a program read the file as Windows-1252 and saved what it saw. */
export function requireSavedOnce(path: string, header: readonly string[]): void {
  const [found] = UTF8_AS_WINDOWS_1252.exec(header.join('\n')) ?? [];
  if (found === undefined) return;
  throw new SrqError(
    'encoding.mismatch',
    `${path} has damaged letters, such as "${found}": it was saved as UTF-8 twice.`,
    'Export it again as CSV UTF-8. To take its letters as they are: --encoding utf-8',
  );
}

function textEncoding(name: string, label: string, unknown: number): TextEncoding {
  if (unknown === 0) return { name, label, unexplained: null, note: null };
  const places = unknown === 1 ? 'one place is not' : `${unknown} places are not`;
  return { name, label, unexplained: UNDECODABLE, note: `Read as ${label}, but ${places}: such rows are invalid.` };
}

/** Returns the error for bytes that the encoding does not have. `where` describes their place. */
export function undecodable(where: string, label: string): SrqError {
  return new SrqError(
    'encoding.mismatch',
    `${where} holds bytes that are not ${label}.`,
    'Name the encoding the file really has, for example: --encoding windows-1252',
  );
}

/**
 * Returns Windows-1252, if it explains the file. `utf8Places` is the number of characters in the file that are valid
 * UTF-8, which come from another source.
 */
async function windows1252(file: PartnerFile, utf8Places: number): Promise<TextEncoding> {
  const { unknown } = await censusOf(file, 'windows-1252');
  if (unknown > utf8Places || (utf8Places === 0 && (await hasOtherAccents(file)))) {
    throw new SrqError(
      'encoding.mismatch',
      `${file.path} is neither UTF-8 nor Windows-1252 text.`,
      'Export it again as CSV UTF-8, or name its encoding. Old programs for the Mac: --encoding macintosh. For DOS: --encoding cp850',
    );
  }
  const others = utf8Places > 0 ? ' Rows that look like UTF-8 are invalid.' : '';
  return {
    name: 'windows-1252',
    label: 'Windows-1252',
    unexplained: utf8Places > 0 ? new RegExp(`\\uFFFD|${UTF8_AS_WINDOWS_1252.source}`) : null,
    note: `Read as Windows-1252, because it is not valid UTF-8.${others} If accents look wrong, name the encoding: --encoding NAME`,
  };
}

/**
 * Matches letters with accents within words, where Mac Roman or DOS has them. Windows-1252 has signs in their place,
 * which no word contains.
 */
const OTHER_ACCENTS =
  /(?<=[A-Za-z])[\x80-\x84\x86-\x90\x98-\x9b\x9d-\x9f\xa1-\xa4](?=[a-z])|(?<![^\s,;"\t|])[\x80-\x84\x86](?=[a-z])/g;
const WINDOWS_ACCENTS = /(?<=[A-Za-z])[\xc0-\xff](?=[a-z])/g;

/** Tells by the places of the accents whether a file has the encoding of an old program for the Mac or for DOS. */
async function hasOtherAccents(file: PartnerFile): Promise<boolean> {
  let [others, windows] = [0, 0];
  for await (const chunk of file.chunks()) {
    const text = chunk.toString('latin1');
    others += text.match(OTHER_ACCENTS)?.length ?? 0;
    windows += text.match(WINDOWS_ACCENTS)?.length ?? 0;
  }
  return others > windows;
}

/** Yields the text of a file without its byte order mark. No piece ends within a character. */
export async function* decodedText(file: PartnerFile, encoding: string): AsyncGenerator<string> {
  const decoder =
    encoding === 'utf-8' ? new StringDecoder('utf8') : (await others()).getDecoder(encoding, { stripBOM: false });
  const isUtf16 = encoding.startsWith('utf-16');
  let [atStart, half, bytes] = [true, '', 0];
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    let text = half + decoder.write(chunk);
    if (atStart && text.startsWith('\uFEFF')) text = text.slice(1);
    atStart &&= text === '';
    half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    yield half ? text.slice(0, -1) : text;
  }
  // Half a character of UTF-16 at the end is damage that the decoder would pass over.
  const rest = half + (decoder.end() ?? '') + (isUtf16 && bytes % 2 === 1 ? '\uD800' : '');
  if (rest) yield rest;
}

/** Knows all encodings but UTF-8, which most files have. Its tables are half a megabyte. */
const others = async () => (await import('iconv-lite')).default;

async function declaredEncoding(declared: string): Promise<string> {
  const plain = declared.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plain === 'utf8') return 'utf-8';
  // A bare "UTF-16" means little-endian, because that is what Windows writes.
  if (plain === 'utf16' || plain === 'utf16le' || plain === 'unicode') return 'utf-16le';
  if (plain === 'utf16be') return 'utf-16be';
  if ((await others()).encodingExists(declared)) return declared;
  throw new SrqError(
    'arguments.invalid',
    `There is no encoding "${declared}".`,
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
 * Detects UTF-16 by its NUL bytes, or returns null. In the languages of our markets most characters have one byte that
 * is not NUL: the first one in little-endian text, the last one in big-endian text.
 */
function encodingByNuls(head: Buffer): string | null {
  const nuls = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  const form = nuls.map((count) => (count > head.length / 5 ? '0' : count < head.length / 40 ? 'x' : '?')).join('');
  return { x0: 'utf-16le', '0x': 'utf-16be' }[form] ?? null;
}

/**
 * Counts the characters beyond ASCII in a whole file, those of three bytes in UTF-8 twice: those that the encoding explains,
 * and those that it does not have.
 */
async function censusOf(file: PartnerFile, encoding: string) {
  const undecodable = encoding.startsWith('utf-16') ? /\p{Surrogate}/gu : /\uFFFD/g;
  let [beyond, unknown] = [0, 0];
  for await (const text of decodedText(file, encoding)) {
    unknown += text.match(undecodable)?.length ?? 0;
    beyond += Buffer.byteLength(text) - text.length;
  }
  // What cannot be decoded has three bytes as well.
  return { known: Math.max(0, beyond - 2 * unknown), unknown };
}

/** Tells whether all bytes are UTF-8. A U+FFFD that the file itself holds is. */
async function isAllUtf8(file: PartnerFile): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of file.chunks()) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
