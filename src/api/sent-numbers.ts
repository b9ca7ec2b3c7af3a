import type { Effort } from './effort.ts';
import type { Word } from './folded-words.ts';
import type { HiddenParts } from './hidden-parts.ts';

/** So many last digits are one's own number: a service may write it without the country, or with other blanks. */
const OWN_DIGITS = 7;
const FEWEST_DIGITS = 6;
const LONGEST_VALUE = 100;
/** Digits of one number may stand so far apart. */
const WIDEST_GAP = 4;
/** A service may write them before the country. */
const MOST_ZEROS = 2;

interface SentNumber {
  readonly digits: string;
  /** How many of the last digits tell it. */
  readonly telling: number;
}

/** Finds telephone numbers and other long numbers that were sent, however they are grouped. */
export class SentNumbers {
  /** By their last digits. */
  readonly #numbers = new Map<string, SentNumber[]>();

  /** Null: it is none, or so short that it may stand within a longer one by chance. */
  add(value: string): string | null {
    const digits = value.replace(/\D/g, '');
    if (digits.length < FEWEST_DIGITS || value.length > LONGEST_VALUE) return null;
    const telling = isTelephone(value) ? Math.min(OWN_DIGITS, digits.length) : digits.length;
    const key = digits.slice(-FEWEST_DIGITS);
    this.#numbers.set(key, [...(this.#numbers.get(key) ?? []), { digits, telling }]);
    return digits.length > OWN_DIGITS + 1 ? digits : null;
  }

  /** Each ends where a word of digits ends, and begins where one begins. */
  hideIn(words: readonly Word[], hidden: HiddenParts, effort: Effort): void {
    if (this.#numbers.size === 0) return;
    let group: Word[] = [];
    for (const word of words) {
      const isDigits = /^\d+$/.test(word.letters);
      if (group.length > 0 && (!isDigits || word.gap > WIDEST_GAP)) {
        this.#hideInGroup(group, hidden, effort);
        group = [];
      }
      if (isDigits) group.push(word);
    }
    if (group.length > 0) this.#hideInGroup(group, hidden, effort);
  }

  #hideInGroup(group: readonly Word[], hidden: HiddenParts, effort: Effort): void {
    const digits = group.map(({ letters }) => letters).join('');
    const startAt = new Int32Array(digits.length).fill(-1);
    let end = 0;
    for (const word of group) {
      startAt[end] = word.start;
      end += word.letters.length;
      for (const sent of this.#numbers.get(digits.slice(Math.max(0, end - FEWEST_DIGITS), end)) ?? []) {
        const start = firstOf(sent, digits, end, startAt);
        if (start !== null) hidden.hide(start, word.end);
        if (effort.spend(LONGEST_VALUE)) continue;
        hidden.hideFrom(word.start);
        return;
      }
    }
  }
}

/** Where in the source the longest way to write the number begins that ends with these digits; null: none does. */
function firstOf({ digits, telling }: SentNumber, found: string, end: number, startAt: Int32Array): number | null {
  let same = 0;
  while (same < digits.length && found[end - 1 - same] === digits.at(-1 - same)) same += 1;
  let longest = same;
  if (same === digits.length) while (longest < same + MOST_ZEROS && found[end - 1 - longest] === '0') longest += 1;
  for (let count = longest; count >= telling; count--) {
    const start = startAt[end - count] ?? -1;
    if (start >= 0) return start;
  }
  return null;
}

const isTelephone = (value: string): boolean => /^[\d\s+()./-]+$/.test(value);
