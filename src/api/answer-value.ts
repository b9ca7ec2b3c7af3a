import { parse } from 'lossless-json';
import type { Pointer } from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import { nameWords } from '../model/name-words.ts';
import type { Answer } from './exchange.ts';

/** An answer's body as JSON, numbers as the exact text they were sent in; undefined if it is not JSON. */
export type AnswerValue = null | boolean | string | readonly AnswerValue[] | { readonly [name: string]: AnswerValue };

export const answerValue = rememberingOne(({ body }: Answer): AnswerValue | undefined => parsed(body.trim()));

/** An answer is looked at from several sides, one after the other: it is read once. */
function rememberingOne<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
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

/** A name in an answer. */
interface Name {
  readonly words: readonly string[];
  /** The words without anything between them. */
  readonly joined: string;
}

/** Answers of one service have the same few names. */
const names = new Map<string, Name>();
const MOST_NAMES = 1000;

function nameOf(text: string): Name {
  const known = names.get(text);
  if (known) return known;
  const words = nameWords(text);
  const name = { words, joined: words.join('') };
  if (names.size < MOST_NAMES) names.set(text, name);
  return name;
}

/** One named value somewhere in an answer. */
export interface AnswerMember extends Name {
  readonly name: string;
  /** Names from the top, joined by dots; array positions are numbers. */
  readonly path: string;
  readonly value: AnswerValue;
}

/** Parts of an answer that speak of something else than the request. */
const FOREIGN = /^(?:errors?|links?|users?|account|client|partner|category|categories|meta|included)$/;
const DEPTH_LIMIT = 8;
/** Longer ones are no names; thousands of values with such a path would take all memory. */
const LONGEST_NAME = 200;

/** Every named value, the outermost first; what lies inside a {@link FOREIGN} part is left out. */
export const members = rememberingOne((top: AnswerValue | undefined): readonly AnswerMember[] => {
  const found: AnswerMember[] = [];
  let level: { path: string; value: AnswerValue }[] = top === undefined ? [] : [{ path: '', value: top }];
  for (let depth = 0; depth < DEPTH_LIMIT && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { path, value: holder } of level) {
      for (const [name, inner] of entries(holder)) {
        if (name.length > LONGEST_NAME) continue;
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

/** Many services call JSON `text/html`: what can be read as data is no page. */
export function isHtml(answer: Answer): boolean {
  if (/^\s*<(?:!doctype|html)/i.test(answer.body)) return true;
  return /html/i.test(answer.headers['content-type'] ?? '') && answerValue(answer) === undefined;
}

/** A body that is plain words, trimmed: no page, and no JSON that was cut, where half a number would pass for a whole one. */
export function plainWords(answer: Answer): string | null {
  const value = answerValue(answer);
  if (!answer.complete || isHtml(answer)) return null;
  if (value !== undefined) return typeof value === 'string' ? value.trim() : null;
  return /^\s*[[{"]/.test(answer.body) ? null : answer.body.trim();
}

/** A flag, however it is written; undefined for what is none. */
export function asBoolean(value: AnswerValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(?:true|yes)$/i.test(value)) return true;
  if (/^(?:false|no)$/i.test(value)) return false;
  return /^\d+$/.test(value) ? Number(value) > 0 : undefined;
}

/** Everything in an answer that a pointer names, in the answer's order. */
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

/** The texts and numbers among them, digit by digit, and booleans as `true` and `false`. */
export function textsAt(value: AnswerValue | undefined, pointer: Pointer): string[] {
  const found = valuesAt(value, pointer).filter((each) => typeof each === 'string' || typeof each === 'boolean');
  return found.map(String);
}
