import { aliasOf, type FieldOrPart, normalForm } from '../../request/lead/field-aliases.ts';
import type { ContentProfile } from './content.ts';
import {
  contentReason,
  type Fit,
  fitOf,
  holdsFewValues,
  holdsPersons,
  isPlainlyOther,
  isPlainlyPhone,
  isRepeated,
  MEANINGS,
} from './meanings.ts';
import { type NameEvidence, PARENTS } from './name-evidence.ts';
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

/** One way to read one column. */
export interface Candidate extends ColumnReading {
  readonly look: Look;
  readonly fit: Fit;
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
    const known: Candidate = { index, ...alias, level: 'certain', because: 'known name', fit, by: 'known name', look };
    const isAsked = alias.meaning === 'notes' || isOfCompanies(alias.meaning, seen);
    found.push(isAsked ? { ...known, level: 'likely' } : known);
  }
  if (name.isOthers && found.length === 0) return [];
  for (const named of name.meanings) {
    const { meaning, strength } = named;
    const fit = fitOf(meaning, seen);
    const level = levelOf(named, fit, look);
    if (level === null) continue;
    const because = ['the name fits', contentReason(meaning, seen)].filter((reason) => reason !== null).join(', ');
    const by = strength === 'plain' ? 'plain name' : 'part of the name';
    // Columns whose names are read as words never tie. The earlier column comes first.
    found.push({ index, meaning, rank: named.rank + index / 10_000, level, because, fit, by, look });
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
  return { index: look.index, meaning, rank, level: 'likely', because, fit: 'shows', by: 'content', look };
}

const isOfAPerson = (meaning: FieldOrPart) => MEANINGS[meaning].group === 'contact';
const isOfAName = (meaning: FieldOrPart) => MEANINGS[meaning].group === 'name';
const OF_A_NAME: readonly FieldOrPart[] = ['fullname', 'first_name', 'last_name'];

/** Tells whether a meaning belongs to a person. Unknown words in the name may mean another person than the customer. */
export function isPersonal(meaning: FieldOrPart): boolean {
  return isOfAPerson(meaning) || isOfAName(meaning);
}

/** Tells whether a column for a name has names of companies, which may be other people's. */
function isOfCompanies(meaning: FieldOrPart, { company }: ContentProfile): boolean {
  return meaning === 'fullname' && company >= 0.3;
}

/** Tells whether a column has the same few people again and again. They are the sender's own, never the customers. */
function isOfFew(meaning: FieldOrPart, seen: ContentProfile): boolean {
  return (isOfAPerson(meaning) || meaning === 'fullname') && isRepeated(seen);
}

/** Returns the certainty of a reading by words, or null if the content contradicts it. */
function levelOf(
  { meaning, strength, rank }: NamedMeaning,
  fit: Fit,
  { name, seen }: Look,
): ColumnReading['level'] | null {
  if (fit === 'contradicts' || (meaning === 'notes' && isRepeated(seen))) return null;
  // Names and places have no typical form. If the content does not show them, a person has to check. If the same few
  // people occur again and again, they are the sender's own.
  const isOwn = isOfFew(meaning, seen);
  const mayBeStrangers = (name.unknown !== '' || name.isEither) && isPersonal(meaning);
  const isVague =
    (MEANINGS[meaning].isVague && fit === 'allows') ||
    // Notes may be about the customer, whatever they look like.
    meaning === 'notes' ||
    isOfCompanies(meaning, seen) ||
    // A patient may be an animal.
    (meaning === 'fullname' && name.isSomebody && seen.givenName === 0 && seen.oneWord >= 0.9);
  // A word for a need whose column holds single words instead of texts more likely means the kind of service.
  const isWord = meaning === 'request_text' && fit === 'allows' && seen.longText < 0.1 && seen.medianLength <= 16;
  const isElsewhere = name.isBilling || (rank >= SECOND && MEANINGS[meaning].group === 'place');
  if (strength === 'plain') return isWord || isVague || isOwn || isElsewhere || mayBeStrangers ? 'likely' : 'certain';
  // A word for a number or a call means a telephone only if the content is telephone numbers.
  if (fit === 'none' || (meaning === 'phone' && fit !== 'shows')) return null;
  if (isOfFew(meaning, seen)) return null;
  // An offer or an order without a word for its number may be its amount.
  if (meaning === 'ref' && rank >= ASIDE && (seen.codeLike < 0.5 || seen.isRound || seen.isSpread || seen.isSequence))
    return null;
  // A name that may be anything is the customer's only if its cells have names of persons.
  if (name.isEither && meaning === 'fullname' && !holdsPersons(seen)) return null;
  if (mayBeStrangers) return strength === 'slip' && fit === 'shows' ? 'certain' : 'likely';
  const isName = (meaning === 'fullname' || meaning === 'first_name') && holdsPersons(seen);
  const isSpecific = MEANINGS[meaning].isSpecific || isOfAPerson(meaning) || isName;
  if (strength === 'slip' && fit === 'shows' && isSpecific) return 'certain';
  // A number that can be called, or of a line, is a reference only if the name clearly says so.
  if (meaning === 'ref' && (isPlainlyPhone(seen) || (seen.isSequence && seen.filled > 2))) return null;
  const isKindOfService = meaning === 'category' && name.unknown === '' && !name.isSubject && holdsFewValues(seen);
  if (isKindOfService) return 'certain';
  if (fit !== 'shows' || rank >= ASIDE) return 'likely';
  if (name.isQuestion && (isOfAPerson(meaning) || MEANINGS[meaning].isOfQuestions)) return 'certain';
  if (name.unknown !== '') return 'likely';
  return MEANINGS[meaning].isSpecific ? 'certain' : 'likely';
}

