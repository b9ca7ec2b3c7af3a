import type * as Zlib from 'node:zlib';

/** Maximum number of bytes of an answer that are read, both as received and after its content codings are undone. */
export const MAX_ANSWER_BYTES = 1 << 20;
/** Maximum number of content codings of one answer. */
const MAX_CODINGS = 3;

type Undo = (bytes: Buffer, zlib: typeof Zlib) => Buffer;

const within = { maxOutputLength: MAX_ANSWER_BYTES };
const gunzip: Undo = (bytes, zlib) => zlib.gunzipSync(bytes, within);

const UNDO: ReadonlyMap<string, Undo> = new Map<string, Undo>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', (bytes, zlib) => zlib.brotliDecompressSync(bytes, within)],
  // RFC 9110, section 8.4.1.2: the data has a zlib header, which some servers leave out.
  ['deflate', (bytes, zlib) => (hasZlibHeader(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, within)],
]);

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/**
 * Decodes a body to text. Returns null if its content coding is unknown or cannot be undone, or if the body is too long
 * without it. Returns a promise only if a coding has to be undone, because zlib is loaded only then.
 */
export function bodyText(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): string | null | Promise<string | null> {
  const codings = bytes.length > 0 ? codingsOf(headers) : [];
  if (codings.length === 0) return decoded(bytes, headers['content-type'] ?? '');
  return undone(bytes, codings).then((plain) => plain && decoded(plain, headers['content-type'] ?? ''));
}

/** Returns the codings of a body in the order in which they were applied. */
function codingsOf(headers: Readonly<Record<string, string>>): string[] {
  const { 'content-encoding': content = '', 'transfer-encoding': transfer = '' } = headers;
  if (content === '' && (transfer === '' || transfer === 'chunked')) return [];
  const names = `${content},${transfer}`.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => !/^(?:|identity|chunked)$/.test(name));
}

async function undone(bytes: Buffer, codings: readonly string[]): Promise<Buffer | null> {
  const steps = codings.toReversed().map((name) => UNDO.get(name));
  if (steps.length > MAX_CODINGS) return null;
  const zlib = await import('node:zlib');
  try {
    return steps.reduce((left, undo) => {
      if (!undo) throw new Error('unknown encoding');
      return undo(left, zlib);
    }, bytes);
  } catch {
    return null;
  }
}

/**
 * Decodes bytes to text by their charset. A byte order mark takes precedence over the header. The mark of UTF-8 is left
 * in the text for whoever reads it.
 */
function decoded(bytes: Buffer, contentType: string): string {
  const label = markedCharset(bytes) ?? /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  if (label === undefined || /^utf-?8$/i.test(label)) return bytes.toString('utf8');
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

function markedCharset(bytes: Buffer): string | undefined {
  switch (bytes[0]) {
    case 0xfe:
      return bytes[1] === 0xff ? 'utf-16be' : undefined;
    case 0xff:
      return bytes[1] === 0xfe ? 'utf-16le' : undefined;
    case 0xef:
      return bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined;
    default:
      return undefined;
  }
}
