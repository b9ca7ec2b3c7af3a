import type { Characters } from './characters.ts';
import type { Effort } from './effort.ts';
import { UNREADABLE } from './unescaped.ts';

/** A word as it is compared, and where it stands in the source. */
export interface Word {
  /** Without case and accents. */
  readonly letters: string;
  readonly start: number;
  readonly end: number;
  /** How many characters lie between it and the word before. */
  readonly gap: number;
  /** Its first letter as it was written. */
  readonly initial: number;
  /** Something that nobody can read touches it, so it may be part of another word. */
  readonly isUnsure: boolean;
}

/** What stands between words and yet says something: `😀`, `€`, or what nobody can read. */
export interface Sign {
  readonly code: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a text into words and signs, in time in proportion to its length. A text of so many different letters as no person
 * writes ends in one unsure word.
 */
export function cutIntoWords(text: Characters, effort: Effort): { words: Word[]; signs: Sign[] } {
  const words: Word[] = [];
  const signs: Sign[] = [];
  let wordEnd = 0;
  for (let at = 0; at < text.length; ) {
    const from = at;
    const { kind, letters: first } = foldedCharacter(text.code(at++), effort);
    if (kind === 'sign') signs.push({ code: text.code(from), start: text.start(from), end: text.end(from) });
    if (kind === 'unsure') at = text.length;
    else if (kind !== 'letter' && kind !== 'word') continue;
    let letters = first;
    for (; at < text.length; at++) {
      const next = foldedCharacter(text.code(at), effort);
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

/** A character as it is compared. */
interface Folded {
  /** `word`: a word by itself, for its script has no blanks. `nothing`: an accent, a joiner. */
  readonly kind: 'letter' | 'word' | 'sign' | 'gap' | 'nothing' | 'unsure';
  readonly letters: string;
}

const GAP: Folded = { kind: 'gap', letters: '' };
const NOTHING: Folded = { kind: 'nothing', letters: '' };
const SIGN: Folded = { kind: 'sign', letters: '' };
const UNSURE: Folded = { kind: 'unsure', letters: '' };
const LETTER = /[\p{L}\p{N}]/u;
const NO_LETTERS = /[^\p{L}\p{N}]/gu;
/** Services that accept no other letters write them so. */
const PLAIN = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th' }));
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** A text has few different letters; one that was made to have all of them must not stay in memory. */
const MOST_KNOWN = 1 << 13;
const known = new Map<number, Folded>();
const LATIN = 0x250;
const knownLatin: (Folded | undefined)[] = Array.from({ length: LATIN });
/** Folding a letter for the first time takes as long as so many steps. */
const FOLD_STEPS = 300;

function foldedCharacter(code: number, effort: Effort): Folded {
  if (code < 0) return SIGN;
  const before = code < LATIN ? knownLatin[code] : known.get(code);
  if (before) return before;
  if (!effort.spend(FOLD_STEPS)) return UNSURE;
  const made = fold(code);
  if (code < LATIN) {
    knownLatin[code] = made;
  } else {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(code, made);
  }
  return made;
}

function fold(code: number): Folded {
  // What was lost in a conversion (U+FFFD) or is half a pair is no part of a word.
  if (code === 0xfffd || (code >= 0xd800 && code <= 0xdfff)) return GAP;
  const letter = String.fromCodePoint(code);
  // By way of capitals, for `ß` and `ς` have forms of their own there.
  const lower = letter.toUpperCase().toLowerCase();
  const base = lower.normalize('NFKD').toLowerCase().replace(NO_LETTERS, '');
  const letters = Array.from(base, (each) => PLAIN.get(each) ?? each).join('');
  if (letters !== '' || LETTER.test(letter)) {
    return { kind: WITHOUT_BLANKS.test(letter) ? 'word' : 'letter', letters: letters === '' ? lower : letters };
  }
  if (/[\p{M}\p{Cf}]/u.test(letter)) return NOTHING;
  return code > 0xff && /[\p{S}\p{Co}\p{Cn}]/u.test(letter) ? SIGN : GAP;
}