const BY_ORDER: readonly Candidate['by'][] = ['known name', 'plain name', 'part of the name', 'content'];
const FIT_ORDER: readonly Fit[] = ['shows', 'allows', 'none', 'contradicts'];

/** Compares two readings: known names first, then what the content shows, then how well the name is understood. */
export function byStrength(a: Candidate, b: Candidate): number {
  const isKnown = ({ by }: Candidate) => Number(by === 'known name');
  const known = isKnown(b) - isKnown(a);
  const fits = FIT_ORDER.indexOf(a.fit) - FIT_ORDER.indexOf(b.fit);
  return known || fits || BY_ORDER.indexOf(a.by) - BY_ORDER.indexOf(b.by);
}

/**
 * Leaves out columns without content if a column with content has the same meaning, because forms have fields that
 * nobody fills.
 */
export function withoutEmpty(candidates: readonly Candidate[]): readonly Candidate[] {
  const isFilled = (meaning: FieldOrPart) =>
    candidates.some((each) => each.look.seen.filled > 0 && each.meaning === meaning);
  return candidates.filter(({ meaning, look: { seen } }) => {
    if (seen.filled > 0 || MEANINGS[meaning].isSeveral) return true;
    return !(meaning === 'fullname' ? OF_A_NAME : [meaning]).some(isFilled);
  });
}

/**
 * Decides which part of a name a column called only "name" holds. Beside a column for the last name it holds the first
 * name, and beside one for the first name it holds the last name, unless its cells are whole names. Of two columns
 * "name 1" and "name 2" with one word in each cell, as ledgers have them, the first is the last name.
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
  const [one, two, ...more] = candidates.filter(({ meaning, look }) => meaning === 'fullname' && look.name.isBareName);
  if (!one || !two || more.length > 0 || !isNumberedPair(one, two)) return candidates;
  const parts = new Map<Candidate, FieldOrPart>([
    [one, 'last_name'],
    [two, 'first_name'],
  ]);
  return candidates.map((each) => ({ ...each, meaning: parts.get(each) ?? each.meaning }));
}

/** Leaves out names of companies and subjects if another column has names of persons, even if that is known less well. */
function withPersons(candidates: readonly Candidate[]): readonly Candidate[] {
  const hasPersons = candidates.some(
    ({ meaning, look: { name, seen } }) =>
      meaning === 'fullname' && name.unknown === '' && holdsPersons(seen) && seen.wordsOnly >= 0.3,
  );
  const isThing = ({ look: { seen } }: Candidate) =>
    seen.filled >= 3 && (seen.company >= 0.3 || (seen.givenName < 0.1 && seen.oneWord < 0.5));
  return candidates.filter((each) => !(hasPersons && each.meaning === 'fullname' && isThing(each)));
}

/** Tells whether a column called "name" has a single given name in each cell. */
function isGivenName({ meaning, look: { seen } }: Candidate): boolean {
  return meaning === 'fullname' && seen.filled >= 3 && seen.oneWord >= 0.9 && seen.givenName >= 0.5;
}

/** Tells whether a column that seems to be half of a name, and has no other half, holds whole names. */
function isWholeName({ meaning, look: { seen } }: Candidate): boolean {
  return isOfAName(meaning) && seen.wordsOnly >= 0.6 && holdsPersons(seen);
}

function isHalfName({ meaning, look }: Candidate): boolean {
  return meaning === 'fullname' && look.name.isBareName && look.seen.wordsOnly < 0.85;
}

function isNumberedPair(one: Candidate, two: Candidate): boolean {
  const areNeighbours = two.index === one.index + 1;
  return areNeighbours && [one, two].every(({ look: { seen } }) => seen.filled > 0 && seen.oneWord >= 0.7);
}

/** Leaves out the name of a pet beside the names of its owners, about whom a person is asked. */
export function withoutPets(candidates: readonly Candidate[], looks: readonly Look[]): readonly Candidate[] {
  const hasOwners = looks.some(({ name, seen }) => name.isOwner && holdsPersons(seen) && !isRepeated(seen));
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
    const { town, streetLike, streetWord } = each.look.seen;
    const isTown = !hasTown && town >= 0.3 && Math.max(streetLike, streetWord) < 0.3;
    return { ...each, meaning: isTown ? 'city' : 'street', rank: each.rank + LAST_RANK };
  });
}

