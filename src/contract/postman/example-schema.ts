import type { Json } from '../../request/contract.ts';
import { isObject, type JsonObject } from '../documents/json-parts.ts';
import { isUnknown, isUnquoted } from './postman-variables.ts';

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 20;

/** Tells whether a value is nested more deeply than in any real service. */
export function isTooDeep(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === MAX_DEPTH || Object.values(value).some((each) => isTooDeep(each, depth + 1));
}

/** Derives a JSON Schema from an example. It contains the names and types, and nothing is required. */
export function schemaOf(example: Json): JsonObject {
  if (example === null) return {};
  if (Array.isArray(example)) {
    const items = example.slice(0, MAX_ELEMENTS).map(schemaOf);
    return { type: 'array', items: items.length === 0 ? {} : items.reduce(mergedSchemas) };
  }
  if (isObject(example)) {
    const properties = Object.entries(example).map(([name, each]) => [name, schemaOf(each)] as const);
    return withFixedType({ type: 'object', properties: Object.fromEntries(properties) }, example);
  }
  if (typeof example === 'string') return textSchema(example);
  const type = Number.isInteger(example) ? 'integer' : typeof example;
  return { type, example };
}

/** Makes the type constant that is beside the attributes in JSON:API, because it is always the same. */
function withFixedType(schema: { type: 'object'; properties: JsonObject }, example: JsonObject): JsonObject {
  const { type, attributes } = example;
  if (typeof type !== 'string' || isUnknown(type) || !isObject(attributes)) return schema;
  return { ...schema, properties: { ...schema.properties, type: { ...schemaOf(type), enum: [type] } } };
}

function textSchema(example: string): JsonObject {
  if (isUnquoted(example)) return { type: 'number' };
  return isUnknown(example) ? { type: 'string' } : { type: 'string', example };
}

/** Merges two schemas to one that allows the values of both. Names and examples of the first come first. */
export function mergedSchemas(first: JsonObject, second: JsonObject): JsonObject {
  if (first['type'] === undefined || second['type'] === undefined) return { ...second, ...first };
  const numbers = [first, second].every(({ type }) => type === 'integer' || type === 'number');
  if (first['type'] !== second['type']) return numbers ? { ...second, ...first, type: 'number' } : {};
  const { enum: values, items, properties } = first;
  if (Array.isArray(values) && Array.isArray(second['enum'])) {
    return { ...second, ...first, enum: [...new Set([...values, ...second['enum']])] };
  }
  if (isObject(items) && isObject(second['items'])) return { ...first, items: mergedSchemas(items, second['items']) };
  if (!isObject(properties) || !isObject(second['properties'])) return { ...second, ...first };
  return { ...first, properties: mergedProperties(properties, second['properties']) };
}

function mergedProperties(first: JsonObject, second: JsonObject): JsonObject {
  const merged = new Map(Object.entries(first));
  for (const [name, each] of Object.entries(second)) {
    const known = merged.get(name);
    merged.set(name, isObject(known) && isObject(each) ? mergedSchemas(known, each) : each);
  }
  return Object.fromEntries(merged);
}

/** Removes unknown values from an example. Returns undefined if nothing is left. */
export function knownPart(example: Json): Json | undefined {
  if (typeof example === 'string') return isUnknown(example) ? undefined : example;
  if (Array.isArray(example)) return example.flatMap((each) => knownPart(each) ?? []);
  if (!isObject(example)) return example;
  const members = Object.entries(example).flatMap(([name, each]) => {
    const known = knownPart(each);
    return known === undefined ? [] : [[name, known] as const];
  });
  return Object.fromEntries(members);
}
