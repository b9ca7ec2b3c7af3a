import { isField } from '../lead/fields.ts';
import { isPart } from '../lead/parts.ts';
import { memoize } from '../small.ts';
import { type ValueType, wireText } from './codes.ts';
import { type Call, type Contract, encodingOf, type Json, type Tree } from './contract.ts';
import type { RequestOperationName } from './operations.ts';
import { ONLY_ELEMENT, type Place, readPlace } from './place.ts';
import { type FoundPlace, isFirst, placeFacts } from './places.ts';
import { AUDIO_PARAMETER } from './wire.ts';

type PlaceFacts = Pick<FoundPlace, 'type' | 'codes' | 'required' | 'maxLength'>;

const ANY: PlaceFacts = { type: 'string', codes: null, required: false, maxLength: null };

/** A place of a call, and what goes there. */
type Slot = ReturnType<typeof slotAt>;

/** What goes along with a field. */
interface Along extends Slot {
  readonly with: string;
}

/** Summarises a call. It is memoized, because an import has tens of thousands of rows. */
export const describedCall = memoize((call: Call) => {
  const always = Object.keys(call.always).filter((place) => !Object.hasOwn(call.fields, place));
  const slots = [...Object.keys(call.fields), ...always].map((place) => slotAt(call, place));
  const fieldsWhere = (holds: (slot: Slot) => boolean): ReadonlySet<string> =>
    new Set(slots.flatMap((slot) => (slot.field !== null && holds(slot) ? [slot.field] : [])));
  return {
    isJson: encodingOf(call) === 'json',
    slots,
    when: Object.entries(call.when).flatMap(([field, values]) =>
      Object.entries(values).map(
        ([place, otherwise]): Along => ({ ...slotAt(call, place), field: null, otherwise, with: field }),
      ),
    ),
    /** The fields that have a place, by srq's names. */
    fields: fieldsWhere(() => true),
    /** These and the names of their places, by which a person may give them too. */
    names: new Set(slots.flatMap(({ place, field }) => (field === null ? [] : [field, place]))),
    required: fieldsWhere(({ facts, otherwise }) => facts.required && otherwise === undefined),
    /** The fields whose length or values the schema bounds. */
    bounded: fieldsWhere(({ facts: { codes, maxLength } }) => codes !== null || maxLength !== null),
  };
});

function slotAt(call: Call, place: Place) {
  const parts = readPlace(place);
  /** The field that goes there, or null if the place always has the same value. */
  const field = Object.hasOwn(call.fields, place) ? (call.fields[place] ?? null) : null;
  const known = placeFacts(call.schema, parts);
  const facts = known ?? ANY;
  /** What goes there if a request does not give the field. */
  const otherwise = Object.hasOwn(call.always, place) ? call.always[place] : undefined;
  return {
    ...parts,
    place,
    field,
    facts,
    wire: wireOf(call, field ?? place, facts),
    otherwise,
    /** Whether the schema knows the place. */
    isKnown: known !== null,
  };
}

/** Returns how a field is written: by the codes that a person has named, then by those of the schema. */
function wireOf({ codes }: Call, field: string, facts: PlaceFacts): (text: string) => string | null {
  const said = Object.entries(codes[field] ?? {}).map(([label, value]) => ({ value, label }));
  const byType = wireText(field, facts.type, facts.codes);
  if (said.length === 0) return byType;
  const labelled = wireText(field, facts.type, [...said, ...(facts.codes ?? [])].filter(isFirst));
  return (text) => labelled(text) ?? byType(text);
}

/** What a request gives, by srq's names of the fields. */
export interface Given<File = never> {
  text(field: string): string | null;
  /** The recording as it is written, or null. */
  readonly recording: string | File | null;
  /** The names of everything that is given, for those without a place. */
  readonly names: readonly string[];
  /** Whether a value that is not allowed is written nevertheless, because a person gave it. */
  isSaid(field: string): boolean;
}

/** One value of a body. `type` is the JSON type as which a text is written. */
export interface Entry<File = never> {
  readonly path: readonly string[];
  readonly value: Json | File;
  readonly type: ValueType;
}

/** A request as its call has it, value by value. */
export interface Placed<File = never> {
  readonly body: Entry<File>[];
  readonly header: (readonly [name: string, text: string])[];
  readonly query: (readonly [name: string, text: string])[];
}

/** Tells whether a name without a place is no part of a call. */
type LeavesOut = (name: string) => boolean;
const NOTHING_LEFT_OUT: LeavesOut = () => false;

/** Puts what a request gives where the call has its places. */
export function placed<File>(call: Call, given: Given<File>, leavesOut = NOTHING_LEFT_OUT): Placed<File> {
  const { slots, when, fields, names } = describedCall(call);
  const result: Placed<File> = { body: [], header: [], query: [] };
  const along = when.length === 0 ? [] : goingAlong(when, given);
  for (const slot of slots) {
    const value = valueAt(slot, given);
    if (value !== undefined && !along.some(({ place }) => place === slot.place)) put(result, slot, value);
  }
  for (const slot of along) put(result, slot, slot.otherwise ?? null);
  for (const name of given.names) {
    if (names.has(name) || (isOwn(name) && call.schema !== null) || leavesOut(name)) continue;
    const text = given.text(name);
    const slot = furtherSlot(call, name);
    if (text !== null) put(result, slot, slot.wire(text) ?? text);
  }
  if (given.recording !== null && call.schema === null && !fields.has('audio_file'))
    result.body.push({ path: [AUDIO_PARAMETER], value: given.recording, type: 'string' });
  return result;
}

