import { aliasOf, type FieldOrPart, normalForm } from '../../request/field-aliases.ts';
import { type Market, parseMarket } from '../../request/markets.ts';
import { type MissedColumn, resultColumnOf } from '../../request/table.ts';
import { byStrength, type Candidate, type ColumnReading, candidatesByName, guessed, type Look } from './candidates.ts';
import { type ContentProfile, profileOf } from './content.ts';
import {
  contentReason,
  fitOf,
  isNearlyText,
  isPlainlyEmail,
  isPlainlyPhone,
  isPlainlyText,
  isRepeated,
} from './fit.ts';
import { nameEvidence } from './name-evidence.ts';

/** What is known of a file's columns. */
export interface ColumnsView {
  readonly columns: readonly string[];
  /** The first cells of each column. All have the same number, so that a row can be told by its place. */
  readonly cells: readonly (readonly string[])[];
  /** The market of rows without a country of their own, if it is known. */
  readonly market: Market | undefined;
}

/** The file's columns as they were understood. */
export interface Understanding {
  /** At most one reading a column, in the order of the columns. */
  readonly readings: readonly ColumnReading[];
  /** Columns without a reading that plainly hold telephone numbers, e-mail addresses or longer texts. */
  readonly plain: readonly MissedColumn[];
  /** What each column holds. */
  readonly profiles: readonly ContentProfile[];
}

/**
 * Finds out what each column holds, by its name and its content. A name that srq knows exactly is `certain`, unless the
 * cells are plainly something else. Other names are read as words: they are `certain` if all words are understood and
 * the content does not contradict, or if the content shows it where words are left over. Content without a telling name
 * is `likely`, except e-mail addresses in one single column.
 */
export function understandColumns(view: ColumnsView): Understanding {
  const looks = lookAt(view);
  const named = looks.flatMap((look) => candidatesByName(look).sort(bestFirst).slice(0, 1));
  const chosen = withoutRivals(withHouseNumber(asPlaceParts(asNameParts(named)), looks));
  const readings = [...chosen];
  // Each finds what is still missing, so the order counts.
  for (const find of [byContentAlone, longestText, townBeside, namePair, region])
    readings.push(...find(looks, readings));
  readings.sort((a, b) => a.index - b.index);
  const plain = looks.filter(({ index }) => !isTaken(readings, index)).flatMap(plainContent);
  return {
    readings: readings.map(({ index, meaning, level, rank, because }) => ({ index, meaning, level, rank, because })),
    plain,
    profiles: looks.map(({ seen }) => seen),
  };
}

function bestFirst(a: Candidate, b: Candidate): number {
  return byStrength(a, b) || a.rank - b.rank;
}

function plainContent({ index, seen, name, isOwn }: Look): MissedColumn[] {
  if (isOwn) return [];
  const isOthers = name.isOthers || name.isElse;
  if (isPlainlyEmail(seen)) return [{ index, field: 'email', isOthers }];
  if (isPlainlyPhone(seen)) return [{ index, field: 'phone', isOthers }];
  return isPlainlyText(seen) ? [{ index, field: 'request_text', isOthers }] : [];
}

/** Number of cells that are looked at in all, which takes a second at most, and number of them for each column at least. */
const MAX_CELLS = 100_000;
const MIN_CELLS = 20;

function lookAt({ columns, cells, market }: ColumnsView): Look[] {
  const names = columns.map(nameEvidence);
  const countryAt = columns.findIndex(
    (header, index) =>
      aliasOf(header)?.meaning === 'country' ||
      (names[index]?.meanings[0]?.meaning === 'country' && !names[index]?.isOthers),
  );
  const markets = new Map<string, Market | undefined>();
  const marketOf = (row: number): Market | undefined => {
    const text = cells[countryAt]?.[row]?.trim() ?? '';
    if (text === '') return market;
    if (!markets.has(text)) markets.set(text, parseMarket(text));
    return markets.get(text);
  };
  const most = Math.max(MIN_CELLS, Math.floor(MAX_CELLS / Math.max(1, columns.length)));
  return names.map((name, index) => {
    const header = columns[index] ?? '';
    const isOwn = resultColumnOf(header) !== null;
    return { index, header, name, seen: profileOf(cells[index] ?? [], marketOf, most), isOwn };
  });
}

