import { isPart, PARTS, wholeOf } from '../../request/lead/parts.ts';
import { ONLY_ELEMENT } from '../version-1/contract.ts';
import { isBelow, isElement, type Leaf, pathKey } from './body-leaves.ts';
import { type NamedField, type NameReading, readName } from './field-names.ts';

/** The fields and the places that they are sent to. Each field has one place, and each place has one field. */
export interface Assignment {
  readonly fields: ReadonlyMap<Leaf, NamedField>;
  /**
   * Places for fields that have no other place, but that may belong to another person than the customer. A person has
   * to decide about them.
   */
  readonly doubts: ReadonlyMap<Leaf, NamedField>;
}

interface Candidate {
  readonly leaf: Leaf;
  readonly named: NameReading;
  readonly order: number;
}

/**
 * Assigns fields to places, those with the nearest names first. All fields of a person are taken from one object, and
 * so are the parts of an address. Among places with equal names the order is: the one in the object with most other
 * known names, the required one, the least nested one, the first one. A choice among equal names is a guess.
 */
export function assignFields(leaves: readonly Leaf[]): Assignment {
  return assigned(candidates(leaves, readName));
}

/**
 * Assigns fields where a person has said that an object is the customer's: there as if it were the whole body, and
 * outside of it what it has no place for.
 */
export function assignFieldsWithin(leaves: readonly Leaf[], place: readonly string[]): Assignment {
  const isInPlace = ({ path }: Leaf) => isBelow(path, place);
  const readOwn = (path: readonly string[], leaf: Leaf) => asCustomers(readName(path.slice(place.length), leaf));
  const { fields: own } = assigned(candidates(leaves.filter(isInPlace), readOwn));
  const given = new Set([...own.values()].map(({ field }) => wholeOf(field)));
  const isElsewhere = ([, { field }]: readonly [Leaf, NamedField]) => !given.has(wholeOf(field));
  const others = assignFields(leaves.filter((leaf) => !isInPlace(leaf)));
  return {
    fields: new Map([...own, ...[...others.fields].filter(isElsewhere)]),
    doubts: new Map([...others.doubts].filter(isElsewhere)),
  };
}

const asCustomers = (named: NameReading | undefined): NameReading | undefined =>
  named?.owner === 'unknown' ? { ...named, owner: 'customer' } : named;

/** An object that may be the customer's, though nothing says so. */
export interface Stranger {
  readonly place: readonly string[];
  /** The fields of a person that it has places for. */
  readonly fields: readonly string[];
}

const MAX_STRANGERS = 4;

/**
 * Returns the objects with places for a person's fields, those with most of them first. None of them is within another.
 */
export function strangersIn(leaves: readonly Leaf[]): readonly Stranger[] {
  const found = new Map<string, { readonly place: readonly string[]; readonly fields: Set<string> }>();
  const people = candidates(leaves, readName).filter(({ named }) => OF_PERSON.has(named.field));
  for (const { leaf, named } of people) {
    for (let length = 1; length < leaf.path.length; length += 1) {
      const place = leaf.path.slice(0, length);
      if (leaf.path[length] === ONLY_ELEMENT) continue;
      const known = found.get(pathKey(place)) ?? { place, fields: new Set() };
      known.fields.add(named.field);
      found.set(pathKey(place), known);
    }
  }
  const count = (fields: ReadonlySet<string>) => new Set([...fields].map(wholeOf)).size;
  const sorted = [...found.values()].sort(
    (a, b) => count(b.fields) - count(a.fields) || b.place.length - a.place.length,
  );
  const isPerson = count(sorted[0]?.fields ?? new Set()) > 1;
  const apart: Stranger[] = [];
  for (const { place, fields } of sorted) {
    const isApart = apart.every((each) => !isBelow(each.place, place) && !isBelow(place, each.place));
    // Beside somebody with a name and a contact, what is only called a name is a thing.
    if (isApart && (count(fields) > 1 || !isPerson)) apart.push({ place, fields: [...fields] });
  }
  return apart.slice(0, MAX_STRANGERS);
}