/**
 * Returns what one of the calls leaves out. Create leaves out nothing. Validate is not given what has a place in create
 * alone, nor what its description does not know.
 */
export function leftOutOf({ create, validate }: Contract, name: RequestOperationName): LeavesOut {
  if (name === 'create' || validate === null) return NOTHING_LEFT_OUT;
  const { names } = describedCall(create);
  return (field) => names.has(field) || (validate.schema !== null && !furtherSlot(validate, field).isKnown);
}

/** Returns what goes along with the fields that a request gives, in place of what it gives for the same places. */
function goingAlong(when: readonly Along[], given: Given<unknown>): readonly Slot[] {
  const all = when.filter((slot) => isGiven(given, slot.with));
  return all.filter(({ place }, at) => all.findIndex((each) => each.place === place) === at);
}

const isOwn = (name: string): boolean => isField(name) || isPart(name);

function isGiven({ text, recording }: Given<unknown>, field: string): boolean {
  return field === 'audio_file' ? recording !== null : text(field) !== null;
}

function valueAt<File>({ place, field, facts, wire, otherwise }: Slot, given: Given<File>): Json | File | undefined {
  if (field === null) return otherwise;
  if (field === 'audio_file') return given.recording ?? otherwise;
  const text = given.text(field) ?? given.text(place);
  if (text === null) return otherwise;
  return wire(text) ?? (facts.required || given.isSaid(field) ? text : otherwise);
}

/** The place of a name that the page does not know: the one of this name in the schema, else its own name at the top. */
function furtherSlot(call: Call, name: string): Slot {
  const known = furtherSlots(call);
  let slot = known.get(name);
  if (!slot) {
    slot = slotAt(call, name);
    if (!slot.isKnown) slot = { ...slot, in: 'body', path: [name] };
    if (known.size < MAX_FURTHER) known.set(name, slot);
  }
  return slot;
}

const MAX_FURTHER = 1_000;
const furtherSlots = memoize((_: Call) => new Map<string, Slot>());

function put<File>({ body, header, query }: Placed<File>, { in: where, path, facts }: Slot, value: Json | File): void {
  if (where === 'body') body.push({ path, value, type: facts.type });
  else (where === 'header' ? header : query).push([path[0] ?? '', String(value)]);
}

/** An object of a body while it is built. It inherits nothing, so that a member can be called `__proto__`. */
interface Branch {
  [name: string]: unknown;
}

/** A constructor is used, because objects without a prototype take several times as long. */
const Branch = function Branch() {} as unknown as new () => Branch;
Branch.prototype = Object.create(null);

/** Builds the body of these entries. `scalar` makes the value of each. */
export function nested<File>(entries: readonly Entry<File>[], scalar: (entry: Entry<File>) => unknown): object {
  const top = new Branch();
  let hasLists = false;
  for (const entry of entries) {
    const { path } = entry;
    let branch = top;
    for (let at = 0; at < path.length - 1; at += 1) branch = branchUnder(branch, path[at] ?? '');
    plant(branch, path.at(-1) ?? '', scalar(entry));
    hasLists ||= path.includes(ONLY_ELEMENT);
  }
  return hasLists ? withLists(top) : top;
}

/** Sets a value. The members of an object are set one by one, because others may be set beside them. */
function plant(branch: Branch, name: string, value: unknown): void {
  if (!isObject(value)) branch[name] = value;
  else {
    const inner = branchUnder(branch, name);
    for (const [member, each] of Object.entries(value)) plant(inner, member, each);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Replaces each object whose members are 0, 1, 2 … by the list for which it stands. */
function withLists(branch: Branch): object {
  const members = Object.entries(branch);
  for (const [name, value] of members) if (isBranch(value)) branch[name] = withLists(value);
  return members.every(([name], at) => name === String(at)) && members.length > 0 ? Object.values(branch) : branch;
}

function branchUnder(branch: Branch, name: string): Branch {
  const found = branch[name];
  if (isBranch(found)) return found;
  const made = new Branch();
  branch[name] = made;
  return made;
}

const isBranch = (value: unknown): value is Branch => value instanceof Branch;

/** Builds what the schema of a call judges. A form has no nulls. */
export function treeOf(call: Call, { body, header, query }: Placed): Tree {
  const { isJson } = describedCall(call);
  return {
    body: nested(isJson ? body : body.filter(({ value }) => value !== null), plain),
    header: Object.fromEntries(header.map(([name, text]) => [name.toLowerCase(), text])),
    query: Object.fromEntries(query),
  };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Tells whether a text is written as a number, and not as a text. */
export function isNumberText(text: string, type: ValueType): boolean {
  return (type === 'integer' || type === 'number') && NUMBER.test(text);
}

function plain({ value, type }: Entry): Json {
  if (typeof value !== 'string') return value;
  if (isNumberText(value, type)) return Number(value);
  return type === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value;
}
