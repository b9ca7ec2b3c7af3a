/** The pattern of C0 and C1 controls, bidirectional overrides, other invisible marks, and lone surrogates. */
export const UNPRINTABLE =
  /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Makes a text of foreign origin safe for one line of a terminal or page: controls and invisible characters become `\u{…}`. */
export function printable(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(UNPRINTABLE, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

/** Makes a text safe as {@link printable} does, but keeps its line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