/**
 * A column called only "name" holds the first name beside one for the last name, and the last name beside one for the first
 * name, unless its cells are whole names. Of two called "name 1" and "name 2" with one word in each cell, as ledgers have
 * them, the first is the last name.
 */
function asNameParts(candidates: readonly Candidate[]): readonly Candidate[] {
  const has = (meaning: FieldOrPart) => candidates.some((each) => each.meaning === meaning);
  if (has('first_name') && has('last_name')) return candidates;
  if (has('first_name') || has('last_name')) {
    const meaning = has('last_name') ? 'first_name' : 'last_name';
    return candidates.map((each) => (isHalfName(each) ? { ...each, meaning } : each));
  }
  const [one, two, ...more] = candidates.filter(({ meaning }) => meaning === 'fullname');
  if (!one || !two || more.length > 0 || !isNumberedPair(one, two)) return candidates;
  const parts = new Map<Candidate, FieldOrPart>([
    [one, 'last_name'],
    [two, 'first_name'],
  ]);
  return candidates.map((each) => ({ ...each, meaning: parts.get(each) ?? each.meaning }));
}

function isHalfName({ meaning, look }: Candidate): boolean {
  return meaning === 'fullname' && look.name.isBareName && look.seen.wordsOnly < 0.6;
}

function isNumberedPair(one: Candidate, two: Candidate): boolean {
  const areNeighbours = two.index === one.index + 1;
  return areNeighbours && [one, two].every(({ look: { seen } }) => seen.filled > 0 && seen.oneWord >= 0.7);
}

/** Known names that mean the full address, but only the street beside a postal code or a town. */
const STREET_BESIDE_CITY: ReadonlySet<string> = new Set(
  'address morada endereco direccion domicilio adresse anschrift indirizzo'.split(' '),
);
/** The rank of a meaning that depends on other columns. It follows the ranks of all names that mean it by themselves. */
const LAST_RANK = 100;

/** An address beside a town or a postal code of its own is the street. */
function asPlaceParts(candidates: readonly Candidate[]): readonly Candidate[] {
  if (!candidates.some(({ meaning }) => meaning === 'city' || meaning === 'postal_code')) return candidates;
  const isStreet = ({ meaning, by, look }: Candidate) =>
    meaning === 'location' && (by !== 'known name' || STREET_BESIDE_CITY.has(normalForm(look.header)));
  return candidates.map((each) =>
    isStreet(each) ? { ...each, meaning: 'street', rank: each.rank + LAST_RANK } : each,
  );
}

/** A number that stands right behind the street is the number of the house. */
function withHouseNumber(candidates: readonly Candidate[], looks: readonly Look[]): readonly Candidate[] {
  const street = candidates.find(({ meaning }) => meaning === 'street');
  const next = looks.find(({ index }) => index === (street?.index ?? -2) + 1);
  const isNumber = next?.name.meanings.some(({ meaning }) => meaning === 'ref') ?? false;
  if (!street || !next || !isNumber || fitOf('house_number', next.seen) !== 'shows') return candidates;
  const house: Candidate = { ...guessed(next, 'house_number', 'number behind the street'), level: street.level };
  return [...candidates.filter(({ index }) => index !== next.index), house];
}

/** Fields for which several columns make sense, of which each row gives the first filled one. */
const SEVERAL: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>(['phone', 'email', 'last_name']);

/**
 * Leaves the best of several columns for a field that is given once. Columns with a known name all stay, as further
 * choices of a row.
 */
function withoutRivals(candidates: readonly Candidate[]): readonly Candidate[] {
  const meanings = new Set(candidates.map(({ meaning }) => meaning));
  return [...meanings].flatMap((meaning) => {
    const rivals = candidates.filter((each) => each.meaning === meaning).sort(byMerit);
    const known = rivals.filter(({ by }) => by === 'known name');
    const [winner, second] = rivals;
    if (!winner || !second) return rivals;
    if (SEVERAL.has(meaning)) return withoutStrangers(rivals);
    if (known.length > 0) return known;
    return [areNear(winner, second) ? inQuestion(winner) : winner];
  });
}

