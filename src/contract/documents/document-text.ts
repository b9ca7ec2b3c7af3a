/**
 * Decodes a document. The byte order mark tells UTF-16, and without one it is UTF-8. Returns null if it is neither.
 */
export function documentText(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 2).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
