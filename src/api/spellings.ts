/** What is no part of a word. Written out, because `\p{L}` and its like make large patterns slow. */
const NO_WORD =
  '\\x00-/:-@[-`{-\\xa9\\xab-\\xb1\\xb4\\xb6-\\xb8\\xbb\\xbf\\xd7\\xf7\\u2000-\\u206f\\u3000-\\u3003\\u3008-\\u3020';
const ESCAPE_END = '\\\\[bfnrtv]|\\\\u[\\da-f]{4}|%[\\da-f]{2}';
/** What may stand between two words once they are written as JSON, in a URL or as HTML. */
const GAP = `(?:[${NO_WORD}]|${ESCAPE_END}|&#?[a-z\\d]{2,8};|<br ?/?>)`;
/** A word begins after no letter or digit, but for those that an escape ends with. */
const WORD_START = `(?<=^|[${NO_WORD}]|${ESCAPE_END})`;
const WORD_END = `(?=$|[${NO_WORD}])`;
const WORDS = new RegExp(`[^${NO_WORD}]+`, 'g');
const NAMED_ENTITY = '&[a-z]{2,8};';
/** Longer texts have words too common to hide each; runs of words stand for them, for a service may cut a long text. */
const FEW_WORDS = 8;
const RUN_WORDS = 3;
const MOST_RUNS = 1000;
/** Longer values are found by their runs of words. */
const LONGEST_WHOLE = 100;
/** Longer encodings are found by their length alone. */
export const LONGEST_BASE64 = 200;
/** So many last digits are one's own number: a service may write it without the country, or with other blanks. */
const OWN_DIGITS = 7;

/** A text, its letters and digits alone, and the source of a `gi` pattern that finds it however it is escaped. */
export type Spelling = readonly [form: string, pattern: string];

/** In what ways a service may write a value that it was sent: whole, its words, encoded, digits only. */
export function spellingsOf(value: string): Spelling[] {
  const texts = [...new Set([value, value.normalize('NFC')])];
  const wordLists = texts.flatMap((text) => {
    const words = wordsOf(text);
    return words.length <= LONGEST_WHOLE ? [words, ...partsOf(text, words)] : partsOf(text, words);
  });
  const found = wordLists.filter((words) => words.length > 0).map(wordsSpelling);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  if (found.length > 0 && base64.length < LONGEST_BASE64) found.push([base64, standingAlone(escaped(base64), base64)]);
  const digits = value.replace(/\D/g, '');
  if (digits.length >= OWN_DIGITS - 1 && value.length <= LONGEST_WHOLE) {
    found.push([digits, isNumber(value) ? telephonePattern(digits) : digits]);
  }
  return found;
}

export const wordsOf = (text: string): string[] => text.match(WORDS) ?? [];

/** The longer words of a name or an address; those of a long text are none. */
export function tellingWords(value: string): string[] {
  const words = wordsOf(value).filter((word) => word.length >= 4);
  return words.length <= FEW_WORDS ? words : [];
}

export const hasLetter = (text: string): boolean => /\p{L}/u.test(text);

/** Whether a text, perhaps with other words around it, ends in a telephone number that was sent, or holds it whole. */
export function repeatsTelephone(value: string, text: string): boolean {
  if (!isNumber(value)) return false;
  const sent = value.replace(/\D/g, '');
  const told = text.replace(/\D/g, '');
  if (sent.length < OWN_DIGITS) return false;
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
  const cases = [letter, letter.toUpperCase(), letter.toLowerCase()];
  const forms = new Set([...cases.map((each) => each.normalize('NFD')), ...cases]);
  const written = [...forms].flatMap((each) => [each, inJson(each), encodeURIComponent(each), inHtml(each)]);
  const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '');
  return `(?:${[...written, NAMED_ENTITY, ...(plain === '' ? [] : [escaped(plain)])].join('|')})`;
}

/** `\u00e3`, escaped for a pattern. */
function inJson(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** `&#227;` or `&#xe3;`. */
function inHtml(text: string): string {
  const codes = Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
  return codes.map((code) => `&#(?:${code}|x0*${code.toString(16)});`).join('');
}

function telephonePattern(digits: string): string {
  const between = `${GAP}{0,4}`;
  const own = [...digits.slice(-OWN_DIGITS)].join(between);
  // As many of the digits before as there are, the nearest first: `(?:(?:(?:3)?5)?1)?`.
  const before = [...digits.slice(0, -OWN_DIGITS)].reduce((all, digit) => `(?:${all}${digit}${between})?`, '0{0,2}');
  return `${WORD_START}${before}${own}${WORD_END}`;
}

/** Short values and numbers are only found where they stand alone; else they would eat words and identifiers apart. */
function standingAlone(pattern: string, form: string): string {
  return form.length > 3 && hasLetter(form) ? pattern : `${WORD_START}${pattern}${WORD_END}`;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
