import { createHash } from 'node:crypto';
import { isNumber } from '../../request/contract/known-answers.ts';
import { type Redactor, SENT_WORD } from '../redaction/redactor.ts';

/**
 * A value of a form. `plain` is the text itself, in which the digits of a sentence are `#`. It may hold words that were
 * sent, so that it is compared and never kept. In what is `kept`, sent words are `sent`.
 */
export interface FormValue {
  readonly plain: string;
  readonly kept: () => string;
}

export const same = (text: string): FormValue => ({ plain: text, kept: () => text });

/** Maximum length of a value. A longer one stands as its digest. */
const MAX_VALUE_LENGTH = 120;

/** Marks the value of a place where an answer names its request. Identifiers are judged by themselves. */
export const IDENTIFIER = '@id';

export const MAX_IDENTIFIER_LENGTH = 200;

/** Matches a point in time, whose digits say nothing. A number, or a code without blanks, may say everything. */
const TIME = /^\d{4}-\d\d-\d\d|^\d{1,2}[:/.-]\d{1,2}[:/.-]\d+|^\d{1,2}:\d\d/;
/** What programs write where there is no time: zeros, the year 1, 1970. */
const NO_TIME = /^[^1-9]*$|^(?!20)\d{4}-\d\d-\d\d/;
/** Replaces the words of a sentence, or of markup, that have a digit. What stands for something that is missing stays. */
const numbered = (text: string, by: (word: string) => string) =>
  text.replace(/[^\s<>"'=&;,()]+/g, (word) => (NO_TIME.test(word) ? word : by(word)));
/** Times, dates and versions, which say nothing. */
const SIGNED = /\d[:/.]\d/;
/** A word with few digits may be a code, as in "Error 51" and "ERR-51". */
export const isCode = (word: string) => word.replace(/\D/g, '').length <= 3;

/** Returns a text without what differs between requests that are answered alike. `names` are those of the request. */
export function normal(text: string, sent: Redactor, names: ReadonlySet<string>): FormValue {
  const said = text.trim().toLowerCase();
  if (said === '') return same('""');
  if (sent.isSentValue(said)) return same('sent');
  if (isNumber(said)) return same(names.has(said) && !isCode(said) ? IDENTIFIER : said);
  const unnamed = numbered(said, (word) => {
    if (names.size > 0 && word.length <= MAX_IDENTIFIER_LENGTH) {
      const bare = word.replace(/[.!?:]+$/, '');
      if (names.has(bare)) return word.replace(bare, IDENTIFIER);
    }
    return SIGNED.test(word) || TIME.test(word) ? '#' : word;
  });
  // Of a text without blanks only words of names and addresses are hidden.
  if (!/[\s<]/.test(said) && !TIME.test(said)) {
    const plain = bounded(unnamed.includes(IDENTIFIER) ? unnamed : said);
    const kept = () => {
      const unsent = plain.replace(SENT_WORD, (word) => (sent.repeatsSent(word) ? 'sent' : word));
      return sent.repeatsSent(unsent) ? 'sent' : unsent;
    };
    return { plain, kept };
  }
  const withoutDigits = (each: string) => numbered(each, (word) => (isCode(word) ? word : '#'));
  const withoutSent = () => unnamed.replace(SENT_WORD, (word) => (sent.isSentWord(word) ? 'sent' : word));
  const kept = () => bounded(withoutDigits(withoutSent()).replace(/\bsent(?:[^\p{L}\d#]+sent)+\b/gu, 'sent'));
  return { plain: bounded(withoutDigits(unnamed)), kept };
}

export function bounded(text: string): string {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  return `text ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
