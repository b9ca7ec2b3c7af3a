import { SrqError } from '../model/errors.ts';

/** The kinds of file that srq can read, as told by the first bytes. */
export type FileKind = 'text' | 'gzip' | 'zip';

const SAVE_AS_CSV =
  'Open it in a spreadsheet and save it as "CSV UTF-8 (comma delimited)" (File > Save As > File type), then import that file.';

/** The first bytes of the kinds that srq reads although they are not text. */
const READ: readonly { readonly begins: readonly number[]; readonly kind: FileKind }[] = [
  { begins: [0x1f, 0x8b], kind: 'gzip' },
  { begins: [0x50, 0x4b, 0x03, 0x04], kind: 'zip' },
];

/** The first bytes of the kinds that srq refuses, with their name and a way out. */
const REFUSED: readonly { readonly begins: readonly number[]; readonly what: string; readonly hint: string }[] = [
  {
    begins: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an Excel 97-2003 workbook (.xls), or one with a password',
    hint: `${SAVE_AS_CSV} Or save it as .xlsx without a password.`,
  },
  { begins: [0x25, 0x50, 0x44, 0x46], what: 'a PDF', hint: 'Export the data as CSV UTF-8 instead.' },
  { begins: [0x28, 0xb5, 0x2f, 0xfd], what: 'compressed with Zstandard', hint: 'Unpack it first: zstd -d FILE' },
  { begins: [0x42, 0x5a, 0x68], what: 'compressed with bzip2', hint: 'Unpack it first: bunzip2 FILE' },
  { begins: [0xfd, 0x37, 0x7a, 0x58, 0x5a], what: 'compressed with xz', hint: 'Unpack it first: unxz FILE' },
  { begins: [0x50, 0x4b, 0x05, 0x06], what: 'an empty ZIP archive', hint: 'Export the file again.' },
];

/**
 * Returns the kind of a file by its first bytes. Throws `SrqError('input')`, with a way out, for a kind that srq cannot
 * read.
 */
export function kindOf(path: string, head: Buffer): FileKind {
  const begins = ({ begins }: { readonly begins: readonly number[] }) =>
    begins.every((byte, index) => head[index] === byte);
  const refused = REFUSED.find(begins);
  if (refused) throw new SrqError('input', `${path} is ${refused.what}, not CSV or JSON.`, refused.hint);
  if (/^\s*<(?:!doctype|html|table|\?xml)/i.test(head.subarray(0, 200).toString('latin1'))) {
    throw new SrqError('input', `${path} is a web page or XML, not CSV or JSON.`, SAVE_AS_CSV);
  }
  return READ.find(begins)?.kind ?? 'text';
}

/** Returns the error for a ZIP archive that is not a workbook which srq can read. */
export function notAWorkbook(path: string, what: string, hint = SAVE_AS_CSV): SrqError {
  return new SrqError('input', `${path} is ${what}.`, hint);
}
