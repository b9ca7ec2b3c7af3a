import type { Json } from '../../request/contract.ts';

export type JsonObject = { readonly [name: string]: Json };

/** Reading plain JSON whose shape nobody vouches for: what is not there, or is something else, is empty. */

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** A scalar as text; null for everything else. */
export function scalarOf(value: Json | undefined): string | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** A member of a foreign name: never one that every object inherits. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A part of a JSON pointer. */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** A pointer that goes on by these names. */
export const pointerTo = (start: string, ...names: readonly string[]): string =>
  [start, ...names.map(pointerPart)].join('/');
