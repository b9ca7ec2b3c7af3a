import { Characters } from './characters.ts';
import { cutIntoWords, type FoldedWord, StepBudget } from './folded-words.ts';
import { UNREADABLE, unescaped } from './unescaped.ts';

/**
 * Maximum number of words in a text whose words are hidden one by one. The words of longer texts are too common for
 * that. Phrases of {@link PHRASE_WORDS} words are hidden instead, because a service may cut a long text.
 */
const MAX_SINGLE_WORDS = 8;
const PHRASE_WORDS = 3;
/** Minimum length of a word that is hidden even where it is glued to others. */
const MIN_GLUED_LETTERS = 4;
/** Length of a fragment of a long word. Each fragment is hidden, because the word may come back cut or broken. */
const FRAGMENT_LETTERS = 8;
const LONG_WORD_LETTERS = 16;
/** Maximum total length of the sent values that are compared. Comparing more would take too long. */
const MAX_SENT_LENGTH = 1 << 15;
/** Upper limit of the word numbers, low enough for three of them to fit into one number. */
const WORD_NUMBER_LIMIT = 1 << 17;

/** The index of the sent words hides them in a text: as they are, in their order, glued to others, broken or cut. */
export class SentWords {
  /** Maps each sent word to its number, from 1. */
  readonly #numberOf = new Map<string, number>();
  /** Sequences of one to three words, each as one number that combines the numbers of its words. */
  readonly #phrases = new Set<number>();
  /** Words that are hidden within longer ones, by their first letters. */
  readonly #within = new Map<string, string[]>();
  readonly #fragments = new Set<string>();
  readonly #signs = new Set<number>();
  readonly #telephones = new SentNumbers();
  #ends: WordEnds | null = null;

  /** False if the values were too long, or had too many different letters, to be indexed completely. */
  readonly isWhole: boolean;

  constructor(values: readonly string[]) {
    const budget = new StepBudget();
    const isShort = values.reduce((sum, value) => sum + value.length, 0) <= MAX_SENT_LENGTH;
    if (isShort) for (const value of values) this.#add(value, budget);
    this.isWhole = isShort && !budget.isSpent;
  }

  hideIn(text: Characters, hidden: HiddenParts, budget: StepBudget): void {
    if (this.#numberOf.size === 0 && this.#signs.size === 0) return;
    const { words, signs } = cutIntoWords(text, budget);
    for (const { code, start, end } of signs) {
      if (code === UNREADABLE || this.#signs.has(code)) hidden.hide(start, end);
    }
    this.#hidePhrases(words, hidden);
    this.#telephones.hideIn(words, hidden, budget);
    for (const { letters, start, end, isUnsure } of words) {
      if (isUnsure || this.#isWithin(letters, budget)) hidden.hide(start, end);
    }
  }

  /**
   * Adds a value both as it was sent and with its escapes undone, because nobody can tell whether what looks like an
   * escape is one.
   */
  #add(value: string, budget: StepBudget): void {
    const written = Characters.of(value);
    const read = unescaped(written);
    this.#addWords(written, budget);
    if (read.length < written.length) this.#addWords(read, budget);
    const long = this.#telephones.add(value);
    if (long !== null) this.#addWithin(long);
  }

  #addWords(value: Characters, budget: StepBudget): void {
    const { words, signs } = cutIntoWords(value, budget);
    for (const { code } of signs) this.#signs.add(code);
    const numbers = words.map(({ letters }) => this.#newNumberOf(letters));
    if (words.length <= PHRASE_WORDS) this.#phrases.add(phraseOf(...numbers));
    for (let at = PHRASE_WORDS; at <= numbers.length; at++)
      this.#phrases.add(phraseOf(...numbers.slice(at - PHRASE_WORDS, at)));
    for (const { letters } of words) if (letters.length >= LONG_WORD_LETTERS) this.#addFragments(letters);
    const telling = words.filter(({ letters }) => letters.length >= MIN_GLUED_LETTERS);
    if (words.length > PHRASE_WORDS && (telling.length === 0 || telling.length > MAX_SINGLE_WORDS)) return;
    for (const { letters, initial } of words) {
      // `Ana` and `Sá` are names. `de` and `12` are not worth tearing an answer apart for.
      if (letters.length >= 3 || (letters.length === 2 && isCapital(initial))) {
        this.#phrases.add(this.#newNumberOf(letters));
      }
    }
    for (const { letters } of telling) {
      if (letters.length < LONG_WORD_LETTERS && /\p{L}/u.test(letters)) this.#addWithin(letters);
    }
  }

  #newNumberOf(word: string): number {
    const number = this.#numberOf.get(word) ?? this.#numberOf.size + 1;
    this.#numberOf.set(word, number);
    return number;
  }

  #addWithin(word: string): void {
    const beginning = word.slice(0, MIN_GLUED_LETTERS);
    const others = this.#within.get(beginning) ?? [];
    if (!others.includes(word)) this.#within.set(beginning, [...others, word]);
  }