type ReadPlace = (path: readonly string[], leaf: Leaf) => NameReading | undefined;

function candidates(leaves: readonly Leaf[], read: ReadPlace): readonly Candidate[] {
  return leaves.flatMap((leaf, order): Candidate[] => {
    const named = leaf.shape === 'object' ? undefined : read(leaf.path, leaf);
    return named === undefined ? [] : [{ leaf, named, order }];
  });
}

function assigned(all: readonly Candidate[]): Assignment {
  const own = withinOneObject(withContext(asNameParts(asPlaceParts(all))));
  const ranked = sortedByMerit(own.filter(({ named }) => isCustomers(named)));
  const fields = taken(ranked);
  // Without a recording, a parameter for its type or file name is an ordinary parameter.
  if (![...fields.values()].some(({ field }) => field === 'audio_file')) {
    for (const [leaf, { field }] of fields) if (field.startsWith('audio_')) fields.delete(leaf);
  }
  return { fields, doubts: doubtful(own, fields) };
}

const isCustomers = ({ owner }: NameReading): boolean => owner === 'customer';

/** Assigns each field to the best of its candidates. */
function taken(ranked: readonly Candidate[]): Map<Leaf, NamedField> {
  const fields = new Map<Leaf, NamedField>();
  const done = new Set<string>();
  for (const { leaf, named } of ranked) {
    if (done.has(named.field) || fields.has(leaf)) continue;
    done.add(named.field);
    const rival = ranked.find((each) => each.leaf !== leaf && isRival(each.named, named));
    fields.set(leaf, rival === undefined ? bare(named) : asGuess(named, rival.leaf));
  }
  return fields;
}

const bare = ({ field, rank, confidence, why }: NamedField): NamedField => ({ field, rank, confidence, why });

const isRival = (one: NamedField, other: NamedField): boolean => one.field === other.field && one.rank === other.rank;

const asGuess = (named: NamedField, rival: Leaf): NamedField => ({
  ...bare(named),
  confidence: 'weak',
  why: `${rival.path.join('.')} may be meant as well`,
});

const parentKey = ({ path }: Leaf): string => pathKey(path.slice(0, -1));

function sortedByMerit(candidates: readonly Candidate[]): readonly Candidate[] {
  const known = new Map<string, Set<string>>();
  for (const { leaf, named } of candidates) {
    known.set(parentKey(leaf), (known.get(parentKey(leaf)) ?? new Set()).add(named.field));
  }
  const besides = (leaf: Leaf) => known.get(parentKey(leaf))?.size ?? 0;
  return [...candidates].sort(
    (a, b) =>
      a.named.rank - b.named.rank ||
      besides(b.leaf) - besides(a.leaf) ||
      Number(b.leaf.required) - Number(a.leaf.required) ||
      a.leaf.path.length - b.leaf.path.length ||
      a.order - b.order,
  );
}

function groupedBy(candidates: readonly Candidate[], keyOf: (each: Candidate) => string): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const each of candidates) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}

const fieldsOf = (group: readonly Candidate[]): ReadonlySet<string> => new Set(group.map(({ named }) => named.field));

/**
 * Turns an address beside a town or a postal code into the street, and keeps only the best of several divided
 * addresses. A region or a house number without an address around it only looks like a part of one and is dropped.
 */
function asPlaceParts(all: readonly Candidate[]): readonly Candidate[] {
  const isOfPlace = ({ named }: Candidate) => wholeOf(named.field) === 'location';
  const groups = groupedBy(all.filter(isOfPlace), ({ named }) => named.placeKey);
  const whole = [...groups.values()].map(addressOf).filter((group) => group.length > 0);
  const partly = whole.filter((group) => group.some(({ named }) => isPart(named.field)));
  const best = bestGroup(partly);
  const isPartly = new Set(partly);
  const kept = [...whole.filter((group) => !isPartly.has(group)).flat(), ...(best ?? [])];
  const replaced = new Map(kept.map((each) => [each.leaf, each]));
  return all.flatMap((each) => (isOfPlace(each) ? (replaced.get(each.leaf) ?? []) : [each]));
}

