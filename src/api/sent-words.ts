import { Characters } from './characters.ts';
import { StepBudget } from './effort.ts';
import { cutIntoWords, type Word } from './folded-words.ts';
import type { HiddenParts } from './hidden-parts.ts';
import { SentNumbers } from './sent-numbers.ts';
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
  /** One to three words in a row, as one number made of theirs. */
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

  #hidePhrases(words: readonly Word[], hidden: HiddenParts): void {
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
