import { aliasOf, type FieldOrPart, normalForm } from '../../request/lead/field-aliases.ts';
import type { ContentProfile } from './content.ts';
import {
  contentReason,
  type Fit,
  fitOf,
  holdsPersons,
  isPlainlyOther,
  isPlainlyPhone,
  isRepeated,
  MEANINGS,
} from './meanings.ts';
import type { NameEvidence } from './name-evidence.ts';
import { ASIDE, type NamedMeaning, SECOND } from './named-column.ts';
import { isOfKind } from './vocabulary.ts';

/** A column with the evidence of its name and its content. */
export interface Look {
  readonly index: number;
  readonly header: string;
  readonly name: NameEvidence;
  readonly seen: ContentProfile;
}

/** The meaning of a column and its certainty. */
export interface ColumnReading {
  readonly index: number;
  readonly meaning: FieldOrPart;
  /** A `certain` meaning is used, and the user is asked about a `likely` one. */
  readonly level: 'certain' | 'likely';
  /** The order of several columns with one meaning. The lowest rank is preferred. */
  readonly rank: number;
  /** The reason, for a person. */
  readonly because: string;
}

/** One way to read one column, with the evidence for it. How certain it is, is decided at the end, for all of a file together. */
export interface Candidate extends Omit<ColumnReading, 'level'> {
  readonly look: Look;
  readonly fit: Fit;
  /** Whether the name says the meaning, and the content leaves no doubt. */
  readonly isClear: boolean;
  /**
   * How much of the name is understood: srq knows it exactly, understands all of its words, understands some of them,
   * or only has the content.
   */
  readonly by: 'known name' | 'plain name' | 'part of the name' | 'content';
}

/**
 * Returns the ways to read a column by its name, either because srq knows the name exactly or by its words. The content
 * may contradict both.
 */
export function candidatesByName(look: Look): Candidate[] {
  const { header, name, seen, index } = look;
  const found: Candidate[] = [];
  const alias = isDecorated(header) ? undefined : aliasOf(header);
  if (alias && !isPlainlyOther(alias.meaning, seen)) {
    const fit = fitOf(alias.meaning, seen);
    const isClear = alias.meaning !== 'notes';
    found.push({ index, ...alias, isClear, because: 'known name', fit, by: 'known name', look });
  }
  if (name.isOthers) return found;
  for (const named of name.meanings) {
    const { meaning, strength } = named;
    const fit = fitOf(meaning, seen);
    if (!isPossible(named, fit, look)) continue;
    const because = ['the name fits', contentReason(meaning, seen)].filter((reason) => reason !== null).join(', ');
    const by = strength === 'plain' ? 'plain name' : 'part of the name';
    // Columns whose names are read as words never tie. The earlier column comes first.
    const rank = named.rank + index / 10_000;
    found.push({ index, meaning, rank, isClear: isClearlyNamed(named, fit, look), because, fit, by, look });
  }
  return found;
}

/**
 * Tells whether a mark changes the meaning of a known name. An "Enquiry #" is the number of the enquiry, and names that
 * begin with an underscore are technical, such as the `_locale` of a form's page.
 */
function isDecorated(header: string): boolean {
  return header.startsWith('_') || (header.includes('#') && header.trim() !== '#');
}

/** Returns a reading that is based on the content or on neighbouring columns. */
export function guessed(look: Look, meaning: FieldOrPart, because: string): Candidate {
  const rank = 80 + look.index / 10_000;
  return { index: look.index, meaning, rank, isClear: false, because, fit: 'shows', by: 'content', look };
}

export const isOfAPerson = (meaning: FieldOrPart) => MEANINGS[meaning].group === 'contact';
export const isOfAName = (meaning: FieldOrPart) => MEANINGS[meaning].group === 'name';

/** Tells whether a meaning belongs to a person. Unknown words in the name may mean another person than the customer. */
export function isPersonal(meaning: FieldOrPart): boolean {
  return isOfAPerson(meaning) || isOfAName(meaning);
}

/** Tells whether a column for a name has names of companies, which may be other people's. */
function isOfCompanies(meaning: FieldOrPart, { company }: ContentProfile): boolean {
  return meaning === 'fullname' && company >= 0.3;
}

/** Tells whether a column has the same few people again and again. They are the sender's own, never the customers. */
export function isOfFew(meaning: FieldOrPart, seen: ContentProfile): boolean {
  return (isOfAPerson(meaning) || meaning === 'fullname') && isRepeated(seen);
}

