import type { StepBudget } from './effort.ts';
import type { Word } from './folded-words.ts';
import type { HiddenParts } from './hidden-parts.ts';

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
export class SentNumbers {
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
  hideIn(words: readonly Word[], hidden: HiddenParts, budget: StepBudget): void {
    if (this.#numbers.size === 0) return;
    let group: Word[] = [];
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

  #hideInGroup(group: readonly Word[], hidden: HiddenParts, budget: StepBudget): void {
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
