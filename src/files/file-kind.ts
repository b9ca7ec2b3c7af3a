import { SrqError } from '../model/errors.ts';

const SAVE_AS_CSV = 'Open it in a spreadsheet and save it as "CSV UTF-8 (comma delimited)", then import that file.';

/** The first bytes of what is not text, what to call it, and the way out. */
const KINDS: readonly { readonly begins: readonly number[]; readonly what: string; readonly hint: string }[] = [
  { begins: [0x50, 0x4b, 0x03, 0x04], what: 'an Excel workbook or another ZIP archive', hint: SAVE_AS_CSV },
  { begins: [0xd0, 0xcf, 0x11, 0xe0], what: 'an Excel 97-2003 workbook', hint: SAVE_AS_CSV },
  {
    begins: [0x1f, 0x8b],
    what: 'compressed with gzip',
    hint: 'Unpack it first: gunzip FILE, or gunzip -c FILE | srq bulk -',
  },
  { begins: [0x25, 0x50, 0x44, 0x46], what: 'a PDF', hint: 'Export the data as CSV UTF-8 instead.' },
];

/** Throws `SrqError('input')` with the way out for a file that its first bytes show to be no text. */
export function requireText(path: string, head: Buffer): void {
  const kind = KINDS.find(({ begins }) => begins.every((byte, index) => head[index] === byte));
  if (kind) throw new SrqError('input', `${path} is ${kind.what}, not CSV or JSON.`, kind.hint);
  if (/^\s*<(?:!doctype|html|table|\?xml)/i.test(head.subarray(0, 200).toString('latin1'))) {
    throw new SrqError('input', `${path} is a web page or XML, not CSV or JSON.`, SAVE_AS_CSV);
  }
}
