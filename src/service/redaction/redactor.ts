import { EchoTest } from './echo-test.ts';
import { HiddenWords, REDACTED } from './hidden-words.ts';

export { REDACTED };

/** Maximum size of an answer's text that is kept with a row, in bytes of UTF-8. */
const RAW_LIMIT_BYTES = 2048;

/** Knows all values that a request sends. It hides them in texts, and tells an identifier from an echo of them. */
export class Redactor {
  #sent: readonly string[];
  #words: HiddenWords | null = null;
  #echo: EchoTest | null = null;

  /** Creates a redactor for `values`, which are all values that were sent, secrets included. */
  constructor(values: readonly string[]) {
    // Lone surrogates have no form in UTF-8. They went over the wire as the replacement character.
    this.#sent = values.map((value) => value.toWellFormed()).filter((value) => value.trim() !== '');
  }

  /** Adds one more sent value. The token is added this way, because it is not known from the start. */
  add(value: string): void {
    if (this.#sent.includes(value)) return;
    this.#sent = [...this.#sent, value];
    this.#words = null;
    this.#echo = null;
  }

  /** Returns the beginning of the text with every sent word and number replaced by `***`. */
  redact(text: string): string {
    // Most answers are never redacted.
    this.#words ??= new HiddenWords(this.#sent);
    return this.#words.hide(text);
  }

  /** Tells whether an identifier only repeats what was sent. See {@link EchoTest}. */
  repeatsSent(text: string): boolean {
    return this.#echoes.repeatsSent(text);
  }

  /** Tells whether the text is the whole of a sent value, whatever its case. */
  isSentValue(text: string): boolean {
    return this.#echoes.isSent(text);
  }

  /** Tells whether the word is one of the words and numbers of the sent values. */
  isSentWord(word: string): boolean {
    return this.#echoes.hasWord(word);
  }

  get #echoes(): EchoTest {
    this.#echo ??= new EchoTest(this.#sent);
    return this.#echo;
  }
}

/** Cuts the text to at most 2 KiB of UTF-8, between two characters. */
export function cutRaw(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RAW_LIMIT_BYTES) return text;
  return bytes.subarray(0, RAW_LIMIT_BYTES).toString('utf8').replace(/�+$/u, '');
}
