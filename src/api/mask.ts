import { base64Runs, decodedRuns } from './base64-runs.ts';
import { Characters } from './characters.ts';
import { EchoTest } from './echo-test.ts';
import { Effort } from './effort.ts';
import { HiddenParts, MASKED } from './hidden-parts.ts';
import { SentWords } from './sent-words.ts';
import { unescaped } from './unescaped.ts';

export { MASKED };

const RAW_LIMIT_BYTES = 2048;
/** Enough of an answer for {@link RAW_LIMIT_BYTES} of its masked text; a hostile megabyte is not searched. */
const SEARCHED_LIMIT = 1 << 15;
/** A recording or a token, whosever it is: so long no word is. */
const LONGEST_WORD = 200;

/** A text may be base64, and again base64. */
const MOST_ENCODINGS = 3;
/** What was encoded for a URL within a URL comes out encoded once: what stays of it is easier to read. */
const NESTED_ENCODING = /%(?:25)+(?=[\da-f]{2})/gi;

/**
 * Hides in a text what was sent, in the forms in which a service might repeat it. Both are cut into words, which are
 * compared; no pattern is made of a text, so that none can make the search run away. Most answers ask for nothing of it.
 */
export class Mask {
  readonly #given: string[];
  #values: readonly string[] | null = null;
  #words: SentWords | null = null;
  #echo: EchoTest | null = null;

  /** `values`: everything that was sent, secrets included. */
  constructor(values: readonly string[]) {
    this.#given = [...values];
  }

  /** One more value that is sent: the token, which is not known from the start. */
  add(value: string): void {
    this.#given.push(value);
    this.#values = null;
    this.#words = null;
    this.#echo = null;
  }

  /** The text, at most its first 32 Ki characters, with every sent value replaced by `***`. */
  apply(text: string): string {
    this.#words ??= new SentWords(this.#sent);
    if (!this.#words.isWhole) return MASKED;
    const searched = text.slice(0, SEARCHED_LIMIT).replace(NESTED_ENCODING, '%');
    const hidden = new HiddenParts(searched);
    // Half a word or half an escape would not be known as what it is.
    if (text.length > SEARCHED_LIMIT) hidden.hideFrom(startOfLastPart(searched));
    const effort = new Effort();
    let written = Characters.of(searched);
    for (let depth = 0; depth < MOST_ENCODINGS && written.length > 0; depth++) {
      const read = unescaped(written);
      this.#words.hideIn(written, hidden, effort);
      if (read.length < written.length) this.#words.hideIn(read, hidden, effort);
      const runs = base64Runs(read);
      for (const { from, to, start, end } of runs) if (to - from >= LONGEST_WORD) hidden.hide(start, end);
      written = decodedRuns(read, runs);
    }
    return hidden.shown();
  }

  /** Whether an identifier is only what was sent. See {@link EchoTest}. */
  hides(text: string): boolean {
    this.#echo ??= new EchoTest(this.#sent);
    return this.#echo.repeats(text);
  }

  /** Whether it is one of the words and numbers of what was sent. */
  hasWord(word: string): boolean {
    this.#echo ??= new EchoTest(this.#sent);
    return this.#echo.hasWord(word);
  }

  /** What was sent as it went over the wire: lone surrogates have no form in UTF-8. */
  get #sent(): readonly string[] {
    this.#values ??= [...new Set(this.#given.map((value) => value.toWellFormed()))].filter(
      (value) => value.trim() !== '',
    );
    return this.#values;
  }
}

const startOfLastPart = (text: string): number =>
  Math.max(...[' ', '"', '\n'].map((each) => text.lastIndexOf(each))) + 1;

/** At most 2 KiB of UTF-8, cut between characters. */
export function cutRaw(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RAW_LIMIT_BYTES) return text;
  return bytes.subarray(0, RAW_LIMIT_BYTES).toString('utf8').replace(/�+$/u, '');
}
