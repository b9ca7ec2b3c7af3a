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

/** Puts details in the place of their names in braces. Braces around anything else stay. */
export function filledIn(text: string, details: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(details, name) ? String(details[name]) : whole));
}

/**
 * Formats 1234567 as 1,234,567. `Intl.NumberFormat` is not used, because Node.js takes 30 ms to create the first one.
 */
export function thousands(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** The characters for the bytes 0x80 to 0xBF in Windows-1252. In UTF-8 these bytes continue a character. */
const CONTINUES =
  '[\u20AC\uFFFD\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u017D\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u017E\u0178\u00A0-\u00BF]';

/** Matches UTF-8 that was read as Windows-1252, for the characters of the markets: `Ã£`, `â‚¬`. */
export const UTF8_AS_WINDOWS_1252 = new RegExp(`[\\u00C2-\\u00C5]${CONTINUES}|\\u00E2${CONTINUES}{2}`);
