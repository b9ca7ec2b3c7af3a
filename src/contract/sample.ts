import { nested } from '../request/contract/bindings.ts';
import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, memberOf, textOf } from '../request/contract/json.ts';
import { placesIn } from '../request/contract/places.ts';

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '6f1c0d4e-2b7a-4c3e-9d58-0a1b2c3d4e5f',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ana@example.com',
  uri: 'https://example.com/',
};
const MAX_LENGTH = 1000;
/** A schema may refer to itself. */
const MAX_DEPTH = 6;
const MAX_EXAMPLE_DEPTH = 32;

/** Makes a sample of all that a schema describes. Of a choice, the first branch counts. */
export function sampleOf(schema: Json, $defs: JsonObject): Json {
  // The sample is a member of a body, because it may be a list or a single value.
  const places = placesIn({ properties: { body: { properties: { sample: schema } } }, $defs });
  const isInFirst = (branch: string) => !/\/[1-9]\d*;/.test(branch);
  const entries = places
    .filter(({ path, branches }) => path.length <= MAX_DEPTH && (branches.length === 0 || branches.some(isInFirst)))
    .map(({ path, keywords }) => ({ path, value: valueFor(keywords), type: 'string' as const }));
  return (nested(entries, ({ value }) => value) as { readonly sample?: Json }).sample ?? null;
}

/** Returns a sample of one value: its example, one of its allowed values, its default, or an invented one. */
export function valueFor(keywords: JsonObject): Json {
  const { example, examples, const: constant, enum: values, oneOf, anyOf, default: usual } = keywords;
  const [first] = listOf(oneOf ?? anyOf);
  const said = example ?? listOf(examples)[0] ?? constant ?? listOf(values)[0] ?? memberOf(first, 'const') ?? usual;
  if (said !== undefined) return keywords['type'] === 'string' && typeof said === 'number' ? String(said) : said;
  const { type = 'string', minimum, minLength, maxLength, format } = keywords;
  const number = typeof minimum === 'number' ? minimum : 1;
  const text = textOf(memberOf(BY_FORMAT, textOf(format))) || 'text';
  const long = text.padEnd(typeof minLength === 'number' ? Math.min(minLength, MAX_LENGTH) : 0, 'x');
  const string = long.slice(0, typeof maxLength === 'number' ? maxLength : MAX_LENGTH);
  const samples: JsonObject = { integer: number, number, boolean: false, object: {}, array: [], string };
  return memberOf(samples, textOf([type].flat().find((each) => each !== 'null'))) ?? null;
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