function addressOf(group: readonly Candidate[]): readonly Candidate[] {
  const fields = fieldsOf(group);
  const isAddress = fields.has('city') || fields.has('postal_code');
  const hasStreet = fields.has('street');
  return group.flatMap((each) => {
    const { field, isBare, isOfAddress } = each.named;
    if (field === 'region' && !isAddress && !hasStreet && !isOfAddress) return [];
    if (field === 'house_number' && !hasStreet && !fields.has('location')) return [];
    const isStreet = field === 'location' && isAddress && !hasStreet && isBare;
    if (!isStreet) return [each];
    return [{ ...each, named: { ...each.named, field: 'street', why: 'an address beside the other parts of it' } }];
  });
}

/**
 * Returns the criteria by which groups are compared, the most important first: whether the group is the customer's, how
 * many fields it has, whether any is required, and how little it is nested.
 */
function meritOf(group: readonly Candidate[]): readonly number[] {
  return [
    Number(group.some(({ named }) => isCustomers(named))),
    fieldsOf(group).size,
    Number(group.some(({ leaf }) => leaf.required)),
    -group.reduce((least, { leaf }) => Math.min(least, leaf.path.length), Infinity),
  ];
}

/**
 * Returns the best group by {@link meritOf}. Among equals the names decide, so that the order of members does not
 * matter.
 */
function bestGroup(groups: readonly (readonly Candidate[])[]): readonly Candidate[] | undefined {
  const nameOf = (group: readonly Candidate[]) => group.map(({ leaf }) => pathKey(leaf.path)).sort()[0] ?? '';
  let [best] = groups;
  let merit = best && meritOf(best);
  for (const group of groups.slice(1)) {
    const own = meritOf(group);
    const at = own.findIndex((each, index) => each !== merit?.[index]);
    const isBetter = at < 0 ? nameOf(group) < nameOf(best ?? []) : (own[at] ?? 0) > (merit?.[at] ?? 0);
    if (isBetter) [best, merit] = [group, own];
  }
  return best;
}

const CONTACT: ReadonlySet<string> = new Set(['email', 'phone', 'first_name', 'last_name']);

/** Turns a place named only `name` into the first name, if there is a last name beside it and no first name. */
function asNameParts(all: readonly Candidate[]): readonly Candidate[] {
  const people = groupedBy(all, ({ named }) => named.personKey);
  return all.map((each) => {
    const { field, isBare, personKey } = each.named;
    const beside = fieldsOf(people.get(personKey) ?? []);
    if (field !== 'fullname' || !isBare || !beside.has('last_name') || beside.has('first_name')) return each;
    return { ...each, named: { ...each.named, field: 'first_name', why: 'a name beside the last name' } };
  });
}

/**
 * Decides about places named only `name`. Such a place is certainly a person's only if there are contacts beside it. In
 * an object for the customer, who may be a company, it is a guess if the body has no contacts of the customer. It is
 * left to a person if that object contains a list of persons, such as a company's team, or if nothing says that the
 * object is a person's.
 */
function withContext(all: readonly Candidate[]): readonly Candidate[] {
  const people = groupedBy(all, ({ named }) => named.personKey);
  const isContact = ({ named }: Candidate) => CONTACT.has(named.field);
  const hasContacts = all.some((each) => isContact(each) && isCustomers(each.named));
  return all.map((each) => {
    const { field, isBare, isOfPerson, personKey } = each.named;
    if (field !== 'fullname' || !isBare || people.get(personKey)?.some(isContact)) return each;
    const isOfGroup = all.some(
      (other) => isContact(other) && !isCustomers(other.named) && isInside(other.leaf, each.leaf),
    );
    if (isOfPerson && hasContacts && !isOfGroup) return each;
    const why = 'nothing beside it says that it is a person';
    const owner = isOfPerson && !isOfGroup ? each.named.owner : 'unknown';
    return { ...each, named: { ...each.named, owner, rank: 45, confidence: 'weak', why } as const };
  });
}

