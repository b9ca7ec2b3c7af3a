import { CATEGORY_PARAMETER, DOCUMENTED_PARAMETERS } from '../../request/contract/wire.ts';
import { isField } from '../../request/lead/fields.ts';
import { isPart } from '../../request/lead/parts.ts';
import { SrqError } from '../../request/words/errors.ts';
import { isObject, type JsonObject } from '../documents/json-parts.ts';
import { flatten, typesOf } from '../schema/flat-schema.ts';
import { ONLY_ELEMENT, type Question } from '../version-1/contract.ts';
import { assignFieldsWithin, OF_PERSON, strangersIn } from './assign-fields.ts';
import { isBelow, type Leaf, pathKey, withElements } from './body-leaves.ts';
import type { DecidedFields } from './decided-fields.ts';
import type { NamedField } from './field-names.ts';
import type { GivenConstants } from './given-constants.ts';
import { type OperationBody, usedLeaves } from './operation-body.ts';

/** The word that stands for all fields where one of them could be named: `--set 'data={fields}'`. */
const ALL_FIELDS = 'fields';
/** The names of two special places: the body itself, and no place at all. */
const WHOLE_BODY = 'body';
const NOWHERE = 'none';
/** The fields that an object without described members takes, under srq's own names. */
const SENT_FREELY: readonly string[] = [...DOCUMENTED_PARAMETERS, CATEGORY_PARAMETER];
const SAID: Omit<NamedField, 'field'> = { rank: 0, confidence: 'certain', why: 'you said so' };
const MAX_FREE = 4;

/**
 * Returns the body with the places that a person named for fields. `PLACE={fields}` says that the object is the
 * customer's: its members are read as such, and if none of them is a field, it takes all fields under srq's names.
 * `PLACE={email}` names a value within a list, or a member of an object without described members.
 *
 * Throws `SrqError('input')` if an object is named that takes no field, and `SrqError('usage')` if several are to take all.
 */
export function withSaidPlaces(body: OperationBody, given: GivenConstants): OperationBody {
  const use = (name: string) => given.among([]).valueOf(name.split('.'));
  const isFree = body.leaves.length === 0 && !isClosed(body.schema, []);
  const takeAll: string[] = [];
  let changed = body;
  for (const [name, word] of given.inBraces()) {
    const next = word === ALL_FIELDS ? withAllFields(changed, name) : withMember(changed, name, word, isFree);
    if (next !== changed || (word === ALL_FIELDS && name === NOWHERE)) use(name);
    if (next !== changed && word === ALL_FIELDS) takeAll.push(name);
    changed = next;
  }
  requireOnePlace(takeAll);
  if (changed === body) return body;
  const around = new Set(changed.leaves.flatMap(({ path }) => objectsAround(path).map(pathKey)));
  return { ...changed, leaves: changed.leaves.filter(({ path }) => !around.has(pathKey(path))) };
}

function requireOnePlace(names: readonly string[]): void {
  if (names.length < 2) return;
  throw new SrqError(
    'flags.contradict',
    `Only one place can take all fields, and these are named: ${names.join(', ')}.`,
    "Leave all but one out. Single fields have places of their own: --set 'PLACE={email}'",
  );
}

function withAllFields(body: OperationBody, name: string): OperationBody {
  const leaves = withElements(body.leaves);
  const place = objectsOf(leaves).find((each) => each.join('.') === name) ?? (name === WHOLE_BODY ? [] : null);
  if (place === null) return body;
  const assignment = assignFieldsWithin(leaves, place);
  const isFilled = [...assignment.fields].some(([{ path }]) => isBelow(path, place));
  if (isFilled && place.length > 0) return { ...body, assignment, leaves: usedLeaves(body.leaves, assignment) };
  if (isClosed(body.schema, place)) {
    const message = `"${name}" has no place for any field, and the description allows no member besides those that it names.`;
    throw new SrqError('parameter.not-allowed', message, `Say where each field goes: --set 'PLACE={email}'`);
  }
  return SENT_FREELY.reduce((changed, field) => withNewLeaf(changed, [...place, field], field), body);
}

/**
 * Adds the place of one field, if it is a value within a list, or lies in an object without described members. `isFree`:
 * the whole body is such an object.
 */
function withMember(body: OperationBody, name: string, field: string, isFree: boolean): OperationBody {
  if (!isField(field) && !isPart(field)) return body;
  const leaves = withElements(body.leaves);
  const described = leaves.find(({ path }) => path.join('.') === name);
  if (described !== undefined) {
    const fields = new Map([...body.assignment.fields, [described, { ...SAID, field }]]);
    const assignment = { ...body.assignment, fields };
    return body.leaves.includes(described)
      ? body
      : { ...body, assignment, leaves: usedLeaves(body.leaves, assignment) };
  }
  const path = name.split('.');
  const isTaken = isFree || freeObjects(leaves).some((free) => isBelow(path, free.path));
  return isTaken ? withNewLeaf(body, path, field) : body;
}

