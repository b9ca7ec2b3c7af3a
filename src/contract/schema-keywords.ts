import type { Json } from '../model/contract.ts';
import type { JsonObject } from './described.ts';
import { isObject, listOf } from './json-parts.ts';
import { isCheapPattern } from './pattern-cost.ts';

const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']);
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
/** What of a body only the service checks, and the sandbox in part. */
const CONDITIONS = /^(?:if|not|dependent(?:Required|Schemas)|dependencies|(?:min|max)Properties)$/;
/** What says something of a schema without narrowing it. */
const ANNOTATIONS =
  /^(?:title|description|default|examples?|format|content(?:Encoding|MediaType)|(?:read|write)Only|deprecated|x-enum.*|x-.*)$/i;

/**
 * The keywords of one schema that hold no other schemas, in the words of JSON Schema 2020-12: `nullable` becomes a type,
 * a boolean `exclusiveMinimum` a number; what has the wrong type is left out, and so is a pattern that could run away.
 */
export function cleanKeywords(schema: JsonObject, pointer: string, problems: Set<string>): JsonObject {
  const clean: Record<string, Json> = {};
  for (const [name, value] of Object.entries(schema)) if (ANNOTATIONS.test(name)) clean[name] = value;
  if (schema['type'] === 'file') clean['format'] = 'binary';
  const types = typesOf(schema);
  if (types.length > 0) clean['type'] = types.length === 1 ? (types[0] ?? '') : types;
  Object.assign(clean, valuesOf(schema), boundsOf(schema));
  if (schema['uniqueItems'] === true) clean['uniqueItems'] = true;
  const required = requiredNames(schema);
  if (required.length > 0) clean['required'] = required;
  const pattern = schema['pattern'];
  if (typeof pattern === 'string') {
    if (isCheapPattern(pattern)) clean['pattern'] = pattern;
    else problems.add(`${pointer}/pattern is left to the service: it is no pattern, or could take for ever`);
  }
  const conditions = Object.keys(schema).filter((name) => CONDITIONS.test(name));
  if (conditions.length > 0)
    problems.add(`${pointer}: ${conditions.join(', ')}: left to the service, not checked here`);
  return clean;
}

function typesOf(schema: JsonObject): string[] {
  const said = schema['type'];
  const names = (Array.isArray(said) ? said : [said]).map((each) => (each === 'file' ? 'string' : each));
  const types = new Set(names.filter((each): each is string => typeof each === 'string' && TYPES.has(each)));
  const isNullable = schema['nullable'] === true || schema['x-nullable'] === true;
  return types.size > 0 && isNullable ? [...types.add('null')] : [...types];
}

function valuesOf(schema: JsonObject): JsonObject {
  const isNullable = schema['nullable'] === true || schema['x-nullable'] === true;
  const values = listOf(schema['enum']);
  return {
    ...(schema['const'] === undefined ? {} : { const: schema['const'] }),
    ...(values.length === 0 ? {} : { enum: isNullable && !values.includes(null) ? [...values, null] : values }),
  };
}

function boundsOf(schema: JsonObject): JsonObject {
  const found: Record<string, number> = {};
  for (const name of COUNTS) {
    const count = schema[name];
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0) found[name] = count;
  }
  for (const name of BOUNDS) {
    const bound = schema[name];
    if (typeof bound === 'number') found[name] = bound;
  }
  for (const [inclusive, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const bound = found[inclusive];
    if (schema[exclusive] !== true || bound === undefined) continue;
    found[exclusive] = bound;
    delete found[inclusive];
  }
  const step = schema['multipleOf'];
  return { ...found, ...(typeof step === 'number' && step > 0 ? { multipleOf: step } : {}) };
}

/** Also what is marked as required at the property itself, as many write it against the standard. */
function requiredNames(schema: JsonObject): string[] {
  const names = listOf(schema['required']).filter((each): each is string => typeof each === 'string');
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const marked = properties.filter(([, each]) => isObject(each) && each['required'] === true).map(([name]) => name);
  return [...new Set([...names, ...marked])];
}
