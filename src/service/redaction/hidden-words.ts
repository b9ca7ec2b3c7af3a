/** The text that is shown in place of a hidden word. */
export const REDACTED = '***';

/** Maximum number of characters of a text that are shown. The words of a longer one are not looked at. */
const MAX_SHOWN = 4096;
/** Maximum total length of the sent values. Comparing more would take too long, so nothing is shown then. */
const MAX_SENT = 1 << 15;
/** Maximum number of words in a value that are hidden one by one. Those of a longer text are too common for that. */
const MAX_WORDS = 8;
/** Minimum length of a word that counts for {@link MAX_WORDS} and is hidden within longer ones. */
const MIN_TELLING = 4;
/** Number of words in a row that tell of a text, whatever its length. */
const RUN = 3;
/** Minimum number of digits that are found in any grouping. */
const MIN_DIGITS = 6;
/** Number of last digits that tell a number, because a telephone number may be written without its country code. */
const LAST_DIGITS = 7;
/** Minimum length of base64 that is hidden, whatever it holds. */
const MIN_BASE64 = 24;

/** Hides the words and numbers of sent values in a text. Nothing is decoded: what looks encoded is hidden unread. */
export class HiddenWords {
  readonly #words = new Set<string>();
  readonly #telling: readonly string[];
  readonly #runs = new Set<string>();
  readonly #numbers = new Set<string>();
  readonly #areTooLong: boolean;

  constructor(values: readonly string[]) {
    this.#areTooLong = values.reduce((sum, { length }) => sum + length, 0) > MAX_SENT;
    for (const value of this.#areTooLong ? [] : values) {
      this.#add(value);
      // Longer base64 is hidden unread.
      if (value.length < MIN_BASE64) this.#add(Buffer.from(value).toString('base64'));
    }
    this.#telling = [...this.#words].filter((word) => isTelling(word) && /\p{L}|.{8}/u.test(word));
  }

  /** Returns the beginning of the text with every sent word and number replaced by `***`. */
  hide(text: string): string {
    if (this.#areTooLong) return REDACTED;
    // A word that was cut in half would not be recognised.
    const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN).replace(LAST_PART, REDACTED) : text;
    return isJson(shown) ? this.#inJson(shown) : this.#inText(shown);
  }

  #add(value: string): void {
    const words = wordsIn(value);
    for (const run of runsIn(words)) this.#runs.add(lettersOf(run));
    for (const [number] of value.matchAll(NUMBER)) {
      const digits = number.replace(/\D/g, '');
      if (digits.length >= MIN_DIGITS) this.#numbers.add(digits.slice(-LAST_DIGITS));
    }
    if (words.filter(({ letters }) => isTelling(letters)).length > MAX_WORDS) return;
    for (const { letters, isCapital } of words) {
      // `Ana` and `Sá` are names. `de` and `12` are not worth tearing an answer apart for.
      if (letters.length > 2 || (letters.length === 2 && isCapital)) this.#words.add(letters);
    }
  }

  #inJson(text: string): string {
    return text.replace(JSON_TOKEN, (token) => {
      if (token.startsWith('"')) return JSON.stringify(this.hide(JSON.parse(token)));
      return this.#inText(token) === token ? token : `"${REDACTED}"`;
    });
  }

  #inText(text: string): string {
    const plain = text
      .replace(MAYBE_ESCAPED, (word) => (ESCAPE.test(word) ? REDACTED : word))
      .replace(MAYBE_BASE64, (run) => (isBase64(run) ? REDACTED : run))
      .replace(NUMBER, (number) => (this.#isSentNumber(number) ? REDACTED : number));
    const words = wordsIn(plain);
    const hidden = new Set([
      ...words.filter(({ letters }) => this.#isSent(letters)),
      ...runsIn(words).flatMap((run) => (this.#runs.has(lettersOf(run)) ? run : [])),
    ]);
    let at = 0;
    return plain
      .replace(WORD, (word) => (hidden.has(words[at++] as Word) ? REDACTED : word))
      .replace(REPEATED, REDACTED);
  }

  #isSent(word: string): boolean {
    return this.#words.has(word) || this.#telling.some((sent) => word.includes(sent));
  }

  /** Tells whether a sent number ends where a group of digits ends. */
  #isSentNumber(number: string): boolean {
    let digits = '';
    return number.split(/\D+/).some((group) => {
      digits += group;
      return this.#numbers.has(digits.slice(-LAST_DIGITS)) || this.#numbers.has(digits.slice(-MIN_DIGITS));
    });
  }
}

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

function isJson(text: string): boolean {
  try {
    return /^\s*[[{]/.test(text) && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

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
