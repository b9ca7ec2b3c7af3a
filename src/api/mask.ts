import { base64Runs, decodedRuns } from './base64-runs.ts';
import { Characters } from './characters.ts';
import { EchoTest } from './echo-test.ts';
import { StepBudget } from './effort.ts';
import { HiddenParts, REDACTED } from './hidden-parts.ts';
import { SentWords } from './sent-words.ts';
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
 * Length from which a base64 run is hidden whatever it holds. No word is that long: the run is a recording or a token,
 * and either is hidden whoever it belongs to.
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