/** Tells whether the content leaves a meaning possible. A name that is understood in part needs content that fits. */
function isPossible({ meaning, strength, rank }: NamedMeaning, fit: Fit, { name, seen }: Look): boolean {
  if (fit === 'contradicts' || (meaning === 'notes' && isRepeated(seen))) return false;
  if (meaning === 'location' && name.isRegion && fit === 'allows') return false;
  if (strength === 'plain') return true;
  const isUnshown = fit === 'none' || (strength === 'slip' && fit === 'allows');
  return !isUnshown && !isOfFew(meaning, seen) && !isAnotherNumber(meaning, rank, fit, seen);
}

/** Tells whether a name says a meaning so clearly that a person need not be asked, whatever else is in the file. */
function isClearlyNamed({ meaning, strength, rank }: NamedMeaning, fit: Fit, { name, seen }: Look): boolean {
  // A category shows by repetition alone, which a slip may have as well.
  if (strength !== 'plain') return strength === 'slip' && fit === 'shows' && meaning !== 'category';
  const mayBeStrangers = name.mayBeAnothers && isPersonal(meaning);
  // Names and places have no typical form. If the content does not show them, a person has to check.
  const isVague =
    (MEANINGS[meaning].isVague && fit === 'allows') ||
    // Notes may be about the customer, whatever they look like.
    meaning === 'notes' ||
    isOfCompanies(meaning, seen) ||
    // A patient may be an animal.
    (meaning === 'fullname' && name.isSomebody && seen.oneWord >= 0.9) ||
    // A word for a need whose column holds single words instead of texts more likely means the kind of service.
    (meaning === 'request_text' && fit === 'allows' && seen.longText < 0.1 && seen.medianLength <= 16);
  const isElsewhere = name.isBilling || (rank >= SECOND && MEANINGS[meaning].group === 'place');
  return !isVague && !isElsewhere && !mayBeStrangers && !isOfFew(meaning, seen);
}

/** Tells whether a word for a number means something else: no telephone, or an amount or a line instead of a reference. */
function isAnotherNumber(meaning: FieldOrPart, rank: number, fit: Fit, seen: ContentProfile): boolean {
  if (meaning === 'phone') return fit !== 'shows' && seen.hasSpace < 0.3;
  if (meaning !== 'ref') return false;
  const isAmount = rank >= ASIDE && (seen.codeLike < 0.5 || (seen.digits >= 0.5 && seen.medianLength < 9));
  return isAmount || (seen.isSequence && seen.filled > 2) || isPlainlyPhone(seen);
}

const BY_ORDER: readonly Candidate['by'][] = ['known name', 'plain name', 'part of the name', 'content'];
const FIT_ORDER: readonly Fit[] = ['shows', 'allows', 'none', 'contradicts'];

/** Compares two readings: known names first, then what the content shows, then how well the name is understood. */
export function byStrength(a: Candidate, b: Candidate): number {
  const known = Number(b.by === 'known name') - Number(a.by === 'known name');
  return (
    known || FIT_ORDER.indexOf(a.fit) - FIT_ORDER.indexOf(b.fit) || BY_ORDER.indexOf(a.by) - BY_ORDER.indexOf(b.by)
  );
}

/**
 * Leaves out columns without content if a column with content has the same meaning, because forms have fields that
 * nobody fills.
 */
export function withoutEmpty(candidates: readonly Candidate[]): readonly Candidate[] {
  const isFilled = (meaning: FieldOrPart) =>
    candidates.some((each) => each.look.seen.filled > 0 && each.meaning === meaning);
  return candidates.filter(
    ({ meaning, look: { seen } }) => seen.filled > 0 || MEANINGS[meaning].isSeveral || !isFilled(meaning),
  );
}

/**
 * Decides which part of a name a column called only "name" holds. Beside a column for the last name it holds the first
 * name, and beside one for the first name it holds the last name, unless its cells are whole names.
 */
export function asNameParts(all: readonly Candidate[]): readonly Candidate[] {
  const candidates = withPersons(all).map((each) =>
    isGivenName(each) ? { ...each, meaning: 'first_name' as const } : each,
  );
  const has = (meaning: FieldOrPart) => candidates.some((each) => each.meaning === meaning);
  if (has('first_name') && has('last_name')) return candidates;
  if (!has('fullname')) return candidates.map((each) => (isWholeName(each) ? { ...each, meaning: 'fullname' } : each));
  if (has('first_name') || has('last_name')) {
    const meaning = has('last_name') ? 'first_name' : 'last_name';
    return candidates.map((each) => (isHalfName(each) ? { ...each, meaning } : each));
  }
  return candidates;
}

/** Leaves out names of companies and subjects if another column has names of persons, even if that is known less well. */
function withPersons(all: readonly Candidate[]): readonly Candidate[] {
  const candidates = withoutSpeakers(all);
  const hasPersons = candidates.some(
    ({ meaning, look: { name, seen } }) =>
      meaning === 'fullname' && !name.hasUnknown && holdsPersons(seen) && seen.wordsOnly >= 0.3,
  );
  const isThing = ({ look: { seen } }: Candidate) =>
    seen.filled >= 3 && (seen.company >= 0.3 || (seen.givenName < 0.1 && seen.oneWord < 0.5));
  return candidates.filter((each) => !(hasPersons && each.meaning === 'fullname' && isThing(each)));
}

