import type { Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, textOf } from './json.ts';

/** A place of a body that takes one value. */
export interface FoundPlace {
  /** Names from the top. `0` stands for the only element of a list. */
  readonly path: readonly string[];
  /** What all schemas of the place say, the first one first. */
  readonly keywords: JsonObject;
  /**
   * Where the names begin that are each required in the object around them: 0 if every request holds the place, the number
   * of names if it may be left out of its object.
   */
  readonly requiredFrom: number;
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

/** Returns every place of a schema once, through `allOf`, `oneOf` and `anyOf`. References lead to `defs`. */
export function placesOf(schema: Json, defs: JsonObject): FoundPlace[] {
  const places: FoundPlace[] = [];
  let nodes = 0;
  let partsLeft = MAX_PARTS;
  visit([], [{ schema: objectOf(schema), branch: '' }], 0);
  return places;

  function withParts(starts: readonly Part[], at: string): Part[] {
    const parts = beside(starts, at, defs).slice(0, partsLeft);
    partsLeft -= parts.length;
    return parts;
  }

  function visit(path: readonly string[], starts: readonly Part[], requiredFrom: number): void {
    nodes += 1;
    if (nodes > MAX_PLACES || path.length > MAX_DEPTH) return;
    const parts = withParts(starts, path.join('/'));
    const names = new Map<string, Part[]>();
    const required = new Set<string>();
    for (const { schema, branch } of parts) {
      if (branch === starts[0]?.branch || branch === '')
        for (const name of listOf(schema['required'])) required.add(textOf(name));
      for (const [name, each] of Object.entries(objectOf(schema['properties']))) {
        if (objectOf(each)['readOnly'] === true || isNever(each)) continue;
        const part = { schema: objectOf(each), branch };
        const known = names.get(name);
        if (known === undefined) names.set(name, [part]);
        else known.push(part);
      }
    }
    for (const [name, some] of names) {
      visit([...path, name], some, required.has(name) ? requiredFrom : path.length + 1);
    }
    if (names.size > 0) return;
    const elements = parts.flatMap(({ schema, branch }) =>
      isObject(schema['items']) ? [{ schema: schema['items'], branch }] : [],
    );
    const isOfObjects = withParts(elements, `${path.join('/')}/0`).some(({ schema }) => isObject(schema['properties']));
    const isList = elements.length > 0 || parts.some(({ schema }) => schema['type'] === 'array');
    if (isOfObjects) visit([...path, '0'], elements, requiredFrom);
    else if (path.length > 0 && !isList) add(path, parts, requiredFrom);
    else if (path.length > 0) add([...path, '0'], withParts(elements, ''), requiredFrom);
  }

  function add(path: readonly string[], parts: readonly Part[], requiredFrom: number): void {
    const keywords: Record<string, Json> = Object.assign({}, ...parts.toReversed().map(({ schema }) => schema));
    const named = constantsIn(keywords);
    if (named.length > 0) keywords['enum'] = named;
    const fixed = new Map<string, Json>();
    for (const { schema, branch } of parts) {
      const values = 'const' in schema ? [schema['const']] : listOf(schema['enum']);
      if (values.length === 1 && values[0] !== undefined && !fixed.has(branch)) fixed.set(branch, values[0]);
    }
    const branches = [...new Set(parts.map(({ branch }) => branch))];
    const isEverywhere = branches.includes('');
    places.push({ path, keywords, requiredFrom, branches: isEverywhere ? [] : branches, fixed });
  }
}

/** Returns the schemas that hold for one value beside each other. */
function beside(starts: readonly Part[], at: string, defs: JsonObject): Part[] {
  const found: Part[] = [];
  const pending = starts.toReversed();
  for (let part = pending.pop(); part !== undefined && found.length <= MAX_BESIDE; part = pending.pop()) {
    const { schema, branch } = part;
    found.push(part);
    const reference = memberOf(defs, textOf(schema['$ref']).slice('#/$defs/'.length));
    const inner = [...(reference === undefined ? [] : [reference]), ...listOf(schema['allOf'])].map(
      (each): Part => ({ schema: objectOf(each), branch }),
    );
    for (const key of constantsIn(schema).length > 0 ? [] : ['oneOf', 'anyOf']) {
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

/** Tells whether so many schemas hold for one value, through references that double, that nobody could check a row by them. */
export const isTangled = (schema: Json, defs: JsonObject): boolean =>
  [schema, ...Object.values(defs)].some(
    (each) => beside([{ schema: objectOf(each), branch: '' }], '', defs).length > MAX_BESIDE,
  );

/** Returns the values of a schema that lists them one by one, each with its name. */
function constantsIn({ oneOf, anyOf }: JsonObject): Json[] {
  const all = listOf(oneOf ?? anyOf).map((each) => objectOf(each));
  return all.length > 0 && all.every((each) => 'const' in each && each['properties'] === undefined)
    ? all.flatMap((each) => each['const'] ?? [])
    : [];
}

/** Returns the last name of a place that is no mark of a list. */
export const lastName = (path: readonly string[]): string => path.findLast((name) => name !== '0') ?? '';

const isNever = (schema: Json): boolean => schema === false;

/** Tells whether every request that holds a place of these branches is in `branch`. */
export const areWithinBranch = (branches: readonly string[], branch: string): boolean =>
  branches.every((each) => each.startsWith(branch));

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '6f1c0d4e-2b7a-4c3e-9d58-0a1b2c3d4e5f',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ana@example.com',
  uri: 'https://example.com/',
};
const MAX_SAMPLE = 1000;
/** Schemas that are looked at for one sample. */
const MAX_SAMPLED = 2000;

/** Makes a sample of a schema: its example, one of its allowed values, its default, or an invented value. */
export function sampleOf(schema: Json, defs: JsonObject, depth = 0, budget = { left: MAX_SAMPLED }): Json {
  budget.left -= 1;
  if (budget.left < 0) return null;
  const whole = objectOf(schema);
  const said =
    whole['example'] ?? listOf(whole['examples'])[0] ?? whole['const'] ?? listOf(whole['enum'])[0] ?? whole['default'];
  if (said !== undefined) return whole['type'] === 'string' && typeof said === 'number' ? String(said) : said;
  const target = memberOf(defs, textOf(whole['$ref']).slice('#/$defs/'.length));
  const beside = [target, ...listOf(whole['allOf']), listOf(whole['oneOf'])[0], listOf(whole['anyOf'])[0]];
  const parts =
    depth > 10 ? [] : beside.flatMap((each) => (each === undefined ? [] : [sampleOf(each, defs, depth + 1, budget)]));
  const members = Object.entries(objectOf(whole['properties'])).slice(0, depth > 10 ? 0 : 50);
  if (members.length > 0 || parts.some(isObject)) {
    const own = members.map(([name, each]) => [name, sampleOf(each, defs, depth + 1, budget)] as const);
    return Object.assign({}, ...parts.filter(isObject), Object.fromEntries(own)) as JsonObject;
  }
  if (parts.length > 0) return parts[0] ?? null;
  return sampleScalar(whole, (items) => (depth > 10 ? [] : [sampleOf(items, defs, depth + 1, budget)]));
}

function sampleScalar(keywords: JsonObject, listWith: (items: Json) => Json): Json {
  const [type] = [keywords['type']].flat().filter((each) => each !== 'null');
  const { minimum, minLength, maxLength, items, format } = keywords;
  if (type === 'array' || items !== undefined) return listWith(items ?? {});
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return false;
  if (type === 'object') return {};
  if (type !== 'string') return type === undefined ? 'text' : null;
  const text = textOf(memberOf(BY_FORMAT, textOf(format))) || 'text';
  const long = text.padEnd(typeof minLength === 'number' ? Math.min(minLength, MAX_SAMPLE) : 0, 'x');
  return long.slice(0, typeof maxLength === 'number' ? maxLength : MAX_SAMPLE);
}

/** Derives a schema from an example, in which nothing is required. Values are kept only if that is wanted. */
export function schemaOf(example: Json, keepsValues = true, depth = 0): JsonObject {
  if (example === null || depth > 32) return {};
  if (Array.isArray(example))
    return { type: 'array', items: example.length === 0 ? {} : schemaOf(example[0] ?? null, keepsValues, depth + 1) };
  if (isObject(example)) {
    const members = Object.entries(example).map(([name, each]) => [name, schemaOf(each, keepsValues, depth + 1)]);
    return { type: 'object', properties: Object.fromEntries(members) };
  }
  const type = typeof example === 'number' ? (Number.isInteger(example) ? 'integer' : 'number') : typeof example;
  return keepsValues ? { type, example } : { type };
}