/** Tells whether a place is in a list that is within the object of another place. */
function isInside(leaf: Leaf, { path }: Leaf): boolean {
  const parent = path.slice(0, -1);
  const below = leaf.path.slice(parent.length, -1);
  return below.some(isElement) && parent.every((name, at) => leaf.path[at] === name);
}

/** The fields that say who the customer is. */
export const OF_PERSON: ReadonlySet<string> = new Set(['fullname', 'first_name', 'last_name', 'email', 'phone']);

/** Keeps the contacts and the name of one person only, from the object with most of them. */
function withinOneObject(all: readonly Candidate[]): readonly Candidate[] {
  const groups = groupedBy(
    all.filter(({ named }) => OF_PERSON.has(named.field)),
    ({ named }) => named.personKey,
  );
  const best = bestGroup([...groups.values()]);
  if (best === undefined) return all;
  const main = new Set(best);
  if (!best.some(({ named }) => isCustomers(named))) {
    const changed = withStranger(all);
    return changed === all ? all : withinOneObject(changed);
  }
  const given = new Set(
    best.filter(({ named }) => isCustomers(named)).flatMap(({ named: { field } }) => [field, wholeOf(field)]),
  );
  const isOther = (each: Candidate) => !main.has(each) && given.has(each.named.field);
  const rivals = new Map<string, Candidate>();
  for (const each of all) {
    const { field, rank } = each.named;
    const isNearest = rank < (rivals.get(field)?.named.rank ?? Infinity);
    if (isOther(each) && isCustomers(each.named) && isNearest) rivals.set(field, each);
  }
  return all.filter((each) => !isOther(each)).map((each) => (main.has(each) ? withRival(each, rivals) : each));
}

/** Marks a place as a guess if another person of the document has a place whose name is at least as near. */
function withRival(each: Candidate, rivals: ReadonlyMap<string, Candidate>): Candidate {
  const rival = rivals.get(each.named.field);
  if (rival === undefined || rival.named.rank > each.named.rank) return each;
  return { ...each, named: { ...each.named, ...asGuess(each.named, rival.leaf) } };
}

/** Takes the only person of the document for the customer, if that person has a name and a contact. This is a guess. */
function withStranger(all: readonly Candidate[]): readonly Candidate[] {
  const strangers = groupedBy(
    all.filter(({ named }) => named.owner === 'unknown' && OF_PERSON.has(named.field)),
    ({ named }) => named.strangerKey,
  );
  const isWhole = (group: readonly Candidate[]) =>
    group.some(({ named }) => wholeOf(named.field) === 'fullname') &&
    group.some(({ named }) => named.field === 'email' || named.field === 'phone');
  const [only, ...others] = [...strangers].filter(([, group]) => isWhole(group));
  if (only === undefined || others.length > 0) return all;
  const why = 'the only person that the body speaks of';
  return all.map((each) => {
    const { named } = each;
    const isOnes = named.owner === 'unknown' && named.strangerKey === only[0] && OF_STRANGER.has(named.field);
    return isOnes ? { ...each, named: { ...named, owner: 'customer', confidence: 'weak', why } as const } : each;
  });
}

/** The fields that are taken from an object for an unknown person. */
const OF_STRANGER: ReadonlySet<string> = new Set([...OF_PERSON, ...PARTS, 'location', 'country']);

function doubtful(all: readonly Candidate[], fields: ReadonlyMap<Leaf, NamedField>): Map<Leaf, NamedField> {
  const given = new Set([...fields.values()].map(({ field }) => wholeOf(field)));
  const doubts = new Map<Leaf, NamedField>();
  // Among optional places, only those for the name and the contacts are worth a question.
  const isAsked = ({ leaf, named }: Candidate) =>
    OF_PERSON.has(named.field) || (leaf.required && OF_STRANGER.has(named.field));
  const open = all.filter((each) => !isCustomers(each.named) && isAsked(each));
  for (const { leaf, named } of sortedByMerit(open)) {
    const isRepeated = [...doubts.values()].some(({ field }) => field === named.field);
    if (given.has(wholeOf(named.field)) || isRepeated || fields.has(leaf)) continue;
    doubts.set(leaf, { ...bare(named), confidence: 'weak' });
  }
  return doubts;
}
