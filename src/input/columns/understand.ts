import { type FieldOrPart, normalForm } from '../../request/lead/field-aliases.ts';
import { type Market, parseMarket } from '../../request/lead/markets.ts';
import { type MissedColumn, resultColumnOf } from '../../request/lead/table.ts';
import {
  asKind,
  asNameParts,
  asNeed,
  asPlaceParts,
  byStrength,
  type Candidate,
  type ColumnReading,
  candidatesByName,
  guessed,
  isOfAName,
  isOfAPerson,
  isOfFew,
  isPersonal,
  type Look,
  ownersOf,
  withHouseNumber,
  withoutEmpty,
  withoutOthersContacts,
  withoutPets,
  withoutRivals,
} from './candidates.ts';
import { profileOf } from './content.ts';
import {
  contentReason,
  fitOf,
  holdsPersons,
  isPlainlyEmail,
  isPlainlyPhone,
  isPlainlyText,
  isRepeated,
  MEANINGS,
} from './meanings.ts';
import { nameEvidence } from './name-evidence.ts';

/** The columns of a file, as far as they are known. */
interface ColumnsView {
  readonly columns: readonly string[];
  /** The first cells of each column. All columns have the same number of cells, so that an index identifies a row. */
  readonly cells: readonly (readonly string[])[];
  /** The market of rows without a country of their own, if it is known. */
  readonly market: Market | undefined;
}

/** The meanings of a file's columns. */
export type Understanding = ReturnType<typeof understandColumns>;

/**
 * Determines the meaning of each column from its name and its content. A name that srq knows exactly is `certain`,
 * unless the cells are clearly something else. Other names are read as words. They are `certain` if all words are
 * understood and the content does not contradict them, or if some words are unknown but the content shows the meaning.
 * Content without a telling name is `likely`, except e-mail addresses in one single column.
 */
export function understandColumns(view: ColumnsView) {
  const all = lookAt(view);
  // The columns that srq adds to a results file mean nothing.
  const looks = all.filter(({ header }) => resultColumnOf(header) === null);
  const bestFirst = (a: Candidate, b: Candidate) => byStrength(a, b) || a.rank - b.rank;
  const named = looks.flatMap((look) => candidatesByName(look).sort(bestFirst).slice(0, 1));
  const persons = asNameParts(withoutPets(withoutEmpty(named), looks));
  const chosen = withoutRivals(asKind(asNeed(withHouseNumber(asPlaceParts(persons), looks))));
  const found = [...chosen];
  // Each function looks for what is still missing, so their order matters.
  for (const find of [byContentAlone, onlyPersons, namePair, region]) found.push(...find(looks, found));
  const readings = withLevels(withoutOthersContacts(found, looks), looks).sort((a, b) => a.index - b.index);
  return {
    /** At most one reading for each column, in the order of the columns. */
    readings: readings.map(({ index, meaning, level, rank, because }): ColumnReading => {
      return { index, meaning, level, rank, because };
    }),
    /** Columns without a reading that clearly hold telephone numbers, e-mail addresses or longer texts. */
    plain: looks.filter(({ index }) => !isTaken(readings, index)).flatMap(plainContent),
    profiles: all.map(({ seen }) => seen),
  };
}

function plainContent({ index, seen, name }: Look): MissedColumn[] {
  const isOthers = name.isOthers || name.isElse || name.mayBeAnothers;
  if (isRepeated(seen)) return [];
  if (isPlainlyEmail(seen)) return [{ index, field: 'email', isOthers }];
  if (isPlainlyPhone(seen)) return [{ index, field: 'phone', isOthers }];
  return isPlainlyText(seen) ? [{ index, field: 'request_text', isOthers }] : [];
}

function lookAt({ columns, cells, market }: ColumnsView): Look[] {
  const names = columns.map(nameEvidence);
  const countryAt = names.findIndex(({ meanings, isOthers }) => meanings[0]?.meaning === 'country' && !isOthers);
  const markets = new Map<string, Market | undefined>();
  const marketOf = (row: number): Market | undefined => {
    const text = cells[countryAt]?.[row]?.trim() ?? '';
    if (text === '') return market;
    if (!markets.has(text)) markets.set(text, parseMarket(text));
    return markets.get(text);
  };
  return names.map((name, index) => {
    return { index, header: columns[index] ?? '', name, seen: profileOf(cells[index] ?? [], marketOf) };
  });
}

