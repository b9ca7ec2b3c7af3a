import type { Json } from '../../request/contract.ts';
import { SrqError } from '../../request/errors.ts';
import { isSecretName, SECRET } from '../../request/names.ts';
import { objectOf } from '../documents/json-parts.ts';
import { pairsOf } from './postman-format.ts';

/** `{{name}}`; with `#` it is {@link unquoted}. */
const REFERENCE = /\{\{([^{}#]{1,200})\}\}/g;
const REFERENCE_HERE = new RegExp(REFERENCE.source, 'y');
const PLAIN_HERE = /[^"/{]+/y;
const MAX_VALUE = 1 << 16;
const MAX_REFERENCE = 20;
/** Characters that all texts together may come to: a few nested variables can stand for any amount. */
const MAX_FILLED = 1 << 25;

/** Values that the client tool makes up. Fixed ones stand for them, so that the same document always says the same. */
const MADE_UP: Readonly<Record<string, string>> = {
  $guid: '00000000-0000-4000-8000-000000000000',
  $randomUUID: '00000000-0000-4000-8000-000000000000',
  $timestamp: '1735689600',
  $isoTimestamp: '2025-01-01T00:00:00.000Z',
  $randomInt: '1',
  $randomBoolean: 'true',
};

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
  return new Variables(values);
}

/** The variables fill the references of a collection. What is not known stays as it is written. */
export class Variables {
  /** Names that were asked for and are not known. */
  readonly unknown = new Set<string>();
  /** Those of them that stand in JSON without quotes, so are no texts. */
  readonly unknownPlain = new Set<string>();
  readonly #values: ReadonlyMap<string, string>;
  readonly #filled = new Map<string, string | null>();
  #left = MAX_FILLED;
  #depth = 0;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  fill(text: string): string {
    return this.#filledText(text, this.#left);
  }

  /** A body that becomes JSON only when it is filled. Comments are dropped; an unknown value without quotes is {@link isUnquoted}. */
  fillJson(text: string): string {
    let json = '';
    for (let at = 0; at < text.length; ) {
      const token = tokenAt(text, at);
      at += token.length;
      if (token.startsWith('"')) json += token.replace(REFERENCE, (each) => escaped(this.fill(each)));
      else if (token.startsWith('{{')) json += this.#plain(token.slice(2, -2).trim());
      else if (!/^\/[/*]/.test(token)) json += token;
    }
    return json;
  }

  #filledText(text: string, longest: number): string {
    let room = longest;
    return text.replace(REFERENCE, (reference, name: string) => {
      const known = this.#valueOf(name.trim());
      if (known === null) this.unknown.add(name.trim());
      const value = known ?? reference;
      room -= value.length;
      this.#spend(value.length, room);
      return value;
    });
  }

  #valueOf(name: string): string | null {
    if (isSecretName(name)) return SECRET;
    const known = this.#filled.get(name);
    if (known !== undefined) return known;
    if (name.startsWith('$')) return MADE_UP[name] ?? (name.startsWith('$random') ? name.slice(1) : null);
    // Until it is known: so a variable that comes back to itself ends there, unknown.
    this.#filled.set(name, null);
    const value = this.#values.get(name);
    if (value === undefined || this.#depth === MAX_REFERENCE) return null;
    this.#depth += 1;
    const whole = this.#filledText(value, MAX_VALUE);
    this.#depth -= 1;
    this.#filled.set(name, whole);
    return whole;
  }

  #spend(count: number, room: number): void {
    this.#left -= count;
    if (this.#left >= 0 && room >= 0) return;
    throw new SrqError(
      'input',
      'The variables of the collection stand for too much text.',
      'Ask the service for another export of its collection, or for its OpenAPI description.',
    );
  }

  #plain(name: string): string {
    const value = this.#valueOf(name);
    if (value === null || isUnknown(value)) {
      this.unknownPlain.add(name);
      this.unknown.add(name);
      return unquoted(name);
    }
    this.#spend(value.length, this.#left);
    return isJson(value) ? value : JSON.stringify(value);
  }
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
