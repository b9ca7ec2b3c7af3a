import type { Json } from '../version-1/contract.ts';

export type JsonObject = { readonly [name: string]: Json };

/** These functions read JSON of unknown shape. A value that is missing or has another type reads as empty. */

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Returns a scalar as text, or null for everything else. */
export function scalarOf(value: Json | undefined): string | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Returns the member with a name from outside. Members that every object inherits are not returned. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Escapes a name as a part of a JSON pointer (RFC 6901). */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Extends a pointer by these names. */
export const pointerTo = (start: string, ...names: readonly string[]): string =>
  [start, ...names.map(pointerPart)].join('/');

/** Decodes the percent-encoding of a text. A text that is not encoded well is returned as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
