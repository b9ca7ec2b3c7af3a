import { createHash } from 'node:crypto';
import type { Answer } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type AnswerValue, answerValue, isHtml } from './answer-value.ts';

const MAX_DEPTH = 6;
const MAX_MEMBERS = 60;
/** Maximum length of a text in a form. A longer one is represented by its digest. */
const MAX_TEXT_LENGTH = 80;
/** Maximum length of a form. A longer one ends in its digest. */
const MAX_FORM_LENGTH = 400;

/**
 * Returns the form of an answer: its status, its media type, the names and kinds of its members, and the words that are
 * the same for all requests. Everything that belongs to one request (sent values, numbers, identifiers) is left out. A
 * person can read the form: `204 empty`, `200 application/json {"status":"ok","at":"#-#-#"}`.
 *
 * Returns null for an answer that cannot be read, because it is a page or was cut. If an answer denies that the request
 * was taken, its words are left out too: they give the reason, which differs between requests.
 */
export function answerForm(answer: Answer, sent: Redactor, isDenied: boolean): string | null {
  const kind = readableKind(answer);
  if (kind === null) return null;
  const type = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const value = answerValue(answer);
  const told =
    kind === 'empty'
      ? 'empty'
      : value === undefined
        ? wordsForm(answer.body, sent)
        : valueForm(value, sent, !isDenied, 0);
  return shortened([answer.status, kind === 'empty' ? '' : type, told].filter((part) => part !== '').join(' '));
}

/** Tells how a body can be read, or returns null if it cannot be. */
export function readableKind(answer: Answer): 'empty' | 'data' | 'words' | null {
  if (!answer.complete || isHtml(answer)) return null;
  if (answer.body.trim() === '') return 'empty';
  if (answerValue(answer) !== undefined) return 'data';
  // A body that begins like JSON and is not JSON was cut, or is two answers in one. Control characters belong to no text.
  return /^\s*[[{"]/.test(answer.body) || CONTROL_CHARACTERS.test(answer.body) ? null : 'words';
}

const CONTROL_CHARACTERS = /[\0-\x08\x0e-\x1f\ufffd]/;

function valueForm(value: AnswerValue, sent: Redactor, withWords: boolean, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return withWords ? JSON.stringify(wordsForm(value, sent)) : 'text';
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const elements = value.slice(0, MAX_MEMBERS).map((each) => valueForm(each, sent, withWords, depth + 1));
    return `[${[...new Set(elements)].join(',')}]`;
  }
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  const told = members.map(
    ([name, inner]) => `${JSON.stringify(sent.redact(name))}:${valueForm(inner, sent, withWords, depth + 1)}`,
  );
  return `{${told.sort().join(',')}}`;
}

const SEPARATORS = /([\s<>"'=&?/,;:()[\]{}]+)/;

/**
 * Returns a text without the parts that differ between requests: words with a digit in them become `#`, sent values
 * `***`.
 */
export function wordsForm(text: string, sent: Redactor): string {
  const parts = sent.redact(withoutProlog(text).trim()).split(SEPARATORS);
  const words = parts
    .map((part) => (/\d/.test(part) ? '#' : part))
    .join('')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return words.length > MAX_TEXT_LENGTH ? `text ${digestOf(words)}` : words;
}

/** Removes the XML declaration of a text, because its numbers say nothing. */
export function withoutProlog(text: string): string {
  return text.replace(/^\s*<\?xml[^>]{0,200}\?>/i, '');
}

function shortened(form: string): string {
  if (form.length <= MAX_FORM_LENGTH) return form;
  return `${form.slice(0, MAX_FORM_LENGTH - 20)}… ${digestOf(form)}`;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
