import { memoize } from '../small.ts';
import type { Code, ValueType } from './codes.ts';
import type { Json } from './contract.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, partAt, textOf } from './json.ts';
import { ONLY_ELEMENT, type PlaceParts, writePlace } from './place.ts';

/** A place of a request that takes one value, and what the schema says of it. */
export interface FoundPlace extends PlaceParts {
  /** What all schemas of the place say, the first one first. */
  readonly keywords: JsonObject;
  readonly type: ValueType;
  /** The values that are allowed, or null if any is. */
  readonly codes: readonly Code[] | null;
  readonly maxLength: number | null;
  /** Whether it is required, in whatever form the request has. */
  readonly required: boolean;
  /** The branches of `oneOf` and `anyOf` that have the place, each within its own branches. None: it is in all requests. */
  readonly branches: readonly string[];
  /** Values that are the only ones allowed, by branch; `''` is every request. */
  readonly fixed: ReadonlyMap<string, Json>;
}

interface Part {
  readonly schema: JsonObject;
  readonly branch: string;
}

const MAX_PLACES = 2000;
const MAX_DEPTH = 12;
/** Parts that are looked at in all, because each name can have many. */
const MAX_PARTS = 20_000;
const MAX_BESIDE = 500;

/** Finds every place of a call's schema once, through `allOf`, `oneOf` and `anyOf`. */
export function placesIn(root: Json): readonly FoundPlace[] {
  const places: FoundPlace[] = [];
  let nodes = 0;
  let partsLeft = MAX_PARTS;
  for (const where of ['body', 'header', 'query'] as const) {
    const schema = memberOf(objectOf(root)['properties'], where);
    if (isObject(schema)) visit(where, [], [{ schema, branch: '' }], true);
  }
  return places;

  function withParts(starts: readonly Part[], at: string): Part[] {
    const parts = beside(root, starts, at).slice(0, partsLeft);
    partsLeft -= parts.length;
    return parts;
  }

  function visit(where: PlaceParts['in'], path: readonly string[], starts: readonly Part[], isRequired: boolean): void {
    nodes += 1;
    if (nodes > MAX_PLACES || path.length > MAX_DEPTH) return;
    const parts = withParts(starts, path.join('/'));
    const names = new Map<string, Part[]>();
    const required = new Set<Json>();
    for (const { schema, branch } of parts) {
      if (branch === starts[0]?.branch || branch === '')
        for (const name of listOf(schema['required'])) required.add(name);
      for (const [name, each] of Object.entries(objectOf(schema['properties']))) {
        if (each === false) continue;
        names.set(name, [...(names.get(name) ?? []), { schema: objectOf(each), branch }]);
      }
    }
    for (const [name, some] of names) visit(where, [...path, name], some, isRequired && required.has(name));
    if (names.size > 0 || path.length === 0) return;
    const elements = parts.flatMap(({ schema, branch }) =>
      isObject(schema['items']) ? [{ schema: schema['items'], branch }] : [],
    );
    const inner = withParts(elements, `${path.join('/')}/${ONLY_ELEMENT}`);
    const isList = elements.length > 0 || parts.some(({ schema }) => schema['type'] === 'array');
    if (inner.some(({ schema }) => isObject(schema['properties'])))
      visit(where, [...path, ONLY_ELEMENT], elements, isRequired);
    else if (isList) places.push(placeOf({ in: where, path: [...path, ONLY_ELEMENT] }, inner, isRequired));
    else places.push(placeOf({ in: where, path }, parts, isRequired));
  }
}