/** Minimum number of filled cells before content decides anything. */
const MIN_FILLED = 3;

const OF_AN_ADDRESS: readonly FieldOrPart[] = ['street', 'postal_code', 'city'];

/**
 * Decides which readings are certain: nobody else than the customer may be meant, and either the name is clear and no
 * other column doubts it, or the content shows the meaning and no other column of the file is of that kind. A person is
 * asked about all others.
 */
function withLevels(readings: readonly Candidate[], looks: readonly Look[]): (Candidate & ColumnReading)[] {
  const isClear = (each: Candidate) => each.isClear && !isDoubted(each, readings, looks);
  const clear = new Map(readings.filter(isClear).map(({ index, meaning }) => [index, meaning]));
  // The number of a customer is doubted beside any column of numbers.
  const mayBe = (at: number, { meaning, look }: Candidate) =>
    look.name.isCustomers || (clear.get(at) ?? meaning) === meaning;
  const isOnlyOne = (each: Candidate) =>
    !looks.some((look) => look.index !== each.index && isNear(each.meaning, look) && mayBe(look.index, each));
  const isStrangers = strangers(readings, looks);
  return readings.map((each) => {
    if (isStrangers(each)) return { ...each, level: 'likely' };
    if (clear.has(each.index)) return { ...each, level: 'certain' };
    if (!isPlain(each, readings) || !isOnlyOne(each)) return { ...each, level: 'likely' };
    return { ...each, level: 'certain', because: `${each.because}, the only such column` };
  });
}

/** Tells whether other columns doubt what a name says. A column that is the only one of its kind is certain all the same. */
function isDoubted(each: Candidate, readings: readonly Candidate[], looks: readonly Look[]): boolean {
  const { meaning, by, look } = each;
  // Who pays may be the customer, and who is named for the delivery somebody else. A company is neither.
  const isPayer = ({ name, seen }: Look) =>
    name.isBilling && name.meanings.some((named) => named.meaning === meaning) && seen.company < 0.3;
  if (isOfAName(meaning)) return looks.some(isPayer);
  if (!isOfAPerson(meaning)) return false;
  const rivals = readings.filter((other) => other.meaning === meaning);
  const isFirst = ({ look: { name } }: Candidate) => !name.isSecond && !name.isDoubted;
  const isLast = look.name.isSecond && !rivals.some(isFirst);
  // One of a place may be somebody else's.
  const isElsewhere = look.name.isOfAPlace && rivals.length > 1;
  const alike = rivals.filter((other) => normalForm(other.look.header) === normalForm(look.header));
  return alike.length > 1 || (by !== 'known name' && (look.name.isDoubted || isLast || isElsewhere));
}

/** Returns what tells whether a column may be that of another person than the customer. */
function strangers(readings: readonly Candidate[], looks: readonly Look[]): (each: Candidate) => boolean {
  const { isOthers } = ownersOf(readings);
  // The few numbers of a sender beside those of the customers.
  const isSenders = (each: Candidate) =>
    isOfFew(each.meaning, each.look.seen) && looks.some((look) => isNear(each.meaning, look));
  // Beside an owner's name, a tenant may be the customer or not. Beside any other person's, so may a caller.
  const others = looks.filter(
    ({ index, name, seen }) =>
      (name.isOwner || !name.isOthers) && holdsPersons(seen) && !isRepeated(seen) && !isTaken(readings, index),
  );
  const isOfRole = ({ by, meaning, look: { name } }: Candidate) =>
    by !== 'known name' &&
    isPersonal(meaning) &&
    name.whose.size > 0 &&
    others.some(
      (other) =>
        other.name.isOwner || (name.speaksForOthers && ![...name.whose].some((person) => other.name.whose.has(person))),
    );
  return (each) => isOthers(each) || isSenders(each) || isOfRole(each);
}

/** Tells whether a column may be of the kind that a meaning has. Those of other people never are. */
function isNear(meaning: FieldOrPart, { name, seen }: Look): boolean {
  return !name.isOthers && seen.filled > 0 && (MEANINGS[meaning].plain?.(seen) ?? false);
}

function isPlain(candidate: Candidate, readings: readonly Candidate[]): boolean {
  const { seen } = candidate.look;
  const isOfKind = MEANINGS[candidate.meaning].plain?.(seen) ?? false;
  return seen.filled >= MIN_FILLED && isOfKind && !isUnclear(candidate) && isTelling(candidate, readings);
}