  #addFragments(word: string): void {
    for (let end = FRAGMENT_LETTERS; end <= word.length; end++)
      this.#fragments.add(word.slice(end - FRAGMENT_LETTERS, end));
  }

  #hidePhrases(words: readonly FoldedWord[], hidden: HiddenParts): void {
    const isInRun = new Uint8Array(words.length);
    const numbers = words.map(({ letters }) => this.#numberOf.get(letters) ?? 0);
    const hide = (from: number, to: number) => {
      hidden.hide(words[from]?.start ?? 0, words[to]?.end ?? 0);
      if (from < to) isInRun.fill(1, from, to + 1);
    };
    let before = 0;
    let last = 0;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0;
      if (number !== 0) {
        if (this.#phrases.has(number)) hide(at, at);
        if (last !== 0 && this.#phrases.has(phraseOf(last, number))) hide(at - 1, at);
        if (last !== 0 && before !== 0 && this.#phrases.has(phraseOf(before, last, number))) hide(at - 2, at);
      }
      before = last;
      last = number;
    }
    // Where a text was cut, its last word may be present only in part.
    for (let at = 0; at < words.length; at++) {
      if (numbers[at] !== 0 || (isInRun[at - 1] !== 1 && isInRun[at + 1] !== 1)) continue;
      const { letters = '' } = words[at] ?? {};
      const isPart =
        (isInRun[at - 1] === 1 && this.#wordEnds.isBeginning(letters)) ||
        (isInRun[at + 1] === 1 && this.#wordEnds.isEnding(letters));
      if (isPart) hide(at, at);
    }
  }

  /**
   * Tells whether a word contains a sent word, or a fragment of a long one. Returns true as well if searching takes too
   * long.
   */
  #isWithin(word: string, budget: StepBudget): boolean {
    for (let end = MIN_GLUED_LETTERS; this.#within.size > 0 && end <= word.length; end++) {
      const start = end - MIN_GLUED_LETTERS;
      for (const sent of this.#within.get(word.slice(start, end)) ?? []) {
        if (!budget.spend(sent.length) || word.startsWith(sent, start)) return true;
      }
    }
    for (let end = FRAGMENT_LETTERS; this.#fragments.size > 0 && end <= word.length; end++) {
      if (this.#fragments.has(word.slice(end - FRAGMENT_LETTERS, end))) return true;
    }
    return false;
  }

  get #wordEnds(): WordEnds {
    this.#ends ??= new WordEnds([...this.#numberOf.keys()]);
    return this.#ends;
  }
}

/** Tells whether a text may be what is left of a sent word after a cut. */
class WordEnds {
  readonly #sorted: readonly string[];
  readonly #sortedFromEnd: readonly string[];

  constructor(words: readonly string[]) {
    this.#sorted = [...words].sort();
    this.#sortedFromEnd = words.map(fromEnd).sort();
  }

  isBeginning(text: string): boolean {
    return hasBeginning(this.#sorted, text);
  }

  isEnding(text: string): boolean {
    return hasBeginning(this.#sortedFromEnd, fromEnd(text));
  }
}

function hasBeginning(sorted: readonly string[], text: string): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return text.length > 1 && sorted[from]?.startsWith(text) === true;
}

const fromEnd = (word: string): string => [...word].reverse().join('');

/** Combines the numbers of up to three words in a row into one number. */
const phraseOf = (first = 0, second = 0, third = 0): number =>
  (third * WORD_NUMBER_LIMIT + second) * WORD_NUMBER_LIMIT + first;

const isCapital = (code: number): boolean => /\p{Lu}/u.test(String.fromCodePoint(code));

/**
 * Number of last digits that identify a telephone number, because a service may write it without its country code or
 * with other blanks.
 */
const SUBSCRIBER_DIGITS = 7;
/** Minimum number of digits in a number that is searched for. */
const MIN_DIGITS = 6;
/** Maximum length of a sent value that is searched for as a number. */
const MAX_VALUE_LENGTH = 100;
/** Maximum number of characters between two groups of digits of one number. */
const MAX_GAP = 4;
/** Maximum number of zeros that a service may write before the country code. */
const MAX_ZEROS = 2;

interface SentNumber {
  readonly digits: string;
  /** Number of last digits that suffice to recognise the number. */
  readonly telling: number;
}

/** Finds the telephone numbers and other long numbers that were sent, however their digits are grouped. */
class SentNumbers {
  /** The sent numbers by their last digits. */
  readonly #numbers = new Map<string, SentNumber[]>();

  /**
   * Adds a value, and returns its digits if they are to be hidden within longer words, too. Returns null if the value
   * is no number, or one so short that it may stand within a longer one by chance.
   */
  add(value: string): string | null {
    const digits = value.replace(/\D/g, '');
    if (digits.length < MIN_DIGITS || value.length > MAX_VALUE_LENGTH) return null;
    const telling = isTelephone(value) ? Math.min(SUBSCRIBER_DIGITS, digits.length) : digits.length;
    const key = digits.slice(-MIN_DIGITS);
    this.#numbers.set(key, [...(this.#numbers.get(key) ?? []), { digits, telling }]);
    return digits.length > SUBSCRIBER_DIGITS + 1 ? digits : null;
  }

  /** Hides each sent number in the words. A number ends where a word of digits ends, and begins where one begins. */
  hideIn(words: readonly FoldedWord[], hidden: HiddenParts, budget: StepBudget): void {
    if (this.#numbers.size === 0) return;
    let group: FoldedWord[] = [];
    for (const word of words) {
      const isDigits = /^\d+$/.test(word.letters);
      if (group.length > 0 && (!isDigits || word.gap > MAX_GAP)) {
        this.#hideInGroup(group, hidden, budget);
        group = [];
      }
      if (isDigits) group.push(word);
    }
    if (group.length > 0) this.#hideInGroup(group, hidden, budget);
  }

  #hideInGroup(group: readonly FoldedWord[], hidden: HiddenParts, budget: StepBudget): void {
    const digits = group.map(({ letters }) => letters).join('');
    const startAt = new Int32Array(digits.length).fill(-1);
    let end = 0;
    for (const word of group) {
      startAt[end] = word.start;
      end += word.letters.length;
      for (const sent of this.#numbers.get(digits.slice(Math.max(0, end - MIN_DIGITS), end)) ?? []) {
        const start = startOfNumber(sent, digits, end, startAt);
        if (start !== null) hidden.hide(start, word.end);
        if (budget.spend(MAX_VALUE_LENGTH)) continue;
        hidden.hideFrom(word.start);
        return;
      }
    }
  }
}

/**
 * Returns the source offset of the longest spelling of the number that ends at index `end` of the digits found, or null
 * if none does.
 */
function startOfNumber(
  { digits, telling }: SentNumber,
  found: string,
  end: number,
  startAt: Int32Array,
): number | null {
  let same = 0;
  while (same < digits.length && found[end - 1 - same] === digits.at(-1 - same)) same += 1;
  let longest = same;
  if (same === digits.length) while (longest < same + MAX_ZEROS && found[end - 1 - longest] === '0') longest += 1;
  for (let count = longest; count >= telling; count--) {
    const start = startAt[end - count] ?? -1;
    if (start >= 0) return start;
  }
  return null;
}

const isTelephone = (value: string): boolean => /^[\d\s+()./-]+$/.test(value);

/** The text that is shown in place of a hidden part. */
export const REDACTED = '***';

/** Marks the parts of a text that may not be shown. */
export class HiddenParts {
  readonly #text: string;
  readonly #isHidden: Uint8Array;

  constructor(text: string) {
    this.#text = text;
    this.#isHidden = new Uint8Array(text.length);
  }

  hide(start: number, end: number): void {
    this.#isHidden.fill(1, start, end);
  }

  hideFrom(start: number): void {
    this.hide(start, this.#text.length);
  }

  /** Returns the text with `***` in place of each hidden stretch. */
  render(): string {
    const parts: string[] = [];
    for (let at = 0; at < this.#text.length; ) {
      const hidden = this.#isHidden[at] ?? 0;
      const end = this.#isHidden.indexOf(1 - hidden, at);
      const until = end < 0 ? this.#text.length : end;
      parts.push(hidden === 1 ? REDACTED : this.#text.slice(at, until));
      at = until;
    }
    return parts.join('');
  }
}