/**
 * Beside columns whose names are understood, one with words that are not is somebody else's: "Sparky mob." is not the
 * customer's number where there is a "Phone".
 */
function withoutStrangers(rivals: readonly Candidate[]): readonly Candidate[] {
  const understood = rivals.filter(({ by }) => by === 'known name' || by === 'plain name');
  return understood.length > 0 ? understood : rivals.map((each) => (isRepeated(each.look.seen) ? inDoubt(each) : each));
}

function inDoubt(candidate: Candidate): Candidate {
  return { ...candidate, level: 'likely', because: `${candidate.because}; the same few again and again` };
}

function byMerit(a: Candidate, b: Candidate): number {
  const isCertain = ({ level }: Candidate) => Number(level === 'certain');
  const size = ({ look: { seen }, meaning }: Candidate) =>
    meaning === 'request_text' ? seen.medianLength : seen.filled;
  return isCertain(b) - isCertain(a) || byStrength(a, b) || size(b) - size(a) || a.index - b.index;
}

/** Tells whether two columns are so near each other that a person should choose. */
function areNear(winner: Candidate, second: Candidate): boolean {
  if (winner.level !== second.level || byStrength(winner, second) !== 0) return false;
  const [one, two] = [winner.look.seen, second.look.seen];
  if (winner.meaning === 'request_text') return two.medianLength > one.medianLength * 0.5;
  return winner.meaning === 'fullname' || winner.meaning === 'ref';
}

function inQuestion(candidate: Candidate): Candidate {
  return { ...candidate, level: 'likely', because: `${candidate.because}; another column looks alike` };
}

/** What a column may hold whose name does not say it, by its content, the surest kind first. */
const BY_CONTENT: readonly {
  readonly meaning: FieldOrPart;
  readonly is: (seen: ContentProfile) => boolean;
  /** Meanings whose presence makes this one needless. */
  readonly unless: readonly FieldOrPart[];
  /** Whether it is so plain that a name which says something unknown does not matter. */
  readonly underAnyName: boolean;
}[] = [
  { meaning: 'email', is: isPlainlyEmail, unless: [], underAnyName: true },
  { meaning: 'phone', is: isPlainlyPhone, unless: [], underAnyName: true },
  { meaning: 'request_text', is: isPlainlyText, unless: [], underAnyName: true },
  {
    meaning: 'postal_code',
    is: ({ postalCode, isSequence, distinct }) => postalCode >= 0.8 && !isSequence && distinct > 0.3,
    unless: ['location'],
    underAnyName: false,
  },
  {
    meaning: 'location',
    is: ({ placeLike, digits }) => placeLike >= 0.6 && digits < 0.2,
    unless: ['postal_code', 'city'],
    underAnyName: false,
  },
  {
    meaning: 'street',
    is: ({ streetLike, date, amount }) => streetLike >= 0.7 && Math.max(date, amount) < 0.2,
    unless: ['location'],
    underAnyName: false,
  },
  {
    meaning: 'lang',
    is: ({ language, country, yesNo, filled }) => filled >= 3 && language >= 0.9 && country < 0.9 && yesNo < 0.5,
    unless: [],
    underAnyName: false,
  },
  {
    meaning: 'country',
    is: ({ country, language, filled }) => filled >= 3 && country >= 0.9 && language < 0.9,
    unless: [],
    underAnyName: false,
  },
  { meaning: 'audio_file', is: ({ recording }) => recording >= 0.8, unless: [], underAnyName: false },
  { meaning: 'fullname', is: isWholeName, unless: ['first_name', 'last_name'], underAnyName: false },
];

function isWholeName({ wordsOnly, oneWord, distinct, medianLength, longText }: ContentProfile): boolean {
  return wordsOnly >= 0.6 && wordsOnly + oneWord >= 0.8 && distinct >= 0.8 && medianLength <= 30 && longText < 0.3;
}

const isTaken = (readings: readonly Candidate[], index: number) => readings.some((each) => each.index === index);
const isGiven = (readings: readonly Candidate[], meanings: readonly FieldOrPart[]) =>
  readings.some(({ meaning }) => meanings.includes(meaning));