/** Tells whether the content may decide, given the name and the neighbouring columns. */
function isTelling({ by, look, meaning, index }: Candidate, readings: readonly Candidate[]): boolean {
  if (by !== 'content') return true;
  // A name with only unknown words must be read by a person.
  if (!look.name.isEmpty) return false;
  if (meaning === 'phone') return look.seen.writtenAsPhone >= 0.5;
  if (!OF_AN_ADDRESS.includes(meaning)) return true;
  return readings.some((each) => OF_AN_ADDRESS.includes(each.meaning) && [1, -1].includes(each.index - index));
}

function isUnclear({ meaning, look: { name } }: Candidate): boolean {
  const isDoubted = name.isSecond || (MEANINGS[meaning].group === 'contact' && (name.isDoubted || name.isOfAPlace));
  // An unknown word may say what is numbered, or whose a name is.
  const isUnknown = meaning === 'ref' ? name.hasUnknown : isPersonal(meaning) && name.mayBeAnothers;
  return name.isBilling || isDoubted || isUnknown;
}

const isTaken = (readings: readonly Candidate[], index: number) => readings.some((each) => each.index === index);
const isGiven = (readings: readonly Candidate[], meanings: readonly FieldOrPart[]) =>
  readings.some(({ meaning }) => meanings.includes(meaning));

const FIELDS_AND_PARTS = Object.keys(MEANINGS) as FieldOrPart[];

/** Reads columns by their content, if neither their names nor other columns give the field. */
function byContentAlone(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  const found: Candidate[] = [];
  for (const meaning of FIELDS_AND_PARTS) {
    const { plain, readUnder, unless = [], isSeveral, group } = MEANINGS[meaning];
    const all = [...readings, ...found];
    if (readUnder === undefined || isGiven(all, [meaning, ...unless])) continue;
    const alike = unread(looks, all).filter(
      ({ name, seen }) =>
        (name.isEmpty || readUnder === 'any name') && plain?.(seen) && (!isRepeated(seen) || group === 'place'),
    );
    for (const look of isSeveral ? alike : alike.slice(0, 1))
      found.push(guessed(look, meaning, contentReason(meaning, look.seen) ?? 'its content'));
  }
  return found;
}

/** Returns the filled columns without a reading that may be the customer's by their names. */
function unread(looks: readonly Look[], readings: readonly Candidate[]): Look[] {
  return looks.filter(
    ({ index, name, seen }) => !name.isOthers && !name.isElse && seen.filled > 0 && !isTaken(readings, index),
  );
}

/**
 * Takes two neighbouring columns of mostly one word each for first and last name, if no other column holds a name. The
 * one with given names is the first name.
 */
function namePair(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['fullname', 'first_name', 'last_name'])) return [];
  const words = unread(looks, readings).filter(
    ({ seen }) => seen.oneWord >= 0.6 && fitOf('last_name', seen) === 'shows',
  );
  const first = words.find(({ seen }) => holdsPersons(seen));
  const last = words.find(({ index }) => first && Math.abs(index - first.index) === 1);
  if (!first || !last) return [];
  return [guessed(first, 'first_name', 'given names'), guessed(last, 'last_name', 'words beside given names')];
}

/**
 * Takes the only names of persons of a file for the customers', whatever their column is called: the keeper of a pet, an
 * owner, a member. A person is always asked.
 */
function onlyPersons(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['fullname', 'first_name', 'last_name'])) return [];
  const persons = looks.filter(
    ({ index, seen }) => !isTaken(readings, index) && holdsPersons(seen) && seen.wordsOnly >= 0.3 && !isRepeated(seen),
  );
  const likeliest =
    persons.find(({ name }) => !name.isOthers && !name.isElse) ?? persons.find(({ name }) => name.isOwner);
  const [first, ...more] = persons;
  const because = more.length > 0 ? 'names of persons' : 'the only names of persons';
  return first ? [guessed(likeliest ?? first, 'fullname', because)] : [];
}

/** Takes a column with a part of a town or of a country for the location, if no other column is more precise. */
function region(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['city', 'location'])) return [];
  const hasBetter = isGiven(readings, ['postal_code', 'street']);
  const only = unread(looks, readings).find(({ name, seen }) => name.isRegion && (seen.town >= 0.3 || !hasBetter));
  return only ? [{ ...guessed(only, 'location', 'the only place that the file names'), by: 'part of the name' }] : [];
}
