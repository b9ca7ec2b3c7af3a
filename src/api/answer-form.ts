import { createHash } from 'node:crypto';
import { type AnswerValue, answerValue, isHtml } from './answer-value.ts';
import type { Answer } from './exchange.ts';
import type { Mask } from './mask.ts';

const MAX_DEPTH = 6;
const MAX_MEMBERS = 60;
/** A longer text is known by its digest. */
const MAX_TEXT = 80;
/** A longer form is known by its digest. */
const MAX_FORM = 400;

/**
 * The form of an answer: status, media type, names and kinds of its members, and words that are the same for all requests;
 * what tells of one request (what was sent, numbers, identifiers) is left out. A person can read it: `204 empty`,
 * `200 application/json {"status":"ok","at":"#-#-#"}`. Null for an answer that nobody can read: a page, or one that was cut.
 * Of an answer that denies to have taken the request the words are left out, too: they say why, and that differs.
 */
export function formOf(answer: Answer, sent: Mask, isDenied: boolean): string | null {
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

/** How a body can be read; null: not at all. */
export function readableKind(answer: Answer): 'empty' | 'data' | 'words' | null {
  if (!answer.complete || isHtml(answer)) return null;
  if (answer.body.trim() === '') return 'empty';
  if (answerValue(answer) !== undefined) return 'data';
  // What begins as JSON and is none was cut, or is two answers in one; control characters are of no text.
  return /^\s*[[{"]/.test(answer.body) || NO_TEXT.test(answer.body) ? null : 'words';
}

const NO_TEXT = /[\0-\x08\x0e-\x1f\ufffd]/;

function valueForm(value: AnswerValue, sent: Mask, withWords: boolean, depth: number): string {
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
    ([name, inner]) => `${JSON.stringify(sent.apply(name))}:${valueForm(inner, sent, withWords, depth + 1)}`,
  );
  return `{${told.sort().join(',')}}`;
}

const SEPARATORS = /([\s<>"'=&?/,;:()[\]{}]+)/;

/** A text without what differs from request to request: words with a digit in them become `#`, what was sent `***`. */
export function wordsForm(text: string, sent: Mask): string {
  const parts = sent.apply(withoutProlog(text).trim()).split(SEPARATORS);
  const words = parts
    .map((part) => (/\d/.test(part) ? '#' : part))
    .join('')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return words.length > MAX_TEXT ? `text ${digestOf(words)}` : words;
}

/** An XML declaration has numbers that say nothing. */
export function withoutProlog(text: string): string {
  return text.replace(/^\s*<\?xml[^>]{0,200}\?>/i, '');
}

function shortened(form: string): string {
  if (form.length <= MAX_FORM) return form;
  return `${form.slice(0, MAX_FORM - 20)}… ${digestOf(form)}`;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
