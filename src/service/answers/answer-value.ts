import { parse } from 'lossless-json';
import type { Pointer } from '../../request/contract.ts';
import { pointerNames } from '../../request/json-pointer.ts';
import { nameWords } from '../../request/names.ts';
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

/** A name in an answer, cut into words. */
interface Name {
  readonly words: readonly string[];
  /** The words without anything between them. */
  readonly joined: string;
}

/** Names that were cut into words before. The answers of one service have the same few names. */
const names = new Map<string, Name>();
const MAX_NAMES = 1000;

/** Cuts a name into words. */
function nameOf(text: string): Name {
  const known = names.get(text);
  if (known) return known;
  const words = nameWords(text);
  const name = { words, joined: words.join('') };
  if (names.size < MAX_NAMES) names.set(text, name);
  return name;
}

/** A named value somewhere in an answer. */
export interface AnswerMember extends Name {
  readonly name: string;
  /** Names from the top, joined by dots. Array positions are numbers. */
  readonly path: string;
  readonly value: AnswerValue;
}

/** Matches the names of parts of an answer that are about something other than the request. */
const FOREIGN = /^(?:errors?|links?|users?|account|client|partner|category|categories|meta|included)$/;
const MAX_DEPTH = 8;
/**
 * Maximum length of a name. A longer one is not a name, and thousands of values with paths that long would take all
 * memory.
 */
const MAX_NAME_LENGTH = 200;

/** Lists every named value, the outermost first. Values inside a {@link FOREIGN} part are left out. */
export const members = memoizeLast((top: AnswerValue | undefined): readonly AnswerMember[] => {
  const found: AnswerMember[] = [];
  let level: { path: string; value: AnswerValue }[] = top === undefined ? [] : [{ path: '', value: top }];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { path, value: holder } of level) {
      for (const [name, inner] of entries(holder)) {
        if (name.length > MAX_NAME_LENGTH) continue;
        const { words, joined } = nameOf(name);
        const innerPath = path === '' ? name : `${path}.${name}`;
        if (!Array.isArray(holder)) found.push({ name, words, joined, path: innerPath, value: inner });
        if (!FOREIGN.test(joined)) next.push({ path: innerPath, value: inner });
      }
    }
    level = next;
  }
  return found;
});

function entries(value: AnswerValue): [string, AnswerValue][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/**
 * Tells whether an answer is a web page. An answer that can be read as data is none, because many services label JSON
 * as `text/html`.
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
