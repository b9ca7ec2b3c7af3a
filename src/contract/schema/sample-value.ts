import { isObject, type JsonObject, listOf, memberOf, textOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { flatten, typesOf, valuesOf } from './flat-schema.ts';

/** The purpose of a sample. */
export interface SampleUse {
  /** Tells whether an allowed value may be used. If none may be, the first one is used. */
  readonly fits: (value: Json) => boolean;
  /**
   * Whether an object gets only its required members, if it has any. Members that only the service may set are then
   * left out.
   */
  readonly isMinimal: boolean;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '6f1c0d4e-2b7a-4c3e-9d58-0a1b2c3d4e5f',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'ana@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
};
/** The text that is used if the schema says nothing about it. */
export const INVENTED_TEXT = 'text';
const MAX_DEPTH = 10;
/** Depth up to which a minimal sample shows the members of an object that requires none. */
const MAX_FREE_DEPTH = 1;
const MAX_MEMBERS = 200;

/** Makes a sample of a schema: its example, one of its allowed values, its default, or an invented value. */
export function sampleOf(schema: JsonObject, { fits, isMinimal }: SampleUse): Json {
  const budget = { left: MAX_MEMBERS };
  return make(schema, 0);

  function make(each: JsonObject, depth: number): Json {
    const { keywords, properties, required, branches } = flatten(each);
    const shown = keywords['example'] ?? listOf(keywords['examples'])[0];
    const said = shown ?? valuesOf(keywords).find(fits) ?? valuesOf(keywords)[0] ?? keywords['default'];
    if (said !== undefined) return inType(said, keywords);
    const [branch] = branches.flatMap((list) => list.slice(0, 1));
    if (properties.size > 0 || branch !== undefined) {
      if (depth > MAX_DEPTH) return {};
      const isAny = required.size === 0 && depth <= MAX_FREE_DEPTH && budget.left > properties.size;
      const isWanted = ([name, inner]: [string, JsonObject]) =>
        !isMinimal || (inner['readOnly'] !== true && (isAny || required.has(name)));
      const members = [...properties].filter(isWanted).map(([name, inner]) => [name, member(inner, depth)] as const);
      const more = branch === undefined ? {} : make(branch, depth + 1);
      return { ...Object.fromEntries(members), ...(isObject(more) ? more : {}) };
    }
    if (typesOf(keywords).includes('array')) {
      return isObject(keywords['items']) && depth < MAX_DEPTH ? [make(keywords['items'], depth + 1)] : [];
    }
    return sampleScalar(keywords);
  }

  function member(schema: JsonObject, depth: number): Json {
    budget.left -= 1;
    return budget.left < 0 ? null : make(schema, depth + 1);
  }
}

/**
 * Converts a number or a boolean to text if the schema demands text, because examples in YAML often lack the quotes.
 */
function inType(said: Json, keywords: JsonObject): Json {
  const types = typesOf(keywords).filter((type) => type !== 'null');
  const isText = types.length === 1 && types[0] === 'string';
  return isText && (typeof said === 'number' || typeof said === 'boolean') ? String(said) : said;
}

function sampleScalar(keywords: JsonObject): Json {
  const [type] = typesOf(keywords).filter((each) => each !== 'null');
  if (type === 'integer' || type === 'number') return typeof keywords['minimum'] === 'number' ? keywords['minimum'] : 1;
  if (type === 'boolean') return false;
  if (type === 'object') return {};
  if (type !== 'string') return null;
  const text = textOf(memberOf(BY_FORMAT, textOf(keywords['format']))) || INVENTED_TEXT;
  const { minLength, maxLength } = keywords;
  return text
    .padEnd(typeof minLength === 'number' ? Math.min(minLength, MAX_LENGTH) : 0, 'x')
    .slice(0, typeof maxLength === 'number' ? maxLength : MAX_LENGTH);
}

const MAX_LENGTH = 1000;
