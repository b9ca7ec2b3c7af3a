import type { Json } from '../model/contract.ts';
import type { JsonObject } from './described.ts';
import { flatten, typesOf, valuesOf } from './flat-schema.ts';
import { isObject, listOf, textOf } from './json-parts.ts';

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '6f1c0d4e-2b7a-4c3e-9d58-0a1b2c3d4e5f',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'ana@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
};
const DEEPEST = 8;
const MOST_MEMBERS = 200;

/** A value as a schema describes it: its example, its default, or one that is made up. */
export function sampleOf(schema: JsonObject): Json {
  const budget = { left: MOST_MEMBERS };
  return make(schema, 0);

  function make(each: JsonObject, depth: number): Json {
    const { keywords, properties, branches } = flatten(each);
    const said = keywords['example'] ?? listOf(keywords['examples'])[0] ?? valuesOf(keywords)[0] ?? keywords['default'];
    if (said !== undefined) return said;
    const [branch] = branches.flatMap((list) => list.slice(0, 1));
    if (properties.size > 0 || branch !== undefined) {
      const members = [...properties].map(([name, inner]) => [name, named(name, member(inner, depth))] as const);
      const more = branch === undefined || depth > DEEPEST ? {} : make(branch, depth + 1);
      return { ...Object.fromEntries(members), ...(isObject(more) ? more : {}) };
    }
    if (typesOf(keywords).includes('array')) {
      return isObject(keywords['items']) && depth < DEEPEST ? [make(keywords['items'], depth + 1)] : [];
    }
    return sampleScalar(keywords);
  }

  function member(schema: JsonObject, depth: number): Json {
    budget.left -= 1;
    return budget.left < 0 || depth > DEEPEST ? null : make(schema, depth + 1);
  }
}

/** An answer that says "success: false" would be none. */
function named(name: string, sample: Json): Json {
  return sample === false && /^(?:ok|success|successful|accepted)$/i.test(name) ? true : sample;
}

function sampleScalar(keywords: JsonObject): Json {
  const [type] = typesOf(keywords).filter((each) => each !== 'null');
  if (type === 'integer' || type === 'number') return typeof keywords['minimum'] === 'number' ? keywords['minimum'] : 1;
  if (type === 'boolean') return false;
  if (type === 'object') return {};
  return type === 'string' ? (BY_FORMAT[textOf(keywords['format'])] ?? 'text') : null;
}
