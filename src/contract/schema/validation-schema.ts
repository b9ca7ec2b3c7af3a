import type { Json } from '../../request/contract.ts';
import { isObject, type JsonObject } from '../documents/json-parts.ts';
import { isCheapPattern } from './pattern-cost.ts';

const MAX_CHARACTERS = 256 * 1024;
const MAX_DEPTH = 200;
const PLAIN =
  /^(?:type|enum|const|required|pattern|(?:min|max)(?:Length|Items|Properties|imum)|minimum|maximum|exclusive(?:Minimum|Maximum)|multipleOf|uniqueItems)$/;
const ONE = /^(?:items|not|if|then|else|contains|additionalProperties|propertyNames)$/;
const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/;
const MAP = /^(?:properties|dependentSchemas)$/;

/**
 * Reduces a schema without references to what a validator needs, without the parts that only the service may set
 * (`readOnly`). Returns null if the result is too large or too deep to be kept.
 */
export function validationSchema(schema: JsonObject): Json {
  const budget = { left: MAX_CHARACTERS };
  const reduced = reduce(schema, budget, 0);
  return budget.left > 0 && JSON.stringify(reduced).length <= MAX_CHARACTERS ? reduced : null;
}

function reduce(schema: JsonObject, budget: { left: number }, depth: number): JsonObject {
  budget.left = depth > MAX_DEPTH ? 0 : budget.left - 2;
  if (budget.left <= 0) return {};
  const inner = (each: Json): Json => (isObject(each) ? reduce(each, budget, depth + 1) : each);
  const hidden = new Set(
    Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).flatMap(readOnlyName),
  );
  return Object.fromEntries(
    Object.entries(schema).flatMap(([word, value]): [string, Json][] => {
      if (word === 'required' && Array.isArray(value))
        return [[word, value.filter((each) => !hidden.has(String(each)))]];
      if (word === 'pattern' && !(typeof value === 'string' && isCheapPattern(value))) return [];
      if (PLAIN.test(word)) return [[word, value]];
      if (ONE.test(word)) return [[word, inner(value)]];
      if (LIST.test(word) && Array.isArray(value)) return [[word, value.map(inner)]];
      if (!MAP.test(word) || !isObject(value)) return [];
      const members = Object.entries(value).filter(([name]) => word !== 'properties' || !hidden.has(name));
      return [[word, Object.fromEntries(members.map(([name, each]) => [name, inner(each)]))]];
    }),
  );
}

const readOnlyName = ([name, schema]: [string, Json]): string[] =>
  isObject(schema) && schema['readOnly'] === true ? [name] : [];
