import { parse } from 'lossless-json';
import type { Json, Pointer } from '../../request/contract/contract.ts';
import { memberOf, scalarOf } from '../../request/contract/json.ts';
import { memoize, pointerNames } from '../../request/small.ts';
import type { Answer } from '../network/exchange.ts';

/**
 * Parses the body of an answer as JSON, in which a number is the exact text that was sent. Returns undefined if it is not
 * JSON. An answer is examined from several sides, and is parsed only once.
 */
export const answerValue = memoize(({ body }: Answer): Json | undefined => parsed(body.trim()));

function parsed(text: string): Json | undefined {
  if (!/^[[{"\d-]|^(?:true|false|null)$/.test(text)) return undefined;
  try {
    return parse(text, null, (digits) => digits) as Json;
  } catch {
    return undefined;
  }
}

/** Tells whether an answer is a web page. Many services label JSON and a few words as `text/html`. */
export function isHtml(answer: Answer): boolean {
  if (/^\s*<(?:!doctype|html)/i.test(answer.body)) return true;
  if (!/html/i.test(answer.headers['content-type'] ?? '')) return false;
  return /<[a-z!/?]/i.test(answer.body) && answerValue(answer) === undefined;
}

/** Returns the text, number or boolean at a pointer, or null. A number keeps all its digits. */
export function textAt(value: Json | undefined, pointer: Pointer): string | null {
  return scalarOf(pointerNames(pointer).reduce<Json | undefined>(memberOf, value));
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
