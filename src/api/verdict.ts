import type { Verdict } from '../model/ports.ts';
import { type AnswerValue, answerValue, isHtml, type Member, members } from './answer-value.ts';
import type { Answer } from './http.ts';

const SAYS_DUPLICATE = /duplicat|already|exist|repeated/i;
const SAYS_CLEAR =
  /^(?:unique|ok|clear|new|valid|accepted|none|(?:no|not)[ _-]?(?:a[ _-])?(?:duplicates?|found|exists?)|does not exist)$/i;
const DUPLICATE_FLAGS = new Set(['duplicate', 'duplicated', 'isduplicate', 'exists', 'alreadyexists', 'hasduplicates']);
const UNIQUE_FLAGS = new Set(['unique', 'isunique']);
const VALID_FLAGS = new Set(['valid', 'isvalid']);
const VERDICT_TEXTS = new Set(['status', 'result', 'verdict', 'outcome', 'state']);
const DUPLICATE_LISTS = new Set(['duplicates', 'matches']);

/**
 * What an answer of validate says, read in a fixed order: status 409 or 208; a boolean; a status text; a list of matches.
 * Anything else is `unknown`: srq does not guess.
 */
export function readVerdict(answer: Answer): Verdict {
  if (answer.status === 409 || answer.status === 208) return 'duplicate';
  if (answer.status < 200 || answer.status > 299) return 'unknown';
  return saidVerdict(answer);
}

/** The verdict that the body itself states, whatever the status. */
export function saidVerdict(answer: Answer): Verdict {
  const value = answerValue(answer);
  const found = members(value);
  return flagVerdict(found) ?? textVerdict(found) ?? listVerdict(found) ?? bareVerdict(answer, value) ?? 'unknown';
}

const REFUSING_FLAGS = new Set(['success', 'ok', 'successful', 'accepted']);

/** True if a 2xx answer states that the request was not taken: `success: false`, a failed status, a list of errors. */
export function saidRefused(answer: Answer): boolean {
  return members(answerValue(answer)).some(({ path, words, value }) => {
    const name = words.join('');
    if (REFUSING_FLAGS.has(name)) return asBoolean(value) === false;
    if (path === 'status')
      return typeof value === 'string' && /^(?:error|failed|failure|rejected|refused|invalid)$/i.test(value);
    return path === 'errors' && Array.isArray(value) && value.length > 0;
  });
}

/** True if an error's code or text says that the request is a duplicate. */
export function errorSaysDuplicate(answer: Answer): boolean {
  if (saidVerdict(answer) === 'duplicate') return true;
  const told = members(answerValue(answer)).filter(({ words }) =>
    words.some((word) => /^(?:error|errors|code|type|title|detail|message|reason)$/.test(word)),
  );
  const texts = told.flatMap(({ value }) => (typeof value === 'string' ? [value] : [JSON.stringify(value)]));
  const plain = answerValue(answer) === undefined && !isHtml(answer) ? [answer.body] : [];
  return [...texts, ...plain].some((text) => /duplicat|already (?:exists|submitted|created|received)/i.test(text));
}

function flagVerdict(found: readonly Member[]): Verdict | undefined {
  for (const { words, value } of found) {
    const flag = asBoolean(value);
    const name = words.join('');
    if (flag === undefined) continue;
    if (DUPLICATE_FLAGS.has(name)) return flag ? 'duplicate' : 'clear';
    if (UNIQUE_FLAGS.has(name)) return flag ? 'clear' : 'duplicate';
    if (VALID_FLAGS.has(name)) return flag ? 'clear' : messageSaysDuplicate(found) ? 'duplicate' : undefined;
  }
  return undefined;
}

function messageSaysDuplicate(found: readonly Member[]): boolean {
  return found.some(({ words, value }) => /message|reason|error|detail/.test(words.join(' ')) && says(value));
}

function says(value: AnswerValue): boolean {
  return SAYS_DUPLICATE.test(typeof value === 'string' ? value : JSON.stringify(value));
}

function textVerdict(found: readonly Member[]): Verdict | undefined {
  for (const { words, value } of found) {
    if (typeof value !== 'string' || !VERDICT_TEXTS.has(words.at(-1) ?? '')) continue;
    const verdict = wordVerdict(value);
    if (verdict) return verdict;
  }
  return undefined;
}

function wordVerdict(text: string): Verdict | undefined {
  if (SAYS_CLEAR.test(text.trim())) return 'clear';
  return text.length <= 60 && SAYS_DUPLICATE.test(text) && !/\b(?:not?|un)\b/i.test(text) ? 'duplicate' : undefined;
}

function listVerdict(found: readonly Member[]): Verdict | undefined {
  for (const { words, value } of found) {
    if (Array.isArray(value) && DUPLICATE_LISTS.has(words.at(-1) ?? ''))
      return value.length > 0 ? 'duplicate' : 'clear';
  }
  return undefined;
}

/** A body that is nothing but a word: `duplicate`, `OK`. */
function bareVerdict(answer: Answer, value: AnswerValue | undefined): Verdict | undefined {
  if (typeof value === 'string') return wordVerdict(value);
  if (value !== undefined || isHtml(answer) || answer.body.length > 60) return undefined;
  return wordVerdict(answer.body);
}

function asBoolean(value: AnswerValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(?:true|yes)$/i.test(value)) return true;
  if (/^(?:false|no)$/i.test(value)) return false;
  return /^\d+$/.test(value) ? Number(value) > 0 : undefined;
}
