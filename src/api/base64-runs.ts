import { isUtf8 } from 'node:buffer';
import { Characters } from './characters.ts';

/**
 * A run is a stretch of characters that may be base64. `from` is the index of its first character, `to` the index after
 * its last one.
 */
export interface Base64Run {
  readonly from: number;
  readonly to: number;
  /** Offset in the source where the run starts. `end` is the offset where it ends, padding included. */
  readonly start: number;
  readonly end: number;
}

/**
 * Finds all runs of base64 and base64url digits. The parts of a run between signs (`+`, `/`, `-`, `_`) are runs of
 * their own as well.
 */
export function base64Runs(text: Characters): Base64Run[] {
  const runs: Base64Run[] = [];
  const add = (from: number, to: number) => {
    let end = to;
    while (end < to + 2 && text.code(end) === EQUALS) end += 1;
    if (from < to) runs.push({ from, to, start: text.start(from), end: text.end(end - 1) });
  };
  for (let at = 0; at < text.length; at++) {
    const from = at;
    let part = at;
    let hasSigns = false;
    for (let value = digitValue(text.code(at)); value >= 0; value = digitValue(text.code(++at))) {
      if (value < SIGN) continue;
      hasSigns = true;
      add(part, at);
      part = at + 1;
    }
    if (hasSigns) add(part, at);
    add(from, at);
  }
  return runs;
}

/**
 * Decodes those runs that are base64 of a text. Each decoded letter is given the source offsets of its whole run, so
 * that hiding the letter hides the run.
 */
export function decodedRuns(text: Characters, runs: readonly Base64Run[]): Characters {
  const decoded = new Characters(2 * text.length);
  for (const run of runs) {
    const said = mayBeText(text, run) ? decodedText(text, run) : null;
    if (said === null) continue;
    for (const letter of said) decoded.push(letter.codePointAt(0) ?? 0, run.start, run.end);
    decoded.push(LINE_END, run.start, run.end);
  }
  return decoded;
}

const LINE_END = 10;
const EQUALS = 61;
/** Value from which on the 64 digits are signs instead of letters and numbers. */
const SIGN = 62;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const VALUES = new Int8Array(128).fill(-1);
for (const [value, digit] of [...DIGITS, '+', '/'].entries()) VALUES[digit.charCodeAt(0)] = value;
for (const [value, digit] of ['-', '_'].entries()) VALUES[digit.charCodeAt(0)] = SIGN + value;

/** Returns the value of a base64 digit, or -1 if the code is not one. */
const digitValue = (code: number): number => VALUES[code] ?? -1;

/** Tells whether the first two bytes of a run may begin a UTF-8 text. Most words may not, and are then not decoded. */
function mayBeText(text: Characters, { from, to }: Base64Run): boolean {
  if (to - from < 2) return false;
  const first = digitValue(text.code(from));
  const second = digitValue(text.code(from + 1));
  const third = digitValue(text.code(from + 2));
  const byte = (first << 2) | (second >> 4);
  const next = ((second & 0xf) << 4) | (third >> 2);
  return byte < 0x80 || (byte >= 0xc2 && to - from > 2 && next >= 0x80 && next < 0xc0);
}

/**
 * Decodes a run, or returns null if the bytes are not UTF-8. Up to three bytes at the end may be dropped, because a
 * text that was cut may end within a character.
 */
function decodedText(text: Characters, { from, to }: Base64Run): string | null {
  let run = '';
  for (let at = from; at < to; at++) run += String.fromCharCode(text.code(at));
  const bytes = Buffer.from(run, 'base64');
  for (let lost = 0; lost <= 3 && lost * 4 <= bytes.length; lost++) {
    const whole = lost === 0 ? bytes : bytes.subarray(0, -lost);
    if (isUtf8(whole)) return whole.toString('utf8');
  }
  return null;
}
