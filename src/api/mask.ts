import { hasLetter, LONGEST_BASE64, repeatsTelephone, spellingsOf, tellingWords, wordsOf } from './spellings.ts';

const RAW_LIMIT_BYTES = 2048;
/** Stands for what may not be shown. */
export const MASKED = '***';
/** Enough of an answer for {@link RAW_LIMIT_BYTES} of its masked text; a hostile megabyte is not searched. */
const SEARCHED_LIMIT = 1 << 16;

/** Finds in a text what was sent, in the forms in which a service might repeat it. Most answers ask for nothing of it. */
export class Mask {
  readonly #given: string[];
  #values: readonly string[] | null = null;
  #patterns: readonly RegExp[] | null = null;

  /** `values`: everything that was sent, secrets included. */
  constructor(values: readonly string[]) {
    this.#given = [...values];
  }

  /** One more value that is sent: the token, which is not known from the start. */
  add(value: string): void {
    this.#given.push(value);
    this.#values = null;
    this.#patterns = null;
  }

  /** The text, at most its first 64 Ki characters, with every sent value replaced by `***`. */
  apply(text: string): string {
    this.#patterns ??= patternsOf(this.#sent);
    const searched = text.slice(0, SEARCHED_LIMIT).replace(NESTED_ENCODING, '%');
    const masked = this.#patterns.reduce((rest, each) => rest.replace(each, MASKED), searched);
    return masked.replace(ENCODED_BYTES, MASKED);
  }

  /**
   * Whether a short text is, or contains, a sent value or a word of it. Numbers within a value do not count, for an
   * identifier may well contain the digits of a postal code.
   */
  hides(text: string): boolean {
    const folded = text.toLowerCase();
    const mayHoldWords = hasLetter(folded);
    const mayBePart = folded.length > 4 && /\D/.test(folded);
    return this.#sent.some((value) => {
      const lower = value.toLowerCase();
      if (folded === lower || repeatsTelephone(lower, folded)) return true;
      if (mayBePart && lower.includes(folded)) return true;
      if (!mayHoldWords) return false;
      if (lower.length > 3 && hasLetter(lower) && folded.includes(lower)) return true;
      return tellingWords(lower).some((word) => hasLetter(word) && folded.includes(word));
    });
  }

  /** Whether it is one of the words and numbers of what was sent. */
  hasWord(word: string): boolean {
    const folded = word.toLowerCase();
    return this.#sent.some((value) => wordsOf(value.toLowerCase()).includes(folded));
  }

  /** What was sent as it went over the wire: lone surrogates have no form in UTF-8. */
  get #sent(): readonly string[] {
    this.#values ??= [...new Set(this.#given.map((value) => value.toWellFormed()))].filter(
      (value) => value.trim() !== '',
    );
    return this.#values;
  }
}

/** At most 2 KiB of UTF-8, cut between characters. */
export function cutRaw(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RAW_LIMIT_BYTES) return text;
  return bytes.subarray(0, RAW_LIMIT_BYTES).toString('utf8').replace(/�+$/u, '');
}

/** What was encoded for a URL within a URL comes out encoded once, so that the patterns know it. */
const NESTED_ENCODING = /%(?:25)+(?=[\da-f]{2})/gi;

/** A recording or a token, whosever it is: so long no word is. */
const ENCODED_BYTES = new RegExp(`[A-Za-z\\d+/_=-]{${LONGEST_BASE64},}`, 'g');

/** One pattern for each hundred spellings: the engine refuses larger ones. */
function patternsOf(values: readonly string[]): RegExp[] {
  const spellings = new Map(values.flatMap(spellingsOf));
  // The longest first, so that a value which contains another one is masked whole.
  const longestFirst = [...spellings].sort(([a], [b]) => b.length - a.length).map(([, pattern]) => pattern);
  const starts = longestFirst.map((_, index) => index).filter((index) => index % 100 === 0);
  return starts.map((from) => new RegExp(longestFirst.slice(from, from + 100).join('|'), 'gi'));
}
