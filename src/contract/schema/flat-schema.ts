import { isObject, type JsonObject, listOf, textOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';

/** A schema whose `allOf` is merged. If it allows several forms, it is reduced to the one that matters. */
export interface FlatSchema {
  /** Keywords other than properties and branches. */
  readonly keywords: JsonObject;
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  /** Lists of branches, one list for each `oneOf` and `anyOf`. One branch of each list has to match. */
  readonly branches: readonly (readonly JsonObject[])[];
}

/** The keyword under which labels of an `enum` are kept. */
const LABELS = 'x-enum-labels';
const LABEL_KEYWORDS = [
  LABELS,
  'x-enumNames',
  'x-enum-varnames',
  'x-enum-names',
  'x-enum-descriptions',
  'x-enumDescriptions',
];
/** Maximum depth of `allOf`. Deeper ones are cut. */
const MAX_DEPTH = 20;

/** Merges the `allOf` of a schema and the branches that are not alternatives between objects. */
export function flatten(schema: JsonObject, depth = 0): FlatSchema {
  const { properties, required, allOf, anyOf, oneOf, ...keywords } = schema;
  let flat: FlatSchema = {
    keywords,
    properties: new Map(isObject(properties) ? Object.entries(properties).filter(isSchema) : []),
    required: new Set(listOf(required).filter((each) => typeof each === 'string')),
    branches: [],
  };
  if (depth > MAX_DEPTH) return flat;
  for (const part of listOf(allOf).filter(isObject)) flat = mergeFlat(flat, flatten(part, depth + 1));
  for (const list of [oneOf, anyOf]) flat = withBranches(flat, listOf(list).filter(isObject), depth);
  return flat;
}

const isSchema = (member: [string, Json]): member is [string, JsonObject] => isObject(member[1]);

/** Merges two schemas to one that demands both. */
export function mergeFlat(one: FlatSchema, other: FlatSchema): FlatSchema {
  const properties = new Map(one.properties);
  for (const [name, schema] of other.properties) {
    const before = properties.get(name);
    properties.set(name, before === undefined || before === schema ? schema : { allOf: [before, schema] });
  }
  return {
    keywords: mergeKeywords(one.keywords, other.keywords),
    properties,
    required: new Set([...one.required, ...other.required]),
    branches: [...one.branches, ...other.branches],
  };
}

function mergeKeywords(one: JsonObject, other: JsonObject): JsonObject {
  const after = new Set(listOf(other['enum']));
  const common = listOf(one['enum']).filter((each) => after.has(each));
  const type = other['type'] ?? one['type'];
  return {
    ...one,
    ...other,
    ...(common.length > 0 ? { enum: common } : {}),
    ...(type === undefined ? {} : { type }),
  };
}

function withBranches(flat: FlatSchema, list: readonly JsonObject[], depth: number): FlatSchema {
  const branches = list.filter((each) => each['type'] !== 'null');
  const [only] = branches;
  if (only === undefined) return flat;
  if (branches.length === 1) return mergeFlat(flat, flatten(only, depth + 1));
  const flats = branches.map((each) => flatten(each, depth + 1));
  if (flats.some(({ properties, required, branches: inner }) => properties.size + required.size + inner.length > 0)) {
    return { ...flat, branches: [...flat.branches, branches] };
  }
  return mergeFlat(flat, oneOfScalars(flats.map(({ keywords }) => keywords)));
}

/** Merges alternative scalars to one that allows the values of all of them. */
function oneOfScalars(branches: readonly JsonObject[]): FlatSchema {
  const values = branches.map(valuesOf);
  const types = [...new Set(branches.flatMap(typesOf))];
  const labels = branches.map((each) => textOf(each['title']) || textOf(each['description']) || null);
  const isEnum = values.every((each) => each.length > 0);
  const keywords = {
    ...(types.length > 0 ? { type: types } : {}),
    ...(isEnum ? { enum: values.flat() } : {}),
    ...(isEnum && values.every((each) => each.length === 1) ? { [LABELS]: labels } : {}),
  };
  return { keywords, properties: new Map(), required: new Set(), branches: [] };
}

/** Returns the values that a schema allows. An empty list means any value. */
export function valuesOf(keywords: JsonObject): readonly Json[] {
  return keywords['const'] === undefined ? listOf(keywords['enum']) : [keywords['const']];
}

/** Returns the types that a schema allows. An empty list means any type. */
export function typesOf(keywords: JsonObject): readonly string[] {
  const type = keywords['type'];
  return (Array.isArray(type) ? type : [type]).filter((each): each is string => typeof each === 'string');
}

/** Returns the labels of the values of an `enum`, in its order, with null for a value without one. */
export function labelsOf(keywords: JsonObject): readonly (string | null)[] {
  const values = valuesOf(keywords);
  for (const word of LABEL_KEYWORDS) {
    const said = keywords[word];
    if (Array.isArray(said)) return values.map((_, index) => textOf(said[index]) || null);
    if (isObject(said))
      return values.map((value) => (typeof value === 'object' ? null : textOf(said[String(value)]) || null));
  }
  return values.map(() => null);
}