/** Leaves out the name of whoever speaks for the customer if each row has the customer's, even if that is known less well. */
function withoutSpeakers(candidates: readonly Candidate[]): readonly Candidate[] {
  const isSpeaker = ({ meaning, look }: Candidate) => meaning === 'fullname' && look.name.speaksForOthers;
  const most = Math.max(...candidates.filter(isSpeaker).map(({ look }) => look.seen.filled));
  const hasCustomers = candidates.some(
    (each) =>
      each.meaning === 'fullname' && !isSpeaker(each) && holdsPersons(each.look.seen) && each.look.seen.filled >= most,
  );
  return hasCustomers ? candidates.filter((each) => !isSpeaker(each)) : candidates;
}

/** Tells whether a column called "name" has a single given name in each cell. */
function isGivenName({ meaning, look: { seen } }: Candidate): boolean {
  return meaning === 'fullname' && seen.oneWord >= 0.8 && seen.givenName >= 0.5;
}

/** Tells whether a column that seems to be half of a name, and has no other half, holds whole names. */
function isWholeName({ meaning, look: { seen } }: Candidate): boolean {
  return isOfAName(meaning) && seen.wordsOnly >= 0.6 && holdsPersons(seen);
}

function isHalfName({ meaning, look }: Candidate): boolean {
  return meaning === 'fullname' && look.seen.wordsOnly < 0.85;
}

/** Turns a category into the text of the need if each row has words of its own there, and no other column has the text. */
export function asNeed(candidates: readonly Candidate[]): readonly Candidate[] {
  const isOwn = ({ filled, distinct, hasSpace }: ContentProfile) => filled >= 4 && distinct >= 0.9 && hasSpace >= 0.7;
  if (candidates.some(({ meaning }) => meaning === 'request_text')) return candidates;
  return candidates.map((each) =>
    each.meaning === 'category' && isOwn(each.look.seen) ? { ...each, meaning: 'request_text' } : each,
  );
}

/** Turns a second question for the need, answered in a few words, into the category if no other column has that. */
export function asKind(candidates: readonly Candidate[]): readonly Candidate[] {
  const [, ...others] = candidates.filter(({ meaning }) => meaning === 'request_text').sort(byMerit);
  if (candidates.some(({ meaning }) => meaning === 'category')) return candidates;
  const isOfWords = (seen: ContentProfile) =>
    seen.filled >= 3 && seen.oneWord >= 0.2 && !holdsPersons(seen) && fitOf('last_name', seen) === 'shows';
  const isKind = ({ by, look: { name, seen } }: Candidate) =>
    by !== 'known name' && name.meanings.some(({ meaning }) => meaning === 'category') && isOfWords(seen);
  return candidates.map((each) =>
    others.includes(each) && isKind(each) ? { ...each, meaning: 'category', isClear: false } : each,
  );
}

/** Leaves out the name of a pet beside the names of its owners. A person is asked about the owners. */
export function withoutPets(candidates: readonly Candidate[], looks: readonly Look[]): readonly Candidate[] {
  const hasOwners = looks.some(({ name, seen }) => name.isOwner && holdsPersons(seen));
  return hasOwners ? candidates.filter(({ meaning, look }) => !(isOfAName(meaning) && look.name.isEither)) : candidates;
}

/**
 * The rank added to a meaning that depends on other columns, so that it comes after all names with that meaning by
 * themselves.
 */
const LAST_RANK = 100;

/**
 * Turns an address into the street if other columns hold the town or the postal code. If it holds towns and no other
 * column does, it becomes the town.
 */
export function asPlaceParts(candidates: readonly Candidate[]): readonly Candidate[] {
  if (!candidates.some(({ meaning }) => meaning === 'city' || meaning === 'postal_code')) return candidates;
  const isStreet = ({ meaning, by, look }: Candidate) =>
    meaning === 'location' && (by !== 'known name' || isOfKind('address', normalForm(look.header)));
  const hasTown = candidates.some(({ meaning }) => meaning === 'city');
  return candidates.map((each) => {
    if (!isStreet(each)) return each;
    const isTown = !hasTown && each.look.seen.town >= 0.3;
    return { ...each, meaning: isTown ? 'city' : 'street', rank: each.rank + LAST_RANK };
  });
}

