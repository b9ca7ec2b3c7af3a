/** What may stand between two words once they are written as JSON, in a URL or as HTML. */
const GAP = '(?:[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrtv]|\\\\u[\\da-f]{4}|%[\\da-f]{2}|&#?[a-z\\d]{2,8};|<br ?/?>)';
/** A word begins after no letter or digit, but for those that an escape ends with. */
const WORD_START = '(?<=^|[^\\p{L}\\p{M}\\p{N}]|\\\\[bfnrtv]|\\\\u[\\da-f]{4}|%[\\da-f]{2})';
const WORD_END = '(?![\\p{L}\\p{M}\\p{N}])';
const HTML_ENTITY = '&(?:#\\d{2,7}|#x[\\da-f]{2,6}|[a-z]{2,8});';
/** Longer texts have words too common to hide each; runs of words stand for them, for a service may cut a long text. */
const FEW_WORDS = 8;
const RUN_WORDS = 3;
const MOST_RUNS = 300;
/** So many last digits are one's own number: a service may write it without the country, or with other blanks. */
const OWN_DIGITS = 7;

/** A text, its letters and digits alone, and the source of a `giu` pattern that finds it however it is escaped. */
export type Spelling = readonly [form: string, pattern: string];

/** In what ways a service may write a value that it was sent: whole, its words, encoded, digits only. */
export function spellingsOf(value: string): Spelling[] {
  const composed = value.normalize('NFC');
  const words = wordsOf(value);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const digits = value.replace(/\D/g, '');
  return [
    ...[words, ...partsOf(value, words), wordsOf(composed), ...partsOf(composed, wordsOf(composed))]
      .filter(([first]) => first !== undefined)
      .map(wordsSpelling),
    ...(words.length > 0 ? [[base64, standingAlone(escaped(base64), base64)] as const] : []),
    ...(digits.length >= OWN_DIGITS - 1
      ? [[digits, isNumber(value) ? telephonePattern(digits) : digits] as const]
      : []),
  ];
}

export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** The longer words of a name or an address; those of a long text are none. */
export function tellingWords(value: string): string[] {
  const words = wordsOf(value).filter((word) => word.length >= 4);
  return words.length <= FEW_WORDS ? words : [];
}

export const hasLetter = (text: string): boolean => /\p{L}/u.test(text);

/** Whether a text, perhaps with other words around it, ends in a telephone number that was sent, or holds it whole. */
export function repeatsTelephone(value: string, text: string): boolean {
  const sent = value.replace(/\D/g, '');
  const told = text.replace(/\D/g, '');
  if (!isNumber(value) || sent.length < OWN_DIGITS) return false;
  return (sent.length > OWN_DIGITS + 1 && told.includes(sent)) || (told.length >= OWN_DIGITS && sent.endsWith(told));
}

const isNumber = (value: string): boolean => /^[\d\s+()./-]+$/.test(value);

function partsOf(value: string, words: readonly string[]): string[][] {
  if (words.length <= RUN_WORDS || tellingWords(value).length > 0) {
    // `Ana` and `Sá` are names; `de` and `12` are not worth tearing an answer apart for.
    return words.filter((word) => word.length >= 3 || /^\p{Lu}\p{L}/u.test(word)).map((word) => [word]);
  }
  const starts = words.slice(0, Math.min(MOST_RUNS, words.length - RUN_WORDS + 1));
  return starts.map((_, from) => words.slice(from, from + RUN_WORDS));
}

function wordsSpelling(words: readonly string[]): Spelling {
  const form = words.join('');
  const spelled = words.map((word) => Array.from(word, letterPattern).join(''));
  return [form, standingAlone(spelled.join(`${GAP}{1,64}`), form)];
}

function letterPattern(letter: string): string {
  if (/[\x21-\x7e]/.test(letter)) return letter;
  const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '');
  const cases = [...new Set([letter, letter.toUpperCase(), letter.toLowerCase()])];
  const written = cases.flatMap((each) => [each, inJson(each), encodeURIComponent(each)]);
  const marks = [...letter.normalize('NFD')].slice(1).flatMap((mark) => [mark, inJson(mark), encodeURIComponent(mark)]);
  const bare = plain === '' ? [] : [`${escaped(plain)}(?:${['\\p{M}', ...marks].join('|')})*`];
  return `(?:${[...written, ...bare, HTML_ENTITY].join('|')})`;
}

/** `\u00e3`, escaped for a pattern. */
function inJson(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function telephonePattern(digits: string): string {
  const between = `${GAP}{0,3}`;
  const spaced = (part: string) => [...part].join(between);
  const own = digits.slice(-OWN_DIGITS);
  const before = digits.slice(0, -OWN_DIGITS);
  const areas = Array.from(before, (_, from) => spaced(before.slice(from)) + between);
  return `(?:${areas.join('|')})?${spaced(own)}`;
}

/** Short values and numbers are only found where they stand alone; else they would eat words and identifiers apart. */
function standingAlone(pattern: string, form: string): string {
  return form.length > 3 && hasLetter(form) ? pattern : `${WORD_START}${pattern}${WORD_END}`;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
