import { isObject, type JsonObject, listOf, memberOf, pointerTo, textOf } from '../documents/json-parts.ts';
import type { References } from '../documents/references.ts';
import type { Json } from '../version-1/contract.ts';
import { isCheapPattern } from './pattern-cost.ts';

/** A schema without references, in the keywords of JSON Schema 2020-12, whatever dialect the document uses. */
interface Expanded {
  readonly schema: JsonObject;
  /** References that could not be followed, with their places. An empty schema replaces each. */
  readonly unresolved: readonly string[];
  /** Other parts that were left out, with their places. */
  readonly problems: readonly string[];
}

/** Reads schemas of one document. */
export interface SchemaReader {
  /** Expands a schema. Recursive schemas are cut where they repeat, and everything beyond `maxNodes` is cut. */
  expand(schema: Json | undefined, pointer: string, maxNodes?: number): Expanded;
  /** Returns the place of an expanded schema in the document. */
  placeOf(schema: JsonObject): string;
}

const MAX_NODES = 20_000;
const MAX_DEPTH = 40;
const SCHEMA_KEYWORDS = ['items', 'not', 'if', 'then', 'else', 'contains', 'additionalProperties', 'propertyNames'];
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAP_KEYWORDS = ['properties', 'dependentSchemas'];
/** Matches keywords that only describe. All other keywords beside a reference narrow its target. */
const DESCRIBING =
  /^(?:\$ref|\$comment|summary|description|title|examples?|default|deprecated|readOnly|writeOnly|nullable|x-.*)$/;

export function createSchemaReader(references: References): SchemaReader {
  const places = new WeakMap<JsonObject, string>();

  function expand(root: Json | undefined, rootPointer: string, maxNodes = MAX_NODES): Expanded {
    const problems = new Set<string>();
    const unresolved = new Set<string>();
    let nodes = 0;

    function visit(value: Json | undefined, pointer: string, within: ReadonlySet<string>, depth: number): JsonObject {
      nodes += 1;
      if (nodes > maxNodes || depth > MAX_DEPTH) {
        problems.add(`${rootPointer} is too large; its deepest parts are left out`);
        return {};
      }
      if (value === false) return { not: {} };
      if (!isObject(value)) return {};
      const schema =
        typeof value['$ref'] === 'string'
          ? referred(value, pointer, within, depth)
          : { ...cleanKeywords(value, pointer, problems), ...parts(value, pointer, within, depth) };
      if (!places.has(schema)) places.set(schema, pointer);
      return schema;
    }

    function referred(value: JsonObject, pointer: string, within: ReadonlySet<string>, depth: number): JsonObject {
      const target = references.follow(value, pointer);
      if (target.problem !== null) unresolved.add(target.problem);
      if (target.problem !== null || within.has(target.pointer)) return {};
      const inner = visit(target.value, target.pointer, new Set([...within, target.pointer]), depth + 1);
      const beside = Object.fromEntries(Object.entries(value).filter(([name]) => name !== '$ref'));
      const described = { ...inner, ...cleanKeywords({ ...inner, ...onlyDescribing(beside) }, pointer, problems) };
      places.set(described, pointer);
      if (Object.keys(beside).every((name) => DESCRIBING.test(name))) return described;
      return { allOf: [described, visit(beside, pointer, within, depth + 1)] };
    }

    function parts(value: JsonObject, pointer: string, within: ReadonlySet<string>, depth: number): JsonObject {
      // One node more than allowed is expanded, so that the cut is noticed.
      const room = () => Math.max(0, maxNodes - nodes) + 1;
      return expandedParts(value, room, (each, ...names) =>
        visit(each, pointerTo(pointer, ...names), within, depth + 1),
      );
    }

    const schema = visit(root, rootPointer, new Set(), 0);
    return { schema, unresolved: [...unresolved], problems: [...problems] };
  }

  return { expand, placeOf: (schema) => places.get(schema) ?? '' };
}

/**
 * Returns the keywords of a schema that contain other schemas, each expanded by `expand`, which gets the names that lead
 * to it. `room` limits the length of lists and the number of members.
 */
function expandedParts(
  schema: JsonObject,
  room: () => number,
  expand: (part: Json | undefined, ...names: readonly string[]) => JsonObject,
): JsonObject {
  const found: Record<string, Json> = {};
  for (const word of SCHEMA_KEYWORDS) {
    const part = schema[word];
    if (part === false && word === 'additionalProperties') found[word] = false;
    else if (isObject(part) || typeof part === 'boolean') found[word] = expand(part, word);
  }
  for (const word of LIST_KEYWORDS) {
    const list = listOf(schema[word]).slice(0, room());
    if (list.length > 0) found[word] = list.map((each, index) => expand(named(schema, each), word, String(index)));
  }
  for (const word of MAP_KEYWORDS) {
    if (!isObject(schema[word])) continue;
    const members = Object.entries(schema[word]).slice(0, room());
    found[word] = Object.fromEntries(members.map(([name, each]) => [name, expand(each, word, name)]));
  }
  return found;
}

function onlyDescribing(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => DESCRIBING.test(name)));
}

/** Adds to a branch the constant by which a discriminator identifies it. */
function named(parent: JsonObject, branch: Json): Json {
  const discriminator = parent['discriminator'];
  const name = textOf(memberOf(discriminator, 'propertyName'));
  const reference = textOf(memberOf(branch, '$ref'));
  if (name === '' || reference === '') return branch;
  const mapping = memberOf(discriminator, 'mapping');
  const mapped = Object.entries(isObject(mapping) ? mapping : {}).find(
    ([, target]) => target === reference || target === reference.split('/').at(-1),
  );
  const value = mapped?.[0] ?? reference.split('/').at(-1) ?? '';
  return { allOf: [branch, { required: [name], properties: { [name]: { enum: [value] } } }] };
}

const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']);
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
/** Matches keywords that only the service checks, and the sandbox in part. */
const CONDITIONS = /^(?:if|not|dependent(?:Required|Schemas)|dependencies|(?:min|max)Properties)$/;
/** Matches keywords that annotate a schema without narrowing it. */
const ANNOTATIONS =
  /^(?:title|description|default|examples?|format|content(?:Encoding|MediaType)|(?:read|write)Only|deprecated|x-enum.*|x-.*)$/i;

/**
 * Returns the keywords of one schema that contain no other schemas, in JSON Schema 2020-12: `nullable` becomes a type,
 * and a boolean `exclusiveMinimum` becomes a number. Keywords of the wrong type are left out, and so are patterns that
 * could backtrack catastrophically.
 */
function cleanKeywords(schema: JsonObject, pointer: string, problems: Set<string>): JsonObject {
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

/**
 * Returns the required names. Many documents also mark the property itself as required, against the standard, and these
 * names are included.
 */
function requiredNames(schema: JsonObject): string[] {
  const names = listOf(schema['required']).filter((each): each is string => typeof each === 'string');
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const marked = properties.filter(([, each]) => isObject(each) && each['required'] === true).map(([name]) => name);
  return [...new Set([...names, ...marked])];
}