function withNewLeaf(body: OperationBody, path: readonly string[], field: string): OperationBody {
  if (body.leaves.some((each) => pathKey(each.path) === pathKey(path))) return body;
  const leaf: Leaf = {
    ...{ path, keywords: { type: 'string' }, shape: 'scalar', required: false },
    ...{ requiredWithin: null, where: body.where, elements: [] },
  };
  const fields = new Map([...body.assignment.fields, [leaf, { ...SAID, field }]]);
  return { ...body, leaves: [...body.leaves, leaf], assignment: { ...body.assignment, fields } };
}

/** Returns the paths of all objects within a body: those that hold a value, and those of which nothing is described. */
function objectsOf(leaves: readonly Leaf[]): readonly (readonly string[])[] {
  return [...leaves.flatMap(({ path }) => objectsAround(path)), ...freeObjects(leaves).map(({ path }) => path)];
}

/** Returns the paths of the objects around a place, the outermost first. */
const objectsAround = (path: readonly string[]): readonly (readonly string[])[] =>
  path.slice(1).map((_, at) => path.slice(0, at + 1));

/** Returns the objects that may hold any members, because none is described. */
function freeObjects(leaves: readonly Leaf[]): readonly Leaf[] {
  const isFree = ({ shape, keywords }: Leaf) =>
    shape === 'object' && !typesOf(keywords).includes('array') && keywords['additionalProperties'] !== false;
  return leaves.filter(isFree);
}

function isClosed(schema: JsonObject, place: readonly string[]): boolean {
  let flat = flatten(schema);
  for (const name of place) {
    const items = flat.keywords['items'];
    const inner = name === ONLY_ELEMENT ? items : flat.properties.get(name);
    if (!isObject(inner)) return false;
    flat = flatten(inner);
  }
  return flat.keywords['additionalProperties'] === false;
}

/** One question about all fields of a request. */
export interface FieldsQuestion {
  readonly question: Question;
  /** The places whose own questions are left out, because this question settles them. */
  readonly settles: ReadonlySet<Leaf>;
  /** The objects without described members that may take the fields. */
  readonly free: ReadonlySet<Leaf>;
}

/**
 * Returns the question which object takes a request's fields, if a body has a place for none of them, or for none that
 * says who the customer is and an object may be for them. Returns null if there is nothing to ask.
 */
export function fieldsQuestion(
  operation: string,
  body: OperationBody,
  { fields, doubts }: DecidedFields,
  given: GivenConstants,
): FieldsQuestion | null {
  const placed = [...fields.values()].map(({ field }) => field);
  const isSaid = [...given.inBraces().values()].includes(ALL_FIELDS);
  if (isSaid || placed.some((field) => OF_PERSON.has(field))) return null;
  const leaves = withElements(body.leaves);
  const strangers = strangersIn(leaves);
  const free = strangers.some(({ fields: known }) => known.length > 1) ? [] : freeObjects(leaves).slice(0, MAX_FREE);
  // A reference alone is no request.
  const isBare = placed.every((field) => field === 'ref');
  const isAskedOfOne = strangers.length === 0 && doubts.size > 0;
  const takesAll = isBare && !isAskedOfOne && strangers.length === 0 && !isClosed(body.schema, []);
  const options = [
    ...strangers.map(({ place, fields: known }) => ({ name: place.join('.'), holds: known.join(', ') })),
    ...free.map(({ path }) => ({ name: path.join('.'), holds: 'any member: all fields, under the names of srq' })),
    ...(takesAll ? [{ name: WHOLE_BODY, holds: 'all fields, under the names of srq' }] : []),
  ];
  if (options.length === 0 && (!isBare || isAskedOfOne)) return null;
  const choices = [...options.map(({ name }) => name), NOWHERE];
  const told = [...options.map(({ name, holds }) => `${name} (${holds})`), NOWHERE];
  const what = isBare ? 'the fields of a request go' : "the customer's name, phone and e-mail address go";
  const question: Question = {
    name: `place:${ALL_FIELDS}`,
    text:
      `The description of ${operation} does not say where ${what}. Which object takes them? ` +
      `${told.map((each, index) => `${index + 1}. ${each}`).join('; ')}. The place of one field: --set 'PLACE={phone}'`,
    // The suggested flag never names the whole body, because somebody who copies it without reading would send all fields there.
    answer: `--set '${[...strangers, ...free].length > 0 ? options[0]?.name : 'PLACE'}={${ALL_FIELDS}}'`,
    choices,
    ...(!free.some(({ required }) => required) && { unanswered: NOWHERE }),
  };
  return { question, settles: new Set(strangers.length > 0 ? doubts.keys() : []), free: new Set(free) };
}
