import querystring from 'node:querystring';
import { pointerNames } from '../small.ts';
import type { Json } from './contract.ts';

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

/** Members that every object inherits are not returned: the name comes from outside. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the part of a document at a pointer as it stands after `#` in a reference. */
export function partAt(root: Json, fragment: string): Json | undefined {
  return pointerNames(querystring.unescape(fragment)).reduce<Json | undefined>(memberOf, root);
}

/** Parses JSON, or returns undefined for any other text. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