function placeOf(at: PlaceParts, parts: readonly Part[], isRequired: boolean): FoundPlace {
  const fixed = new Map<string, Json>();
  const codes: Code[] = [];
  const types: Json[] = [];
  for (const { schema, branch } of parts) {
    const values = constantsOf(schema);
    types.push(...[schema['type'] ?? values.map(({ value }) => typeof value)].flat());
    codes.push(...values.flatMap(({ value, label }) => (value === null ? [] : [{ value: String(value), label }])));
    if (values[0] !== undefined && values.length === 1 && !fixed.has(branch)) fixed.set(branch, values[0].value);
  }
  const sure = parts.filter(({ branch }) => branch === '');
  const isText = types.includes('string');
  const lengths = sure.flatMap(({ schema: { maxLength } }) => (typeof maxLength === 'number' ? [maxLength] : []));
  return {
    ...at,
    keywords: Object.assign({}, ...parts.toReversed().map(({ schema }) => schema)),
    type: (!isText && (['number', 'integer', 'boolean'] as const).find((each) => types.includes(each))) || 'string',
    codes: codes.length > 0 ? codes.filter(isFirst) : null,
    maxLength: lengths.length > 0 ? Math.min(...lengths) : null,
    required: isRequired && sure.length > 0,
    branches: sure.length > 0 ? [] : [...new Set(parts.map(({ branch }) => branch))],
    fixed,
  };
}

/** Tells whether a code is the first with its value and label. One without a label gives way to one that has it. */
export const isFirst = ({ value, label }: Code, at: number, all: readonly Code[]): boolean =>
  all.findIndex((each) => each.value === value && (each.label === label || label === null)) === at;

/** Returns the schemas that hold for one value beside each other. */
function beside(root: Json, starts: readonly Part[], at: string): Part[] {
  const found: Part[] = [];
  const pending = starts.toReversed();
  for (let part = pending.pop(); part !== undefined && found.length <= MAX_BESIDE; part = pending.pop()) {
    const { schema, branch } = part;
    found.push(part);
    const inner = [referred(root, schema) ?? null, ...listOf(schema['allOf'])]
      .filter(isObject)
      .map((each) => ({ schema: each, branch }));
    for (const key of constantsOf(schema).length > 0 ? [] : ['oneOf', 'anyOf']) {
      const all = listOf(schema[key]).filter((each) => objectOf(each)['type'] !== 'null');
      for (const [index, each] of all.entries()) {
        // One that is beside null alone is no choice.
        const own = all.length === 1 ? branch : `${branch}${at}/${key}/${index};`;
        inner.push({ schema: objectOf(each), branch: own });
      }
    }
    pending.push(...inner.toReversed());
  }
  return found;
}

/** Returns the schema that a schema refers to within its root. */
const referred = (root: Json, { $ref }: JsonObject): Json | undefined =>
  typeof $ref === 'string' ? partAt(root, $ref.slice(1)) : undefined;

/** Tells whether so many schemas hold for one value, through references that double, that nobody could check a row by them. */
export const isTangled = (root: Json): boolean =>
  Object.values({ ...objectOf(objectOf(root)['properties']), ...objectOf(objectOf(root)['$defs']) }).some(
    (each) => beside(root, [{ schema: objectOf(each), branch: '' }], '').length > MAX_BESIDE,
  );

/** Returns the values of a schema that lists them, by `const`, `enum` or a choice of constants, each with its name. */
function constantsOf(schema: JsonObject): { readonly value: Json; readonly label: string | null }[] {
  const { const: constant, enum: values, oneOf, anyOf, title } = schema;
  if (constant !== undefined) return [{ value: constant, label: textOf(title) || null }];
  const all = listOf(oneOf ?? anyOf).map(objectOf);
  if (all.length > 0 && all.every((each) => 'const' in each && each['properties'] === undefined))
    return all.flatMap(constantsOf);
  return listOf(values).map((value) => ({ value, label: null }));
}

const byPlace = memoize((schema: object) => new Map(placesIn(schema as JsonObject).map((each) => [keyOf(each), each])));

const keyOf = (place: PlaceParts): string =>
  place.in === 'header' ? writePlace(place).toLowerCase() : writePlace(place);

/** Returns what the schema of a call says of a place, or null if it does not know the place. */
export function placeFacts(schema: Json, { in: where, path }: PlaceParts): FoundPlace | null {
  if (!isObject(schema)) return null;
  const at = (names: readonly string[]) => byPlace(schema).get(keyOf({ in: where, path: names }));
  return at(path) ?? at([...path, ONLY_ELEMENT]) ?? null;
}

/** Returns the last name of a place that is no mark of a list. */
export const lastName = ({ path }: PlaceParts): string => path.findLast((name) => name !== ONLY_ELEMENT) ?? '';
