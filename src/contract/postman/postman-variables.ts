import { SrqError } from '../../request/words/errors.ts';
import { isSecretName, SECRET } from '../../request/words/names.ts';
import { objectOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { pairsOf } from './postman-format.ts';

/** Matches `{{name}}`. A name with `#` is one of {@link unquoted}. */
const REFERENCE = /\{\{([^{}#]{1,200})\}\}/g;
const REFERENCE_HERE = new RegExp(REFERENCE.source, 'y');
const PLAIN_HERE = /[^"/{]+/y;
const MAX_VALUE = 1 << 16;
const MAX_REFERENCE = 20;
/** Maximum total length of all filled texts. A few nested variables can stand for any amount of text. */
const MAX_FILLED = 1 << 25;

/**
 * Fixed substitutes for values that the client tool generates, so that the same document always gives the same result.
 */
const MADE_UP: Readonly<Record<string, string>> = {
  $guid: '00000000-0000-4000-8000-000000000000',
  $randomUUID: '00000000-0000-4000-8000-000000000000',
  $timestamp: '1735689600',
  $isoTimestamp: '2025-01-01T00:00:00.000Z',
  $randomInt: '1',
  $randomBoolean: 'true',
};

const madeUp = (name: string): string | null => MADE_UP[name] ?? (name.startsWith('$random') ? name.slice(1) : null);

/** Matches references to values that the client tool makes anew for each request. */
export const MADE_ANEW = /\{\{\s*(\$\w{1,100})\s*\}\}/g;

/** Tells whether a text contains a reference that could not be filled. */
export const isUnknown = (text: string): boolean => /\{\{[^{}]{1,200}\}\}/.test(text);

/** Tells whether a text replaces an unknown value that had no quotes and is therefore not a text. */
export const isUnquoted = (text: string): boolean => text.startsWith('{{#');

const unquoted = (name: string): string => `"{{#${name.replace(/["\\\s]/g, '')}}}"`;

/**
 * Creates the variables of a collection. The environment's values take precedence over the collection's, and secrets
 * are never filled in.
 */
export function createVariables(collection: Json, environment: Json): Variables {
  const values = new Map<string, VariableValue>();
  for (const [holder, list] of [
    [collection, 'variable'],
    [environment, 'values'],
  ] as const) {
    for (const { name, value, isDisabled, type } of pairsOf(objectOf(holder)[list], '')) {
      if (isDisabled || value === null || value === '') continue;
      values.set(name, { text: value, isSecret: type === 'secret' || isSecretName(name) });
    }
  }
  return new Variables(values);
}

interface VariableValue {
  readonly text: string;
  readonly isSecret: boolean;
}

/** The purpose of a filled text. An address must lead somewhere, and any other text is only an example. */
type Use = 'text' | 'address';

const ADDRESS_PART =
  /^(?:https?:\/\/(?:\[[\da-f:]+\]|[a-z\d.-]+)(?::\d{1,5})?|(?:localhost|(?:[a-z\d-]{1,63}\.)+[a-z]{2,24})(?::\d{1,5})?)?((?:\/[^/?#@\s]*)*)$/;

/** Tells whether the value of a variable with the name of a secret is an address or a path. It then hides nothing. */
function isAddressPart(text: string): boolean {
  const [whole, path = ''] = ADDRESS_PART.exec(text) ?? [];
  return Boolean(whole) && path.split('/').every(isPlainStep);
}

/** Tells whether a part of a path is a word, a version or a number, and not a key. */
function isPlainStep(step: string): boolean {
  return /^[\w.~-]{0,30}$/.test(step) && !(step.length >= 16 && /\d/.test(step) && /[a-z]/i.test(step));
}

/** Tells whether the value of a variable is such an address, even if it contains references. */
const isOpenAddress = ({ text, isSecret }: VariableValue): boolean =>
  isSecret && isAddressPart(text.trim().replace(REFERENCE, 'x'));

/** The variables fill the references of a collection. Unknown references stay as they are written. */
export class Variables {
  /** Names that were looked up and are unknown. */
  readonly unknown = new Set<string>();
  /** Unknown names that occur in JSON without quotes and are therefore not texts. */
  readonly unknownPlain = new Set<string>();
  readonly #values: ReadonlyMap<string, VariableValue>;
  readonly #filled = new Map<string, string | null>();
  #addresses: ReadonlySet<string> | null = null;
  #left = MAX_FILLED;
  #depth = 0;

  constructor(values: ReadonlyMap<string, VariableValue>) {
    this.#values = values;
  }

  fill(text: string): string {
    return this.#filledText(text, this.#left, 'text');
  }

  /**
   * Fills an address. References to secrets are left as they are, and so are those to values that the client tool
   * generates for each request, because no substitute would lead anywhere.
   */
  fillAddress(text: string): string {
    return this.#filledText(text, this.#left, 'address');
  }

  /** Tells whether a text is the value of a variable that has the name of a secret but is an address. */
  isAddress(text: string): boolean {
    this.#addresses ??= new Set(
      [...this.#values.values()].flatMap((each) => (isOpenAddress(each) ? [each.text.trim()] : [])),
    );
    return this.#addresses.has(text);
  }

  /**
   * Fills a body that is JSON only after filling. Comments are dropped, and an unknown value without quotes is replaced
   * by a text that {@link isUnquoted} recognises.
   */
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

  #filledText(text: string, maxLength: number, use: Use): string {
    let room = maxLength;
    return text.replace(REFERENCE, (reference, name: string) => {
      const known = this.#valueOf(name.trim(), use);
      if (known === null) this.unknown.add(name.trim());
      const value = known ?? reference;
      room -= value.length;
      this.#spend(value.length, room);
      return value;
    });
  }

  #valueOf(name: string, use: Use): string | null {
    const value = this.#values.get(name);
    const isSecret = value?.isSecret ?? isSecretName(name);
    if (isSecret && use === 'text') return SECRET;
    const known = this.#filled.get(`${use} ${name}`);
    if (known !== undefined) return known;
    if (name.startsWith('$')) return use === 'address' ? null : madeUp(name);
    // A variable counts as unknown while it is being filled, so that a cycle ends.
    this.#filled.set(`${use} ${name}`, null);
    if (value === undefined || this.#depth === MAX_REFERENCE) return null;
    this.#depth += 1;
    const whole = this.#filledText(value.text, MAX_VALUE, use);
    this.#depth -= 1;
    if (isSecret && !isAddressPart(whole)) return null;
    this.#filled.set(`${use} ${name}`, whole);
    return whole;
  }

  #spend(count: number, room: number): void {
    this.#left -= count;
    if (this.#left >= 0 && room >= 0) return;
    throw new SrqError(
      'document.too-large',
      'The variables of the collection expand to too much text.',
      'Ask the service for another export of its collection, or for its OpenAPI description.',
    );
  }

  #plain(name: string): string {
    const value = this.#valueOf(name, 'text');
    if (value === null || isUnknown(value)) {
      this.unknownPlain.add(name);
      this.unknown.add(name);
      return unquoted(name);
    }
    this.#spend(value.length, this.#left);
    return parsed(value) === undefined ? JSON.stringify(value) : value;
  }
}

/** Returns the next string, comment, reference or run of other characters of a JSON text. */
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

/** Parses JSON, and returns undefined if the text is not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
