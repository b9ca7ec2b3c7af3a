import { isObject, type JsonObject } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { isCheapPattern } from './pattern-cost.ts';

const MAX_CHARACTERS = 256 * 1024;
const MAX_DEPTH = 200;
/** Maximum depth of `allOf` that is examined. */
const MAX_PARTS = 20;
const PLAIN =
  /^(?:type|enum|const|required|pattern|(?:min|max)(?:Length|Items|Properties|imum)|minimum|maximum|exclusive(?:Minimum|Maximum)|multipleOf|uniqueItems)$/;
const ONE = /^(?:items|not|if|then|else|contains|additionalProperties|unevaluatedProperties|propertyNames)$/;
const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/;
const MAP = /^(?:properties|dependentSchemas)$/;

/**
 * Reduces a schema without references to what a validator needs, and removes the parts that only the service may set
 * (`readOnly`). If a part of an `allOf` forbids members other than its own, the members of all parts are allowed. Taken
 * literally, such closed parts would allow nothing. Returns null if the result is too large or too deep to be kept.
 */
export function validationSchema(schema: JsonObject): Json {
  const budget = { left: MAX_CHARACTERS };
  const reduced = reduce(schema, budget, 0);
  return budget.left > 0 && JSON.stringify(reduced).length <= MAX_CHARACTERS ? reduced : null;
}

interface Budget {
  left: number;
}

const NONE: ReadonlySet<string> = new Set();

function reduce(schema: JsonObject, budget: Budget, depth: number, above: ReadonlySet<string> = NONE): JsonObject {
  const { additionalProperties, ...own } = schema;
  if (!isClosedWhole(schema)) return reduceWords(schema, budget, depth, above);
  const kept = isObject(additionalProperties) ? schema : own;
  return {
    ...reduceWords({ ...kept, allOf: partsOf(schema).map((part) => opened(part)) }, budget, depth, above),
    unevaluatedProperties: false,
  };
}

const partsOf = ({ allOf }: JsonObject): readonly Json[] => (Array.isArray(allOf) ? allOf : []);

/** Tells whether a schema with several parts forbids further members, either itself or in one of its parts. */
const isClosedWhole = (schema: JsonObject): boolean => partsOf(schema).length > 0 && isClosed(schema, 0);

const isClosed = (schema: Json, depth: number): boolean =>
  isObject(schema) &&
  (schema['additionalProperties'] === false ||
    (depth < MAX_PARTS && partsOf(schema).some((part) => isClosed(part, depth + 1))));

/** Returns a part without its restriction on further members. */
function opened(part: Json, depth = 0): Json {
  if (!isObject(part) || !isClosed(part, depth)) return part;
  const { additionalProperties, ...own } = part;
  const parts = partsOf(part).map((each) => opened(each, depth + 1));
  return { ...(additionalProperties === false ? own : part), ...(parts.length > 0 && { allOf: parts }) };
}

function reduceWords(schema: JsonObject, budget: Budget, depth: number, above: ReadonlySet<string>): JsonObject {
  budget.left = depth > MAX_DEPTH ? 0 : budget.left - 2;
  if (budget.left <= 0) return {};
  const inner = (each: Json): Json => (isObject(each) ? reduce(each, budget, depth + 1) : each);
  const hidden = new Set([...above, ...hiddenNames(schema, 0)]);
  const part = (each: Json): Json => (isObject(each) ? reduce(each, budget, depth + 1, hidden) : each);
  return Object.fromEntries(
    Object.entries(schema).flatMap(([word, value]): [string, Json][] => {
      if (word === 'required' && Array.isArray(value))
        return [[word, value.filter((each) => !hidden.has(String(each)))]];
      if (word === 'pattern' && !(typeof value === 'string' && isCheapPattern(value))) return [];
      if (PLAIN.test(word)) return [[word, value]];
      if (ONE.test(word)) return [[word, inner(value)]];
      if (LIST.test(word) && Array.isArray(value)) return [[word, value.map(word === 'allOf' ? part : inner)]];
      if (!MAP.test(word) || !isObject(value)) return [];
      const members = Object.entries(value).filter(([name]) => word !== 'properties' || !hidden.has(name));
      return [[word, Object.fromEntries(members.map(([name, each]) => [name, inner(each)]))]];
    }),
  );
}

/** Returns the names of the members that only the service may set, those of the parts of the schema included. */
function hiddenNames(schema: JsonObject, depth: number): readonly string[] {
  const own = Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).flatMap(readOnlyName);
  const parts = depth > MAX_PARTS ? [] : partsOf(schema).filter(isObject);
  return [...own, ...parts.flatMap((part) => hiddenNames(part, depth + 1))];
}

const readOnlyName = ([name, schema]: [string, Json]): string[] =>
  isObject(schema) && schema['readOnly'] === true ? [name] : [];
