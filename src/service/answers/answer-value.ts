import { parse } from 'lossless-json';
import type { Pointer } from '../../request/contract/contract.ts';
import { memoize, pointerNames } from '../../request/small.ts';
import type { Answer } from '../network/exchange.ts';

/** A value of an answer's JSON body. Numbers are kept as the exact text in which they were sent. */
export type AnswerValue = null | boolean | string | readonly AnswerValue[] | { readonly [name: string]: AnswerValue };

/**
 * Parses the body of an answer as JSON. Returns undefined if it is not JSON. An answer is examined from several sides, and
 * is parsed only once.
 */
export const answerValue = memoize(({ body }: Answer): AnswerValue | undefined => parsed(body.trim()));

function parsed(text: string): AnswerValue | undefined {
  if (!/^[[{"\d-]|^(?:true|false|null)$/.test(text)) return undefined;
  try {
    return parse(text, null, (digits) => digits) as AnswerValue;
  } catch {
    return undefined;
  }
}

/**
 * Tells whether an answer is a web page. Many services label JSON as `text/html`, so an answer that can be read as data
 * is not a page.
 */
export function isHtml(answer: Answer): boolean {
  if (/^\s*<(?:!doctype|html)/i.test(answer.body)) return true;
  return /html/i.test(answer.headers['content-type'] ?? '') && answerValue(answer) === undefined;
}

/** Returns the text, number or boolean at a pointer. A number keeps all its digits. */
export function textAt(value: AnswerValue | undefined, pointer: Pointer): string | undefined {
  const found = pointerNames(pointer).reduce<AnswerValue | undefined>(
    (holder, name) =>
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
        ? Reflect.get(holder, name)
        : undefined,
    value,
  );
  return typeof found === 'string' || typeof found === 'boolean' ? String(found) : undefined;
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
