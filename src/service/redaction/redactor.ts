import { isUtf8 } from 'node:buffer';
import { Characters } from './characters.ts';
import { EchoTest } from './echo-test.ts';
import { StepBudget } from './folded-words.ts';
import { HiddenParts, REDACTED, SentWords } from './sent-words.ts';
import { unescaped } from './unescaped.ts';

export { REDACTED };

/** Maximum size of an answer's text that is kept with a row, in bytes of UTF-8. */
const RAW_LIMIT_BYTES = 2048;
/**
 * Maximum number of characters that are searched. They are enough for {@link RAW_LIMIT_BYTES} of redacted text, and a
 * hostile megabyte is not searched.
 */
const MAX_SEARCHED_LENGTH = 1 << 15;
/**
 * Length from which a base64 run is hidden, whatever it contains. No word is that long. The run is a recording or a
 * token, which must not be shown in any case.
 */
const OPAQUE_RUN_LENGTH = 200;

/** Maximum number of base64 layers that are decoded: a text may be base64 of a text that is base64 again. */
const MAX_ENCODINGS = 3;
/**
 * Matches a percent sign that was encoded several times, as in a URL within a URL. It is reduced to one encoding,
 * because what stays visible of it is then easier to read.
 */
const NESTED_ENCODING = /%(?:25)+(?=[\da-f]{2})/gi;

/**
 * The redactor hides every sent value in a text, in all forms in which a service might repeat it. Both the values and
 * the text are cut into words, and the words are compared. No pattern is built from a text, so no text can make the
 * search run away. Most answers are never redacted, so the index of the words is built on first use.
 */
export class Redactor {
  readonly #given: string[];
  #values: readonly string[] | null = null;
  #words: SentWords | null = null;
  #echo: EchoTest | null = null;

  /** Creates a redactor for `values`, which are all values that were sent, secrets included. */
  constructor(values: readonly string[]) {
    this.#given = [...values];
  }

  /** Adds one more sent value. The token is added this way, because it is not known from the start. */
  add(value: string): void {
    this.#given.push(value);
    this.#values = null;
    this.#words = null;
    this.#echo = null;
  }

  /** Returns the first 32 Ki characters of the text with every sent value replaced by `***`. */
  redact(text: string): string {
    this.#words ??= new SentWords(this.#sent);
    if (!this.#words.isWhole) return REDACTED;
    const searched = text.slice(0, MAX_SEARCHED_LENGTH).replace(NESTED_ENCODING, '%');
    const hidden = new HiddenParts(searched);
    // A word or an escape that was cut in half would not be recognised.
    if (text.length > MAX_SEARCHED_LENGTH) hidden.hideFrom(startOfLastPart(searched));
    const budget = new StepBudget();
    let written = Characters.of(searched);
    for (let depth = 0; depth < MAX_ENCODINGS && written.length > 0; depth++) {
      const read = unescaped(written);
      this.#words.hideIn(written, hidden, budget);
      if (read.length < written.length) this.#words.hideIn(read, hidden, budget);
      const runs = base64Runs(read);
      for (const { from, to, start, end } of runs) if (to - from >= OPAQUE_RUN_LENGTH) hidden.hide(start, end);
      written = decodedRuns(read, runs);
    }
    return hidden.render();
  }

  /** Tells whether an identifier only repeats what was sent. See {@link EchoTest}. */
  repeatsSent(text: string): boolean {
    this.#echo ??= new EchoTest(this.#sent);
    return this.#echo.repeatsSent(text);
  }

  /** Tells whether the text is the whole of a sent value, whatever its case. */
  isSentValue(text: string): boolean {
    this.#echo ??= new EchoTest(this.#sent);
    return this.#echo.isSent(text);
  }

  /** Tells whether the word is one of the words and numbers of the sent values. */
  isSentWord(word: string): boolean {
    this.#echo ??= new EchoTest(this.#sent);
    return this.#echo.hasWord(word);
  }

  /** The sent values as they went over the wire. Lone surrogates are replaced, because they have no form in UTF-8. */
  get #sent(): readonly string[] {
    this.#values ??= [...new Set(this.#given.map((value) => value.toWellFormed()))].filter(
      (value) => value.trim() !== '',
    );
    return this.#values;
  }
}

const startOfLastPart = (text: string): number =>
  Math.max(...[' ', '"', '\n'].map((each) => text.lastIndexOf(each))) + 1;

/** Cuts the text to at most 2 KiB of UTF-8, between two characters. */
export function cutRaw(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RAW_LIMIT_BYTES) return text;
  return bytes.subarray(0, RAW_LIMIT_BYTES).toString('utf8').replace(/�+$/u, '');
}

/**
 * A run is a stretch of characters that may be base64. `from` is the index of its first character, `to` the index after
 * its last one.
 */
interface Base64Run {
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
function base64Runs(text: Characters): Base64Run[] {
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
function decodedRuns(text: Characters, runs: readonly Base64Run[]): Characters {
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
