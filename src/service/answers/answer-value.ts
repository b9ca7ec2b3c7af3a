import { parse } from 'lossless-json';
import type { Pointer } from '../../request/contract/contract.ts';
import { pointerNames } from '../../request/small.ts';
import type { Answer } from '../network/exchange.ts';

/** A value of an answer's JSON body. Numbers are kept as the exact text in which they were sent. */
export type AnswerValue = null | boolean | string | readonly AnswerValue[] | { readonly [name: string]: AnswerValue };

/** Parses the body of an answer as JSON. Returns undefined if it is not JSON. */
export const answerValue = memoizeLast(({ body }: Answer): AnswerValue | undefined => parsed(body.trim()));

/**
 * Remembers the result for the last argument. An answer is examined from several sides, one after the other, and is
 * parsed only once.
 */
function memoizeLast<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | null = null;
  return (given) => {
    if (last === null || last.given !== given) last = { given, made: make(given) };
    return last.made;
  };
}

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

/** Returns all values of an answer that a pointer names, in the order of the answer. */
export function valuesAt(value: AnswerValue | undefined, pointer: Pointer): AnswerValue[] {
  let found: AnswerValue[] = value === undefined ? [] : [value];
  for (const name of pointerNames(pointer)) {
    found = found.flatMap((holder) => {
      if (typeof holder !== 'object' || holder === null) return [];
      if (name === '*') return Object.values(holder);
      const inner = Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
      return inner === undefined ? [] : [inner as AnswerValue];
    });
  }
  return found;
}

/**
 * Returns the texts, numbers and booleans that a pointer names. Numbers keep all their digits, and booleans become
 * `true` and `false`.
 */
export function scalarsAt(value: AnswerValue | undefined, pointer: Pointer): string[] {
  const found = valuesAt(value, pointer).filter((each) => typeof each === 'string' || typeof each === 'boolean');
  return found.map(String);
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
