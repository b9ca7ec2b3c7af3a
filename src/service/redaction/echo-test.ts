/**
 * Number of last digits that identify a telephone number, because a service may write the number without its country
 * code.
 */
const SUBSCRIBER_DIGITS = 7;
/**
 * Maximum number of words in a value whose words are compared one by one. The words of longer texts are too common to
 * tell anything.
 */
const MAX_WORDS = 8;
/** Minimum length of a word that tells something of a name or an address. */
const MIN_LETTERS = 4;
/**
 * Matches a run of letters and digits. Every character outside ASCII counts as a letter, except the usual punctuation.
 */
const WORDS = /[^\x00-/:-@[-`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2000-\u206f\u3000-\u3003\u3008-\u3020]+/g;

/** The echo test tells whether an identifier in an answer is the service's own, or only repeats what was sent. */
export class EchoTest {
  readonly #sent: readonly SentValue[];

  constructor(values: readonly string[]) {
    this.#sent = values.map((value) => ({
      lower: value.toLowerCase(),
      telephone: null,
      words: null,
      distinctiveWords: null,
    }));
  }

  /**
   * Tells whether a short text is, or contains, a sent value or a word of one. Numbers within a value do not count,
   * because an identifier may well contain the digits of a postal code.
   */
  repeatsSent(text: string): boolean {
    const folded = text.toLowerCase();
    const digits = folded.replace(/\D/g, '');
    const mayHoldWords = hasLetter(folded);
    const mayBePart = folded.length > 4 && digits !== folded;
    return this.#sent.some((value) => {
      const { lower } = value;
      if (folded === lower || repeatsTelephone(value, digits)) return true;
      if (mayBePart && lower.includes(folded)) return true;
      if (!mayHoldWords) return false;
      if (lower.length >= MIN_LETTERS && folded.includes(lower) && hasLetter(lower)) return true;
      return distinctiveWordsOf(value).some((word) => folded.includes(word) && hasLetter(word));
    });
  }

  /** Tells whether the text is the whole of a sent value, whatever its case. */
  isSent(text: string): boolean {
    const folded = text.trim().toLowerCase();
    return this.#sent.some(({ lower }) => lower.trim() === folded);
  }

  /** Tells whether the word is one of the words and numbers of the sent values. */
  hasWord(word: string): boolean {
    const folded = word.toLowerCase();
    return this.#sent.some((value) => wordsOf(value).includes(folded));
  }
}

/**
 * A sent value with everything that is derived from it. Each part is derived once, because an answer may name thousands
 * of identifiers.
 */
interface SentValue {
  readonly lower: string;
  telephone: string | null;
  words: readonly string[] | null;
  distinctiveWords: readonly string[] | null;
}

function wordsOf(value: SentValue): readonly string[] {
  value.words ??= value.lower.match(WORDS) ?? [];
  return value.words;
}

/** Returns the words that tell something of a name or an address. A long text has none. */
function distinctiveWordsOf(value: SentValue): readonly string[] {
  if (value.distinctiveWords === null) {
    const words = wordsOf(value).filter((word) => word.length >= MIN_LETTERS);
    value.distinctiveWords = words.length <= MAX_WORDS ? words : [];
  }
  return value.distinctiveWords;
}

/** Tells whether the value is a telephone number, and the digits are the end of it or contain all of it. */
function repeatsTelephone(value: SentValue, digits: string): boolean {
  value.telephone ??= TELEPHONE.test(value.lower) ? value.lower.replace(/\D/g, '') : '';
  const own = value.telephone;
  if (own.length < SUBSCRIBER_DIGITS) return false;
  return (
    (own.length > SUBSCRIBER_DIGITS + 1 && digits.includes(own)) ||
    (digits.length >= SUBSCRIBER_DIGITS && own.endsWith(digits))
  );
}

const TELEPHONE = /^[\d\s+()./-]+$/;

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);
