import { jsonIn } from '../../request/contract/json.ts';

/** The text that is shown in place of a hidden word. */
export const REDACTED = '***';

/** Maximum number of characters of a text that are shown. The words of a longer one are not looked at. */
const MAX_SHOWN = 4096;
/** Maximum total length of the sent values. Comparing more would take too long, so nothing is shown then. */
const MAX_SENT = 1 << 15;
/** Maximum number of words in a value that are hidden or compared one by one. Those of a longer text are too common. */
export const MAX_WORDS = 8;
/** Minimum length of a word that counts for {@link MAX_WORDS}, and is hidden and found within longer ones. */
export const MIN_TELLING = 4;
/** Number of words in a row that tell of a text, whatever its length. */
const RUN = 3;
/** Minimum number of digits that are found in any grouping. */
const MIN_DIGITS = 6;
/** Number of last digits that tell a number, because a telephone number may be written without its country code. */
export const LAST_DIGITS = 7;
/** Minimum length of base64 that is hidden, whatever it holds. */
const MIN_BASE64 = 24;

/**
 * Returns a function that shows the beginning of a text with every word and number of these values replaced by `***`.
 * Nothing is decoded: what looks encoded is hidden unread.
 */
export function hiding(values: readonly string[]): (text: string) => string {
  if (values.reduce((sum, { length }) => sum + length, 0) > MAX_SENT) return () => REDACTED;
  // Longer base64 is hidden unread.
  const encoded = values
    .filter(({ length }) => length < MIN_BASE64)
    .map((each) => Buffer.from(each).toString('base64'));
  const sent = [...values, ...encoded].map((value) => ({ value, words: wordsIn(value) }));
  const words = new Set(sent.flatMap((each) => toldWords(each.words)));
  const telling = [...words].filter((word) => isTelling(word) && /\p{L}|.{8}/u.test(word));
  const runs = new Set(sent.flatMap((each) => runsIn(each.words).map(lettersOf)));
  const numbers = new Set(sent.flatMap(({ value }) => lastDigits(value)));
  // A token or a secret is hidden as a whole before its digits could be, which would leave the rest. So is the longer of two.
  const codes = values
    .filter((value) => /^\S{8,}$/.test(value) && /\d/.test(value) && /\p{L}/u.test(value))
    .toSorted((one, other) => other.length - one.length);
  const code = new RegExp(codes.map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|') || '(?!)', 'giu');

  const isSent = (word: string) => words.has(word) || telling.some((each) => word.includes(each));
  /** Tells whether a sent number ends where a group of digits ends. */
  const isSentNumber = (number: string) => {
    let digits = '';
    return number.split(/\D+/).some((group) => {
      digits += group;
      return numbers.has(digits.slice(-LAST_DIGITS)) || numbers.has(digits.slice(-MIN_DIGITS));
    });
  };
  const inText = (text: string) => {
    const plain = text
      .replace(code, REDACTED)
      .replace(CONTACT, REDACTED)
      .replace(MAYBE_ESCAPED, (word) => (ESCAPE.test(word) ? REDACTED : word))
      .replace(MAYBE_BASE64, (run) => (isBase64(run) ? REDACTED : run))
      .replace(NUMBER, (number) => (isSentNumber(number) ? REDACTED : number));
    const found = wordsIn(plain);
    const hidden = new Set([
      ...found.filter(({ letters }) => isSent(letters)),
      ...runsIn(found).flatMap((run) => (runs.has(lettersOf(run)) ? run : [])),
    ]);
    let at = 0;
    return plain
      .replace(WORD, (word) => (hidden.has(found[at++] as Word) ? REDACTED : word))
      .replace(REPEATED, REDACTED);
  };
  const inJson = (token: string) => {
    if (token.startsWith('"')) return JSON.stringify(hide(JSON.parse(token)));
    return inText(token) === token ? token : `"${REDACTED}"`;
  };
  const hide = (text: string): string => {
    // A word that was cut in half would not be recognised.
    const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN).replace(LAST_PART, REDACTED) : text;
    return isJson(shown) ? shown.replace(JSON_TOKEN, inJson) : inText(shown);
  };
  return hide;
}

/** Returns the words of a value that are hidden one by one. */
function toldWords(words: readonly Word[]): string[] {
  if (words.filter(({ letters }) => isTelling(letters)).length > MAX_WORDS) return [];
  // `Ana` and `Sá` are names. `de` and `12` are not worth tearing an answer apart for.
  const isTold = ({ letters, isCapital }: Word) => letters.length > 2 || (letters.length === 2 && isCapital);
  return words.filter(isTold).map(({ letters }) => letters);
}

/** Returns the last digits of each number in a value. */
const lastDigits = (value: string): string[] =>
  [...value.matchAll(NUMBER)]
    .map(([number]) => number.replace(/\D/g, ''))
    .filter(({ length }) => length >= MIN_DIGITS)
    .map((digits) => digits.slice(-LAST_DIGITS));

/** A word of a text, with its letters as they are compared: without case and accents. */
interface Word {
  readonly letters: string;
  readonly isCapital: boolean;
}

/** Matches a word. What Unicode calls a format, such as a soft hyphen, is invisible and cuts none. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}]*/gu;

function wordsIn(text: string): Word[] {
  return [...text.matchAll(WORD)].map(([word]) => {
    // The word goes through upper case first, because `ß` and `ς` share their capitals with ordinary letters.
    const lower = word.toUpperCase().normalize('NFKD').toLowerCase();
    const letters = lower.replace(/[^\p{L}\p{N}]/gu, '');
    return { letters, isCapital: /^\p{Lu}/u.test(word) };
  });
}

const isTelling = (letters: string): boolean => letters.length >= MIN_TELLING;

const lettersOf = (words: readonly Word[]): string => words.map(({ letters }) => letters).join(' ');

const runsIn = (words: readonly Word[]): Word[][] => words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN));

const isJson = (text: string): boolean => /^\s*[[{]/.test(text) && jsonIn(text) !== undefined;

/** Matches an e-mail address, or a telephone number with its plus. It may be that of another customer. */
const CONTACT = /[^\s@"'<>()[\],;:=]{1,64}@[^\s@"'<>()[\],;:=]{1,255}\.\p{L}+|\+\d(?:[ ().-]{0,2}\d){7,14}/gu;
/** Matches the groups of digits of one number. */
const NUMBER = /\d(?:[^\p{L}\p{N}]{0,4}\d)*/gu;
/** Matches a text or a number of JSON. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Matches what a cut may have left of a word, of an escape or of base64. */
const LAST_PART = /[^\s"'<>(),:]*$/;
/** Matches an escape of URLs, of HTML, or of a program's text. */
const ESCAPE = /%[\da-f]{2}|&#?[\da-z]{1,31};|\\/i;
const MAYBE_ESCAPED = /(?:[\p{L}\p{N}\p{M}\p{Cf}]|%[\da-f]{2}|&#?[\da-z]{1,31};|\\+[^\s\\]?)+/giu;
const MAYBE_BASE64 = new RegExp(`[\\w+/-]{${MIN_BASE64},}={0,2}`, 'g');
/** Matches hidden words with nothing but signs of a name, an address or a telephone number between them. */
const REPEATED = /\*{3}(?:[ .@+)’'-]{0,3}\*{3})+/g;

/**
 * Tells whether a long run of base64 signs may be base64. Names such as `phone_already_registered` and
 * `PhoneAlreadyRegistered` are not.
 */
const isBase64 = (run: string): boolean =>
  /[a-z]/.test(run) && /\d|[+=]|[A-Z](?![a-z]{2})/.test(run) && /[A-Z]/.test(run);
