import type { Json } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import { isSecretName, SECRET } from '../model/secret-name.ts';
import { objectOf } from './json-parts.ts';
import { pairsOf } from './postman-format.ts';

/** `{{name}}`; with `#` it is {@link unquoted}. */
const REFERENCE = /\{\{([^{}#]{1,200})\}\}/g;
const REFERENCE_HERE = new RegExp(REFERENCE.source, 'y');
const PLAIN_HERE = /[^"/{]+/y;
const LONGEST_VALUE = 1 << 16;
const DEEPEST_REFERENCE = 20;
/** Characters that all texts together may come to: a few nested variables can stand for any amount. */
const MOST_FILLED = 1 << 25;

/** Values that the client tool makes up. Fixed ones stand for them, so that the same document always says the same. */
const MADE_UP: Readonly<Record<string, string>> = {
  $guid: '00000000-0000-4000-8000-000000000000',
  $randomUUID: '00000000-0000-4000-8000-000000000000',
  $timestamp: '1735689600',
  $isoTimestamp: '2025-01-01T00:00:00.000Z',
  $randomInt: '1',
  $randomBoolean: 'true',
};

/** Fills the references of a collection. What is not known stays as it is written. */
export interface Variables {
  /** Names that were asked for and are not known. */
  readonly unknown: ReadonlySet<string>;
  /** Those of them that stand in JSON without quotes, so are no texts. */
  readonly unknownPlain: ReadonlySet<string>;
  fill(text: string): string;
  /** A body that becomes JSON only when it is filled. Comments are dropped; an unknown value without quotes is {@link isUnquoted}. */
  fillJson(text: string): string;
}

/** Whether a text holds a reference that could not be filled. */
export const isUnknown = (text: string): boolean => /\{\{[^{}]{1,200}\}\}/.test(text);

/** Whether it stands for an unknown value that stood without quotes, so is no text. */
export const isUnquoted = (text: string): boolean => text.startsWith('{{#');

const unquoted = (name: string): string => `"{{#${name.replace(/["\\\s]/g, '')}}}"`;

/** The environment's values come before the collection's; a secret is never filled in. */
export function createVariables(collection: Json, environment: Json): Variables {
  const values = new Map<string, string>();
  for (const [holder, list] of [
    [collection, 'variable'],
    [environment, 'values'],
  ] as const) {
    for (const { name, value, isDisabled, type } of pairsOf(objectOf(holder)[list], '')) {
      if (isDisabled || value === null || value === '') continue;
      values.set(name, type === 'secret' ? SECRET : value);
    }
  }
  const unknown = new Set<string>();
  const unknownPlain = new Set<string>();
  let left = MOST_FILLED;
  let depth = 0;
  const filled = new Map<string, string | null>();

  function filledValue(name: string): string | null {
    if (isSecretName(name)) return SECRET;
    const known = filled.get(name);
    if (known !== undefined) return known;
    if (name.startsWith('$')) return MADE_UP[name] ?? (name.startsWith('$random') ? name.slice(1) : null);
    // Until it is known: so a variable that comes back to itself ends there, unknown.
    filled.set(name, null);
    const value = values.get(name);
    if (value === undefined || depth === DEEPEST_REFERENCE) return null;
    depth += 1;
    const whole = fill(value, LONGEST_VALUE);
    depth -= 1;
    filled.set(name, whole);
    return whole;
  }

  function fill(text: string, longest = left): string {
    let room = longest;
    return text.replace(REFERENCE, (reference, name: string) => {
      const known = filledValue(name.trim());
      if (known === null) unknown.add(name.trim());
      const value = known ?? reference;
      room -= value.length;
      spend(value.length, room);
      return value;
    });
  }

  function spend(count: number, room = left): void {
    left -= count;
    if (left >= 0 && room >= 0) return;
    throw new SrqError(
      'input',
      'The variables of the collection stand for too much text.',
      'Ask the service for another export of its collection, or for its OpenAPI description.',
    );
  }

  function fillJson(text: string): string {
    let json = '';
    for (let at = 0; at < text.length; ) {
      const token = tokenAt(text, at);
      at += token.length;
      if (token.startsWith('"')) json += token.replace(REFERENCE, (each) => escaped(fill(each)));
      else if (token.startsWith('{{')) json += plain(token.slice(2, -2).trim());
      else if (!/^\/[/*]/.test(token)) json += token;
    }
    return json;
  }

  function plain(name: string): string {
    const value = filledValue(name);
    if (value === null || isUnknown(value)) {
      unknownPlain.add(name);
      unknown.add(name);
      return unquoted(name);
    }
    spend(value.length);
    return isJson(value) ? value : JSON.stringify(value);
  }

  return { fill, fillJson, unknown, unknownPlain };
}

/** The next string, comment, reference or run of other characters of a JSON text. */
function tokenAt(text: string, at: number): string {
  if (text[at] === '"') return text.slice(at, stringEnd(text, at));
  if (text.startsWith('//', at)) return text.slice(at, endAfter(text, '\n', at));
  if (text.startsWith('/*', at)) return text.slice(at, endAfter(text, '*/', at + 2));
  for (const pattern of [REFERENCE_HERE, PLAIN_HERE]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return found[0];
  }
  return text.charAt(at);
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function endAfter(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
