import { hiding, LAST_DIGITS, MAX_WORDS, MIN_TELLING } from './hidden-words.ts';

/** Maximum size of an answer's text that is kept with a row, in bytes of UTF-8. */
const RAW_LIMIT_BYTES = 2048;

/** Knows all values that a request sends. It hides them in texts, and tells an identifier from an echo of them. */
export class Redactor {
  #sent: readonly string[];
  #hide: ((text: string) => string) | null = null;
  #known: readonly SentValue[] | null = null;

  /** Creates a redactor for `values`, which are all values that were sent, secrets included. */
  constructor(values: readonly string[]) {
    // Lone surrogates have no form in UTF-8. They went over the wire as the replacement character.
    this.#sent = values.map((value) => value.toWellFormed()).filter((value) => value.trim() !== '');
  }

  /** Adds one more sent value. The token is added this way, because it is not known from the start. */
  add(value: string): void {
    if (this.#sent.includes(value)) return;
    this.#sent = [...this.#sent, value];
    this.#hide = null;
    this.#known = null;
  }

  /** Returns the beginning of the text with every sent word and number replaced by `***`. */
  redact(text: string): string {
    // Most answers are never redacted.
    this.#hide ??= hiding(this.#sent);
    return this.#hide(text);
  }

  /**
   * Tells whether a short text, such as an identifier, is or contains a sent value or a word of one, so that it only repeats
   * what was sent. Numbers within a value do not count, because an identifier may well contain the digits of a postal code.
   */
  repeatsSent(text: string): boolean {
    const folded = text.toLowerCase();
    const digits = folded.replace(/\D/g, '');
    const mayHoldWords = hasLetter(folded);
    const mayBePart = folded.length > 4 && digits !== folded;
    return this.#values.some(
      (sent) =>
        folded === sent.lower ||
        repeatsTelephone(sent.telephone, digits) ||
        (mayBePart && sent.lower.includes(folded)) ||
        (mayHoldWords && sent.telling.some((each) => folded.includes(each))),
    );
  }

  /** Tells whether the text is the whole of a sent value, whatever its case. */
  isSentValue(text: string): boolean {
    const folded = text.trim().toLowerCase();
    return this.#values.some(({ lower }) => lower.trim() === folded);
  }

  /** Tells whether the word is one of the words and numbers of the sent values. */
  isSentWord(word: string): boolean {
    const folded = word.toLowerCase();
    return this.#values.some(({ words }) => words.includes(folded));
  }

  get #values(): readonly SentValue[] {
    this.#known ??= this.#sent.map(sentValue);
    return this.#known;
  }
}

/** Cuts the text to at most 2 KiB of UTF-8, between two characters. */
export function cutRaw(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RAW_LIMIT_BYTES) return text;
  return bytes.subarray(0, RAW_LIMIT_BYTES).toString('utf8').replace(/�+$/u, '');
}

/** Matches the words and numbers of a value, and of a text that is compared with it. */
export const SENT_WORD = /[\p{L}\p{M}\d]+/gu;

type SentValue = ReturnType<typeof sentValue>;

/** Returns a sent value as answers are compared with it. */
function sentValue(value: string) {
  const lower = value.toLowerCase();
  /** The digits of a telephone number, else empty. */
  const telephone = /^[\d\s+()./-]+$/.test(lower) ? lower.replace(/\D/g, '') : '';
  const words: readonly string[] = lower.match(SENT_WORD) ?? [];
  const long = words.filter((word) => word.length >= MIN_TELLING);
  const whole = [lower, ...(long.length <= MAX_WORDS ? long : [])];
  /** The value and its words, as far as they tell something of a name or an address. */
  const telling = whole.filter((each) => each.length >= MIN_TELLING && hasLetter(each));
  return { lower, telephone, words, telling };
}

/** Tells whether the digits are the end of the telephone number, or contain all of it. */
function repeatsTelephone(telephone: string, digits: string): boolean {
  if (telephone.length < LAST_DIGITS) return false;
  return (
    (telephone.length > LAST_DIGITS + 1 && digits.includes(telephone)) ||
    (digits.length >= LAST_DIGITS && telephone.endsWith(digits))
  );
}

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);
