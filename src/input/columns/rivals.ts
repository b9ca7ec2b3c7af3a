import { type FieldOrPart, normalForm } from '../../request/field-aliases.ts';
import { byStrength, type Candidate, guessed, type Look, SEVERAL } from './candidates.ts';
import { fitOf, holdsPersons, isRepeated } from './fit.ts';

const OF_A_NAME: readonly FieldOrPart[] = ['fullname', 'first_name', 'last_name'];

/**
 * Leaves out columns without content if a column with content has the same meaning, because forms have fields that
 * nobody fills.
 */
export function withoutEmpty(candidates: readonly Candidate[]): readonly Candidate[] {
  const isFilled = (meaning: FieldOrPart) =>
    candidates.some((each) => each.look.seen.filled > 0 && each.meaning === meaning);
  return candidates.filter(({ meaning, look: { seen } }) => {
    if (seen.filled > 0 || SEVERAL.has(meaning)) return true;
    return !(meaning === 'fullname' ? OF_A_NAME : [meaning]).some(isFilled);
  });
}

/**
 * Decides which part of a name a column called only "name" holds. Beside a column for the last name it holds the first
 * name, and beside one for the first name it holds the last name, unless its cells are whole names. Of two columns
 * "name 1" and "name 2" with one word in each cell, as ledgers have them, the first is the last name.
 */
export function asNameParts(candidates: readonly Candidate[]): readonly Candidate[] {
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

/** Tells whether a column that seems to be half of a name, and has no other half, holds whole names. */
function isWholeName({ meaning, look: { seen } }: Candidate): boolean {
  return OF_A_NAME.includes(meaning) && seen.wordsOnly >= 0.6 && holdsPersons(seen);
}

function isHalfName({ meaning, look }: Candidate): boolean {
  return meaning === 'fullname' && look.name.isBareName && look.seen.wordsOnly < 0.85;
}

function isNumberedPair(one: Candidate, two: Candidate): boolean {
  const areNeighbours = two.index === one.index + 1;
  return areNeighbours && [one, two].every(({ look: { seen } }) => seen.filled > 0 && seen.oneWord >= 0.7);
}

/** Known names that mean the full address by themselves, but only the street beside a postal code or a town. */
const STREET_BESIDE_CITY: ReadonlySet<string> = new Set(
  'address morada endereco direccion domicilio adresse anschrift indirizzo'.split(' '),
);
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
    meaning === 'location' && (by !== 'known name' || STREET_BESIDE_CITY.has(normalForm(look.header)));
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
    if (!winner || !second) return rivals;
    if (SEVERAL.has(meaning)) return withoutStrangers(rivals);
    const text = meaning === 'request_text' && winner.fit !== 'shows' && rivals.find(isTextByName);
    if (text) return [text];
    if (known.length > 0) return known;
    return [areNear(winner, second) ? inQuestion(winner) : winner];
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
  if (level === 'certain' || !OF_A_NAME.includes(meaning)) return false;
  return isCertain('fullname') && !(has('first_name') && has('last_name'));
}

/**
 * Tells whether the name and the content both clearly show a text. A column "Comments" with cells of two words does
 * not.
 */
function isTextByName({ by, fit }: Candidate): boolean {
  return by === 'plain name' && fit === 'shows';
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

function byMerit(a: Candidate, b: Candidate): number {
  const isCertain = ({ level }: Candidate) => Number(level === 'certain');
  const size = ({ look: { seen }, meaning }: Candidate) =>
    meaning === 'request_text' ? seen.medianLength : seen.filled;
  return isCertain(b) - isCertain(a) || byStrength(a, b) || size(b) - size(a) || a.index - b.index;
}

/** Tells whether two columns are so similar that a person should choose. */
function areNear(winner: Candidate, second: Candidate): boolean {
  if (winner.level !== second.level || byStrength(winner, second) !== 0) return false;
  const [one, two] = [winner.look.seen, second.look.seen];
  if (winner.meaning === 'request_text') return two.medianLength > one.medianLength * 0.5;
  return winner.meaning === 'fullname' || winner.meaning === 'ref';
}

function inQuestion(candidate: Candidate): Candidate {
  return { ...candidate, level: 'likely', because: `${candidate.because}; another column looks alike` };
}