/** Reads columns by content, where neither their name nor another column gives the field. */
function byContentAlone(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  const found: Candidate[] = [];
  for (const { meaning, is, unless, underAnyName } of BY_CONTENT) {
    const all = [...readings, ...found];
    if (isGiven(all, [meaning, ...unless])) continue;
    const alike = looks.filter(
      ({ index, name, seen, isOwn }) =>
        !isOwn &&
        !isTaken(all, index) &&
        !name.isOthers &&
        !name.isElse &&
        seen.filled > 0 &&
        (underAnyName || name.isEmpty) &&
        is(seen) &&
        !isRepeated(seen),
    );
    const fitting = meaning === 'phone' ? dialled(alike) : alike;
    for (const look of SEVERAL.has(meaning) ? fitting : fitting.slice(0, 1)) {
      const reading = guessed(look, meaning, contentReason(meaning, look.seen) ?? 'its content');
      const isOverwhelming = fitting.length === 1 && look.name.isEmpty && isOverwhelmingly(meaning, look.seen);
      found.push(isOverwhelming ? { ...reading, level: 'certain' } : reading);
    }
  }
  return found;
}

/** Tells whether content alone decides: at least nine of ten are addresses, or numbers written as people dial them. */
function isOverwhelmingly(meaning: FieldOrPart, { filled, email, phone, writtenAsPhone }: ContentProfile): boolean {
  if (filled < 3) return false;
  return meaning === 'email' ? email >= 0.9 : meaning === 'phone' && phone >= 0.9 && writtenAsPhone >= 0.5;
}

/** Beside a column in which numbers are written as people dial them, plain digits are something else. */
function dialled(looks: readonly Look[]): readonly Look[] {
  const dialled = looks.filter(({ seen }) => seen.writtenAsPhone >= 0.2);
  return dialled.length > 0 ? dialled : looks;
}

function unnamed(looks: readonly Look[], readings: readonly Candidate[]): Look[] {
  return looks.filter(
    ({ index, isOwn, name, seen }) =>
      !isOwn && name.isEmpty && !name.isOthers && seen.filled > 0 && !isTaken(readings, index),
  );
}

/** The longest texts of the file say what is needed, where no column does. */
function longestText(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['request_text', 'notes', 'audio_file'])) return [];
  const texts = looks.filter(
    ({ index, name, seen, isOwn }) =>
      !isOwn && !isTaken(readings, index) && !name.isOthers && !name.isElse && isNearlyText(seen),
  );
  const [longest] = texts.sort((a, b) => b.seen.medianLength - a.seen.medianLength);
  return longest ? [guessed(longest, 'request_text', 'the longest texts of the file')] : [];
}

/** A column of short names beside the postal code or the street is the town, where no other column is. */
function townBeside(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['city', 'location'])) return [];
  const isPlace = ({ meaning }: Candidate) => meaning === 'postal_code' || meaning === 'street';
  const town = unnamed(looks, readings).find(
    ({ index, seen }) =>
      fitOf('city', seen) === 'shows' && readings.some((each) => isPlace(each) && Math.abs(each.index - index) === 1),
  );
  return town ? [guessed(town, 'city', 'short names beside the rest of the address')] : [];
}

/** Two neighbouring columns of one word each, mostly different, are first and last name, where no column has the name. */
function namePair(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['fullname', 'first_name', 'last_name'])) return [];
  const words = unnamed(looks, readings).filter(
    ({ seen }) => seen.oneWord >= 0.8 && seen.distinct >= 0.35 && seen.medianLength <= 15,
  );
  const next = (look: Look) => words.find(({ index }) => index === look.index + 1);
  const first = words.find((look) => next(look) !== undefined);
  const last = first && next(first);
  if (!first || !last) return [];
  return [guessed(first, 'first_name', 'single words'), guessed(last, 'last_name', 'single words')];
}

/** A part of a town or a country says where, if nothing nearer does. */
function region(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['city', 'location', 'postal_code', 'street'])) return [];
  const only = looks.find(
    ({ name, seen, index }) => name.isRegion && !name.isOthers && seen.filled > 0 && !isTaken(readings, index),
  );
  return only ? [guessed(only, 'location', 'the only place that the file names')] : [];
}
