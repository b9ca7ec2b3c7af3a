import { isObject, type JsonObject, listOf } from '../documents/json-parts.ts';
import type { SchemaReader } from '../schema/expand-schema.ts';
import { type FlatSchema, flatten, mergeFlat, typesOf, valuesOf } from '../schema/flat-schema.ts';
import { type Json, ONLY_ELEMENT } from '../version-1/contract.ts';

/** A value that a body can hold, at any depth. */
export interface Leaf {
  readonly path: readonly string[];
  /** Keywords of the value, or of the elements if it is a list of scalars. */
  readonly keywords: JsonObject;
  readonly shape: 'scalar' | 'list' | 'object';
  readonly required: boolean;
  /**
   * Path of the optional object in which the value is required once the object holds anything, or null if there is
   * none.
   */
  readonly requiredWithin: readonly string[] | null;
  readonly where: string;
  /**
   * The places within the only element, if it is a list of objects. Their paths continue with the name of that element.
   */
  readonly elements: readonly Leaf[];
}

/** One way to meet a choice, as places in the body. */
interface LeafAlternative {
  readonly paths: readonly (readonly string[])[];
  readonly constants: readonly { readonly path: readonly string[]; readonly value: Json }[];
}

/** The values that a body can hold, and the choices between groups of them. */
export interface BodyLeaves {
  readonly leaves: readonly Leaf[];
  readonly choices: readonly (readonly LeafAlternative[])[];
}

/** Maximum depth of objects. Real requests are not deeper. A list and its element count as one level. */
const MAX_DEPTH = 7;
const MAX_BRANCHES = 24;
/**
 * Maximum number of leaves. They are counted again for each branch, because a branch is read together with everything
 * beside it.
 */
const MAX_LEAVES = 50_000;

/** Tells whether a name in a path stands for the only element of a list. */
export const isElement = (name: string): boolean => name === ONLY_ELEMENT;

/** Returns places together with those within the elements of lists. */
export function withElements(leaves: readonly Leaf[]): Leaf[] {
  return leaves.flatMap((leaf) => [leaf, ...withElements(leaf.elements)]);
}

const depthOf = (path: readonly string[]): number => path.filter((name) => !isElement(name)).length;

/** Returns a path as a text, for use as a key. */
export const pathKey = (path: readonly string[]): string => path.join('\u0000');

/** Tells whether a path leads further into the object at another one. */
export const isBelow = (path: readonly string[], parent: readonly string[]): boolean =>
  path.length > parent.length && parent.every((name, at) => path[at] === name);

/** The place of a value in the body and in the document. */
interface LeafPlace {
  readonly path: readonly string[];
  /** The path of the nearest enclosing object that is not required, or null if all are required. */
  readonly optional: Leaf['requiredWithin'];
  readonly where: string;
}

/** Returns all values that a body can hold, and the choices of values that are required together. */
export function bodyLeaves(schema: JsonObject, { placeOf }: Pick<SchemaReader, 'placeOf'>): BodyLeaves {
  const budget = { leaves: MAX_LEAVES };
  return read(flatten(schema), { path: [], optional: null, where: placeOf(schema) });

  function read(flat: FlatSchema, at: LeafPlace): BodyLeaves {
    const base = readProperties(flat.branches.length === 0 ? withUndescribed(flat) : { ...flat, branches: [] }, at);
    return flat.branches.reduce((before, list) => {
      const branches = list.slice(0, MAX_BRANCHES).map((branch) => {
        const { branches: inner, ...rest } = flatten(branch);
        return read(mergeFlat({ ...flat, branches: [] }, { ...rest, branches: inner }), at);
      });
      return withChoice(before, base, branches, at.optional === null);
    }, base);
  }

  function readProperties(flat: FlatSchema, { path, optional, where }: LeafPlace): BodyLeaves {
    // A member with the name that stands for an element could not be distinguished from one, so it is left out.
    const members = [...flat.properties].filter(([name]) => !isElement(name));
    const parts = members.map(([name, schema]): BodyLeaves => {
      const place = placeOf(schema) || placeOf(objectAt(schema['allOf'])) || where;
      return readProperty(flatten(schema), { path: [...path, name], optional, where: place }, flat.required.has(name));
    });
    return {
      leaves: parts.flatMap(({ leaves }) => leaves),
      choices: parts.flatMap(({ choices }) => choices),
    };
  }

  function readProperty(flat: FlatSchema, { path, optional, where }: LeafPlace, isRequired: boolean): BodyLeaves {
    budget.leaves -= 1;
    if (flat.keywords['readOnly'] === true || budget.leaves < 0) return { leaves: [], choices: [] };
    const required = isRequired && optional === null;
    const requiredWithin = isRequired ? optional : null;
    const leaf = (
      { keywords, shape }: Pick<Leaf, 'keywords' | 'shape'>,
      elements: readonly Leaf[] = [],
    ): BodyLeaves => ({
      leaves: [{ path, keywords, shape, required, requiredWithin, where, elements }],
      choices: [],
    });
    if (flat.properties.size > 0 || flat.branches.length > 0) {
      return depthOf(path) < MAX_DEPTH
        ? read(flat, { path, optional: isRequired ? optional : path, where })
        : leaf({ shape: 'object', keywords: flat.keywords });
    }
    const items = itemsOf(flat);
    const isListOfObjects = items.properties.size > 0 || items.branches.length > 0;
    if (!isListOfObjects || depthOf(path) >= MAX_DEPTH) return leaf(leafShape(flat));
    const element = { path: [...path, ONLY_ELEMENT], optional: isRequired ? optional : path, where };
    return leaf(leafShape(flat), read(items, element).leaves);
  }
}

