import type { Characters } from './characters.ts';
import { UNREADABLE } from './unescaped.ts';

/** A word in the form in which it is compared, with its place in the source. */
export interface FoldedWord {
  /** The letters of the word without case and accents. */
  readonly letters: string;
  readonly start: number;
  readonly end: number;
  /** Number of characters between this word and the one before. */
  readonly gap: number;
  /** Code point of the first letter as it was written, with its case. */
  readonly initial: number;
  /** Whether an unreadable character touches the word, so that it may be only a part of a word. */
  readonly isUnsure: boolean;
}

/** A sign is a character between words that still says something, such as `😀` or `€`, or one that cannot be read. */
export interface Sign {
  readonly code: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a text into words and signs, in time proportional to its length. A text with more different letters than a
 * person writes uses up the budget, and ends in one unsure word.
 */
export function cutIntoWords(text: Characters, budget: StepBudget): { words: FoldedWord[]; signs: Sign[] } {
  const words: FoldedWord[] = [];
  const signs: Sign[] = [];
  let wordEnd = 0;
  for (let at = 0; at < text.length; ) {
    const from = at;
    const { kind, letters: first } = foldedCharacter(text.code(at++), budget);
    if (kind === 'sign') signs.push({ code: text.code(from), start: text.start(from), end: text.end(from) });
    if (kind === 'unsure') at = text.length;
    else if (kind !== 'letter' && kind !== 'word') continue;
    let letters = first;
    for (; at < text.length; at++) {
      const next = foldedCharacter(text.code(at), budget);
      if (next.kind !== 'nothing' && (next.kind !== 'letter' || kind === 'word')) break;
      letters += next.letters;
    }
    words.push({
      letters,
      start: text.start(from),
      end: text.end(at - 1),
      gap: from - wordEnd,
      initial: text.code(from),
      isUnsure: kind === 'unsure' || text.code(from - 1) === UNREADABLE || text.code(at) === UNREADABLE,
    });
    wordEnd = at;
  }
  return { words, signs };
}

/** A character in the form in which it is compared. */
interface Folded {
  /**
   * The kind says how the character takes part in words. A `word` is a word by itself, because its script has no
   * blanks. `nothing` is an accent or a joiner, which adds no letters.
   */
  readonly kind: 'letter' | 'word' | 'sign' | 'gap' | 'nothing' | 'unsure';
  readonly letters: string;
}

const GAP: Folded = { kind: 'gap', letters: '' };
const NOTHING: Folded = { kind: 'nothing', letters: '' };
const SIGN: Folded = { kind: 'sign', letters: '' };
const UNSURE: Folded = { kind: 'unsure', letters: '' };
const LETTER = /[\p{L}\p{N}]/u;
const NO_LETTERS = /[^\p{L}\p{N}]/gu;
/** Maps letters to the plain ones that services without support for them write instead. */
const PLAIN = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th' }));
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Maximum number of folded characters outside Latin that are kept in memory. A text has few different letters, and one
 * that was made to contain all of them must not stay in memory.
 */
const MAX_KNOWN = 1 << 13;
const known = new Map<number, Folded>();
const LATIN = 0x250;
const knownLatin: (Folded | undefined)[] = Array.from({ length: LATIN });
/**
 * Number of steps that folding a character for the first time counts as, because it takes about that much longer than
 * other steps.
 */
const FOLD_STEPS = 300;

function foldedCharacter(code: number, budget: StepBudget): Folded {
  if (code < 0) return SIGN;
  const before = code < LATIN ? knownLatin[code] : known.get(code);
  if (before) return before;
  if (!budget.spend(FOLD_STEPS)) return UNSURE;
  const made = fold(code);
  if (code < LATIN) {
    knownLatin[code] = made;
  } else {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(code, made);
  }
  return made;
}

function fold(code: number): Folded {
  // A character that was lost in a conversion (U+FFFD) and a lone surrogate are not part of a word.
  if (code === 0xfffd || (code >= 0xd800 && code <= 0xdfff)) return GAP;
  const letter = String.fromCodePoint(code);
  // The text goes through upper case first, because `ß` and `ς` share their capitals with ordinary letters.
  const lower = letter.toUpperCase().toLowerCase();
  const base = lower.normalize('NFKD').toLowerCase().replace(NO_LETTERS, '');
  const letters = Array.from(base, (each) => PLAIN.get(each) ?? each).join('');
  if (letters !== '' || LETTER.test(letter)) {
    return { kind: WITHOUT_BLANKS.test(letter) ? 'word' : 'letter', letters: letters === '' ? lower : letters };
  }
  if (/[\p{M}\p{Cf}]/u.test(letter)) return NOTHING;
  return code > 0xff && /[\p{S}\p{Co}\p{Cn}]/u.test(letter) ? SIGN : GAP;
}

/** The step budget limits the work that is done for one text. A text that needs more steps was made to take long. */
export class StepBudget {
  #left = 1_000_000;

  /** Takes steps from the budget, and returns false once it is used up. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return !this.isSpent;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