/** Turns a number in the column after the street into the house number. */
export function withHouseNumber(candidates: readonly Candidate[], looks: readonly Look[]): readonly Candidate[] {
  const street = candidates.find(({ meaning }) => meaning === 'street');
  const next = looks.find(({ index }) => index === (street?.index ?? -2) + 1);
  const isNumber = next?.name.meanings.some(({ meaning }) => meaning === 'ref') ?? false;
  if (!street || !next || !isNumber || fitOf('house_number', next.seen) !== 'shows') return candidates;
  const house: Candidate = { ...guessed(next, 'house_number', 'number behind the street'), isClear: street.isClear };
  return [...candidates.filter(({ index }) => index !== next.index), house];
}

/**
 * Keeps the best of several columns for a field that has only one value. All columns with a known name are kept,
 * because a row may have its value in any of them.
 */
export function withoutRivals(candidates: readonly Candidate[]): readonly Candidate[] {
  const left = candidates.filter((each) => !isAnothersName(each, candidates));
  const meanings = new Set(left.map(({ meaning }) => meaning));
  return [...meanings].flatMap((meaning) => {
    const rivals = left.filter((each) => each.meaning === meaning).sort(byMerit);
    if (MEANINGS[meaning].isSeveral) {
      // Those with unknown words belong to other people: "Sparky mob." is not the customer's number if there is a "Phone".
      const understood = rivals.filter(({ by }) => by === 'known name' || by === 'plain name');
      return understood.length > 0 ? understood : rivals;
    }
    const known = rivals.filter(({ by }) => by === 'known name');
    return known.length > 0 ? known : rivals.slice(0, 1);
  });
}

/**
 * Tells whether an uncertain or empty name is that of another person. This is a whole name beside both halves, if these
 * are certain, or a single half beside a whole name that is certain.
 */
function isAnothersName({ meaning, isClear, look, by }: Candidate, candidates: readonly Candidate[]): boolean {
  const isCertain = (other: FieldOrPart) => candidates.some((each) => each.meaning === other && each.isClear);
  const mayBe = !isClear || (look.seen.filled === 0 && by !== 'known name');
  if (meaning === 'fullname') {
    const halves = candidates.filter((each) => each.meaning === 'first_name' && each.isClear);
    // "Bride" beside plain halves is somebody else, and "Invitee name" beside "Invitee first name" is not.
    const isOfRole = [...look.name.whose].some((person) => !halves.some((each) => each.look.name.whose.has(person)));
    return (mayBe || (isOfRole && by !== 'known name')) && halves.length > 0 && isCertain('last_name');
  }
  if (isClear || !isOfAName(meaning)) return false;
  const has = (other: FieldOrPart) => candidates.some((each) => each.meaning === other);
  return isCertain('fullname') && (look.name.isEither || !(has('first_name') && has('last_name')));
}

/**
 * Leaves out contacts of somebody else than the name if the person of the name has such a contact, because they would be
 * called where the customer's own number is empty: a caller's beside a tenant's. So are those that have the number of
 * another name: "Parent 2 phone" beside "Parent 2".
 */
export function withoutOthersContacts(readings: readonly Candidate[], looks: readonly Look[]): readonly Candidate[] {
  const { isOwn, isOthers } = ownersOf(readings);
  const numberOf = ({ header }: Look) => /(?<!\d)[2-9](?!\d)/.exec(header)?.[0];
  const isRead = ({ index }: Look) => readings.some((each) => each.index === index);
  const numbers = new Set(looks.filter((look) => holdsPersons(look.seen) && !isRead(look)).map(numberOf));
  const hasOwn = (meaning: FieldOrPart) => readings.some((each) => each.meaning === meaning && isOwn(each));
  const isOfAnotherName = ({ meaning, look }: Candidate) =>
    isOfAPerson(meaning) && numberOf(look) !== undefined && numbers.has(numberOf(look));
  return readings.filter((each) => !(isOthers(each) && hasOwn(each.meaning)) && !isOfAnotherName(each));
}

/** Returns what tells whether a contact belongs to the person of the name, or to somebody else. */
export function ownersOf(readings: readonly Candidate[]) {
  const whose = ({ look }: Candidate) => [...look.name.whose];
  const named = new Set(readings.filter(({ meaning }) => isOfAName(meaning)).flatMap(whose));
  const isOwn = (each: Candidate) =>
    whose(each).some((person) => named.has(person)) ||
    (named.size === 0 && whose(each).length === 0 && each.look.name.isCustomers);
  const isOthers = (each: Candidate) => isOfAPerson(each.meaning) && whose(each).length > 0 && !isOwn(each);
  return { isOwn, isOthers };
}

function byMerit(a: Candidate, b: Candidate): number {
  const isLast = ({ rank, look }: Candidate) => Number(rank >= LAST_RANK || look.name.isBilling);
  return Number(b.isClear) - Number(a.isClear) || isLast(a) - isLast(b) || byStrength(a, b) || a.index - b.index;
}