/** Adds the members that are required but not described, as happens where a reference has siblings. */
function withUndescribed(flat: FlatSchema): FlatSchema {
  const missing = [...flat.required].filter((name) => !flat.properties.has(name));
  return { ...flat, properties: new Map([...flat.properties, ...missing.map((name) => [name, {}] as const)]) };
}

/**
 * Returns the paths of the objects that a body must contain, whatever they hold. Of nested ones only the innermost is
 * returned.
 */
export function requiredObjects(schema: JsonObject, path: readonly string[] = []): readonly (readonly string[])[] {
  const { keywords, properties, required, branches } = flatten(schema);
  const isObjectAlone = path.length > 0 && properties.size > 0 && branches.length === 0;
  if (keywords['readOnly'] === true || depthOf(path) >= MAX_DEPTH) return [];
  const inner = [...properties].flatMap(([name, each]) =>
    required.has(name) ? requiredObjects(each, [...path, name]) : [],
  );
  return inner.length > 0 || !isObjectAlone ? inner : [path];
}

/** Returns the schema of a list's elements, which is empty for everything else. */
function itemsOf({ keywords }: FlatSchema): FlatSchema {
  const isList = typesOf(keywords).includes('array');
  return flatten(isList && isObject(keywords['items']) ? keywords['items'] : {});
}

/** Returns the shape of a value without properties and branches, and the keywords that describe it. */
function leafShape(flat: FlatSchema): Pick<Leaf, 'shape' | 'keywords'> {
  const { keywords } = flat;
  const types = typesOf(keywords).filter((type) => type !== 'null');
  if (!types.includes('array'))
    return { shape: types.length === 1 && types[0] === 'object' ? 'object' : 'scalar', keywords };
  const items = itemsOf(flat);
  const isScalar = items.properties.size === 0 && !typesOf(items.keywords).some((each) => /array|object/.test(each));
  if (!isScalar) return { shape: 'object', keywords };
  const own = Object.entries(keywords).filter(([word]) => /^(?:description|title)$/.test(word));
  return { shape: 'list', keywords: { ...items.keywords, ...Object.fromEntries(own) } };
}

const objectAt = (list: Json | undefined): JsonObject => {
  const [first] = listOf(list);
  return isObject(first) ? first : {};
};

