/** So many last digits are one's own number: a service may tell it without the country. */
const OWN_DIGITS = 7;
/** Longer texts have words too common to tell anything. */
const FEW_WORDS = 8;
const TELLING_LETTERS = 4;
/** A run of letters and digits; everything outside ASCII counts as one but the usual punctuation. */
const WORDS = /[^\x00-/:-@[-`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2000-\u206f\u3000-\u3003\u3008-\u3020]+/g;

/** Tells whether a word of an answer is the service's own or only what it was sent. */
export class EchoTest {
  readonly #sent: readonly SentValue[];

  constructor(values: readonly string[]) {
    this.#sent = values.map((value) => ({ lower: value.toLowerCase(), telephone: null, words: null, longWords: null }));
  }

  /**
   * Whether a short text is, or contains, a sent value or a word of it. Numbers within a value do not count, for an
   * identifier may well contain the digits of a postal code.
   */
  repeats(text: string): boolean {
    const folded = text.toLowerCase();
    const digits = folded.replace(/\D/g, '');
    const mayHoldWords = hasLetter(folded);
    const mayBePart = folded.length > 4 && digits !== folded;
    return this.#sent.some((value) => {
      const { lower } = value;
      if (folded === lower || repeatsTelephone(value, digits)) return true;
      if (mayBePart && lower.includes(folded)) return true;
      if (!mayHoldWords) return false;
      if (lower.length >= TELLING_LETTERS && folded.includes(lower) && hasLetter(lower)) return true;
      return longWordsOf(value).some((word) => folded.includes(word) && hasLetter(word));
    });
  }

  /** Whether it is one of the words and numbers of what was sent. */
  hasWord(word: string): boolean {
    const folded = word.toLowerCase();
    return this.#sent.some((value) => wordsOf(value).includes(folded));
  }
}

/** A value, and what was worked out of it: once, for an answer may name thousands of identifiers. */
interface SentValue {
  readonly lower: string;
  telephone: string | null;
  words: readonly string[] | null;
  longWords: readonly string[] | null;
}

function wordsOf(value: SentValue): readonly string[] {
  value.words ??= value.lower.match(WORDS) ?? [];
  return value.words;
}

/** The words that tell something of a name or an address; those of a long text are none. */
function longWordsOf(value: SentValue): readonly string[] {
  if (value.longWords === null) {
    const words = wordsOf(value).filter((word) => word.length >= TELLING_LETTERS);
    value.longWords = words.length <= FEW_WORDS ? words : [];
  }
  return value.longWords;
}

/** Whether the digits end in the telephone number that the value is, or hold it whole. */
function repeatsTelephone(value: SentValue, digits: string): boolean {
  value.telephone ??= TELEPHONE.test(value.lower) ? value.lower.replace(/\D/g, '') : '';
  const own = value.telephone;
  if (own.length < OWN_DIGITS) return false;
  return (own.length > OWN_DIGITS + 1 && digits.includes(own)) || (digits.length >= OWN_DIGITS && own.endsWith(digits));
}

const TELEPHONE = /^[\d\s+()./-]+$/;

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);
