import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, textOf } from '../request/contract/json.ts';
import { referred } from '../request/contract/places.ts';

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '6f1c0d4e-2b7a-4c3e-9d58-0a1b2c3d4e5f',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ana@example.com',
  uri: 'https://example.com/',
};
const MAX_LENGTH = 1000;
const MAX_DEPTH = 10;
const MAX_EXAMPLE_DEPTH = 32;
const MAX_MEMBERS = 50;
/** Schemas that are looked at for one sample. */
const MAX_SCHEMAS = 2000;

/** Makes a sample of a schema: its example, one of its allowed values, its default, or an invented value. */
export function sampleOf(schema: Json, root: Json = schema): Json {
  let left = MAX_SCHEMAS;
  return sample(schema, 0);

  function sample(value: Json, depth: number): Json {
    left -= 1;
    const whole = objectOf(value);
    const said =
      whole['example'] ??
      listOf(whole['examples'])[0] ??
      whole['const'] ??
      listOf(whole['enum'])[0] ??
      whole['default'];
    if (said !== undefined) return whole['type'] === 'string' && typeof said === 'number' ? String(said) : said;
    if (depth > MAX_DEPTH || left < 0) return null;
    const inner = (each: Json) => sample(each, depth + 1);
    const { allOf, oneOf, anyOf, items, properties } = whole;
    const beside = [referred(root, whole), ...listOf(allOf), listOf(oneOf)[0], listOf(anyOf)[0]];
    const parts = beside.flatMap((each) => (each === undefined ? [] : [inner(each)]));
    const members = Object.entries(objectOf(properties)).slice(0, MAX_MEMBERS);
    const own = Object.fromEntries(members.map(([name, each]) => [name, inner(each)]));
    if (members.length > 0 || parts.some(isObject)) return Object.assign({}, ...parts.filter(isObject), own);
    if (parts[0] !== undefined) return parts[0];
    if (items !== undefined || typeOf(whole) === 'array') return [inner(items ?? {})];
    return scalar(whole);
  }
}

const typeOf = ({ type }: JsonObject): Json | undefined => [type ?? 'string'].flat().find((each) => each !== 'null');

function scalar(keywords: JsonObject): Json {
  const { minimum, minLength, maxLength, format } = keywords;
  switch (typeOf(keywords)) {
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return false;
    case 'object':
      return {};
    case 'string': {
      const text = textOf(memberOf(BY_FORMAT, textOf(format))) || 'text';
      const long = text.padEnd(typeof minLength === 'number' ? Math.min(minLength, MAX_LENGTH) : 0, 'x');
      return long.slice(0, typeof maxLength === 'number' ? maxLength : MAX_LENGTH);
    }
    default:
      return null;
  }
}

/** Derives a schema from an example. Only names and types of the example are kept, and nothing is required. */
export function schemaOf(example: Json, depth = 0): JsonObject {
  if (example === null || depth > MAX_EXAMPLE_DEPTH) return {};
  const inner = (each: Json) => schemaOf(each, depth + 1);
  if (Array.isArray(example)) return { type: 'array', items: inner(example[0] ?? null) };
  if (!isObject(example))
    return { type: typeof example !== 'number' ? typeof example : Number.isInteger(example) ? 'integer' : 'number' };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(example).map(([name, each]) => [name, inner(each)])),
  };
}