/** Adds the values of the branches, and the choice between them. */
function withChoice(
  before: BodyLeaves,
  base: BodyLeaves,
  branches: readonly BodyLeaves[],
  isRequired: boolean,
): BodyLeaves {
  const always = keysOf(base, isRequiredLeaf);
  const inAll = keysOfAll(branches, isRequiredLeaf);
  const withinInAll = keysOfAll(branches, ({ requiredWithin }) => requiredWithin !== null);
  const shared = choicesOfAll(branches);
  const varying = varyingConstants(branches);
  const alternatives = branches.flatMap((branch) => {
    const own = {
      paths: branch.leaves.filter(
        ({ path, required }) => required && !inAll.has(pathKey(path)) && !varying.has(pathKey(path)),
      ),
      constants: branch.leaves.flatMap((leaf) => (varying.has(pathKey(leaf.path)) ? constantOf(leaf) : [])),
    };
    const demanded = { paths: own.paths.map(({ path }) => path), constants: own.constants };
    const inner = branch.choices.filter((choice) => !shared.has(JSON.stringify(choice)));
    return inner.reduce((all, choice) => combined(all, choice).slice(0, MAX_BRANCHES), [demanded]);
  });
  const leaves = new Map(before.leaves.map((leaf) => [pathKey(leaf.path), leaf]));
  for (const leaf of branches.flatMap((branch) => branch.leaves)) {
    const key = pathKey(leaf.path);
    const known = leaves.get(key);
    const required = (known?.required ?? false) || always.has(key) || inAll.has(key);
    const requiredWithin = withinInAll.has(key) ? leaf.requiredWithin : (known?.requiredWithin ?? null);
    leaves.set(key, { ...(known ?? leaf), required, requiredWithin });
  }
  for (const key of varying) leaves.delete(key);
  const own = isRequired && isChoice(alternatives) ? [sortedByDemand(alternatives)] : [];
  const added = [...own, ...[...shared.values()]].filter((each) => !includes(before.choices, each));
  return { leaves: [...leaves.values()], choices: [...before.choices, ...added] };
}

const includes = (choices: BodyLeaves['choices'], choice: readonly LeafAlternative[]): boolean =>
  choices.some((each) => JSON.stringify(each) === JSON.stringify(choice));

const isRequiredLeaf = ({ required }: Leaf): boolean => required;

const keysOf = ({ leaves }: BodyLeaves, holds: (leaf: Leaf) => boolean): Set<string> =>
  new Set(leaves.filter(holds).map(({ path }) => pathKey(path)));

function keysOfAll(branches: readonly BodyLeaves[], holds: (leaf: Leaf) => boolean): Set<string> {
  const [first = new Set<string>(), ...others] = branches.map((branch) => keysOf(branch, holds));
  return new Set([...first].filter((key) => others.every((each) => each.has(key))));
}

/** Returns the choices that all branches offer in exactly the same form. */
function choicesOfAll(branches: readonly BodyLeaves[]): Map<string, readonly LeafAlternative[]> {
  const lists = branches.map(({ choices }) => new Map(choices.map((choice) => [JSON.stringify(choice), choice])));
  const [first, ...others] = lists;
  return new Map([...(first ?? [])].filter(([key]) => others.every((each) => each.has(key))));
}

/** Returns the only value that a schema allows. */
function constantOf({ path, keywords }: Leaf): LeafAlternative['constants'] {
  const [value, ...others] = valuesOf(keywords);
  return value === undefined || value === null || others.length > 0 ? [] : [{ path, value }];
}

/** Returns the places with a different constant in each branch: `kind: text`, `kind: voice`. */
function varyingConstants(branches: readonly BodyLeaves[]): Set<string> {
  const values = new Map<string, Set<string>>();
  for (const leaf of branches.flatMap(({ leaves }) => leaves)) {
    for (const { value } of constantOf(leaf)) {
      const key = pathKey(leaf.path);
      values.set(key, new Set([...(values.get(key) ?? []), JSON.stringify(value)]));
    }
  }
  return new Set([...values].filter(([, told]) => told.size > 1).map(([key]) => key));
}

function combined(all: readonly LeafAlternative[], choice: readonly LeafAlternative[]): LeafAlternative[] {
  return all.flatMap((one) =>
    choice.map((other) => ({
      paths: [...one.paths, ...other.paths],
      constants: [...one.constants, ...other.constants],
    })),
  );
}

const isChoice = (alternatives: readonly LeafAlternative[]): boolean =>
  alternatives.every(({ paths }) => paths.length > 0) || alternatives.some(({ constants }) => constants.length > 0);

/** Moves alternatives that demand nothing to the end, because they are always met. */
function sortedByDemand(alternatives: readonly LeafAlternative[]): LeafAlternative[] {
  return [
    ...alternatives.filter(({ paths }) => paths.length > 0),
    ...alternatives.filter(({ paths }) => paths.length === 0),
  ];
}