/** Turns a number in the column after the street into the house number. */
export function withHouseNumber(candidates: readonly Candidate[], looks: readonly Look[]): readonly Candidate[] {
  const street = candidates.find(({ meaning }) => meaning === 'street');
  const next = looks.find(({ index }) => index === (street?.index ?? -2) + 1);
  const isNumber = next?.name.meanings.some(({ meaning }) => meaning === 'ref') ?? false;
  if (!street || !next || !isNumber || fitOf('house_number', next.seen) !== 'shows') return candidates;
  const house: Candidate = { ...guessed(next, 'house_number', 'number behind the street'), level: street.level };
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
    const known = rivals.filter(({ by }) => by === 'known name');
    const [winner, second] = rivals;
    if (isOfAPerson(meaning)) return asDoubted(second ? withoutStrangers(rivals) : rivals);
    if (!winner || !second) return rivals;
    if (MEANINGS[meaning].isSeveral) return withoutStrangers(rivals);
    if (known.length > 0) return known;
    return [winner];
  });
}

/**
 * Tells whether an uncertain name is that of another person. This is a whole name beside both halves, if these are
 * certain, or a single half beside a whole name that is certain.
 */
function isAnothersName({ meaning, level, look }: Candidate, candidates: readonly Candidate[]): boolean {
  const has = (other: FieldOrPart) => candidates.some((each) => each.meaning === other);
  const isCertain = (other: FieldOrPart) =>
    candidates.some((each) => each.meaning === other && each.level === 'certain');
  if (meaning === 'fullname')
    return (level === 'likely' || look.name.isSomebody) && isCertain('first_name') && isCertain('last_name');
  if (level === 'certain' || !isOfAName(meaning)) return false;
  return isCertain('fullname') && (look.name.isEither || !(has('first_name') && has('last_name')));
}

/**
 * Leaves out columns with unknown words if there are columns whose names are understood, because they belong to other
 * people: "Sparky mob." is not the customer's number if there is a "Phone".
 */
function withoutStrangers(rivals: readonly Candidate[]): readonly Candidate[] {
  const understood = rivals.filter(({ by }) => by === 'known name' || by === 'plain name');
  return understood.length > 0 ? understood : rivals.map((each) => (isRepeated(each.look.seen) ? inDoubt(each) : each));
}

function inDoubt(candidate: Candidate): Candidate {
  return { ...candidate, level: 'likely', because: `${candidate.because}; the same few again and again` };
}

/**
 * Makes contacts likely whose names doubt them. A second one is doubted if there is no first one, and one of a place if
 * there is another one, because it may be somebody else's.
 */
function asDoubted(rivals: readonly Candidate[]): readonly Candidate[] {
  const isFirst = ({ look: { name } }: Candidate) => !name.isSecond && !name.isDoubted;
  return rivals.map((each) => {
    const { isDoubted, isSecond, isOfAPlace } = each.look.name;
    const isLast = isSecond && !rivals.some(isFirst);
    const isElsewhere = isOfAPlace && rivals.length > 1;
    return each.by !== 'known name' && (isDoubted || isLast || isElsewhere) ? { ...each, level: 'likely' } : each;
  });
}

/**
 * Makes contacts likely that belong to somebody else than the name and the best contact, because they would be called
 * where the customer's own number is empty: a caller's beside a tenant's, or the parents' beside a pupil's name.
 */
export function withoutOthersContacts(readings: readonly Candidate[]): readonly Candidate[] {
  const names = readings.filter(({ meaning }) => isOfAName(meaning));
  const named = new Set(names.flatMap(({ look }) => [...look.name.whose]));
  const isOf = ({ look: { name } }: Candidate, people: ReadonlySet<string>) =>
    name.whose.size === 0 || [...name.whose].some((each) => people.has(each));
  const isAsked = (each: Candidate) => {
    if (!isOfAPerson(each.meaning) || isOf(each, named)) return false;
    if (named.size > 0 || (names.length > 0 && each.look.name.whose.has(PARENTS))) return true;
    const rivals = readings.filter(({ meaning }) => meaning === each.meaning);
    const [best] = rivals.sort((a, b) => Number(isOf(b, named)) - Number(isOf(a, named)) || a.rank - b.rank);
    return best !== undefined && !isOf(each, best.look.name.whose);
  };
  return readings.map((each) => (isAsked(each) ? { ...each, level: 'likely' } : each));
}

function byMerit(a: Candidate, b: Candidate): number {
  const isCertain = ({ level }: Candidate) => Number(level === 'certain');
  const size = ({ look: { seen }, meaning }: Candidate) =>
    meaning === 'request_text' ? seen.medianLength : seen.filled;
  const isSecond = ({ rank }: Candidate) => Number(rank >= SECOND);
  return (
    isCertain(b) - isCertain(a) ||
    isSecond(a) - isSecond(b) ||
    byStrength(a, b) ||
    size(b) - size(a) ||
    a.index - b.index
  );
}
