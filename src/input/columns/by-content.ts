import type { FieldOrPart } from '../../request/lead/field-aliases.ts';
import { type Candidate, guessed, type Look } from './candidates.ts';
import { contentReason, fitOf, holdsPersons, isRepeated, MEANINGS } from './meanings.ts';

export const isTaken = (readings: readonly Candidate[], index: number) => readings.some((each) => each.index === index);
const isGiven = (readings: readonly Candidate[], meanings: readonly FieldOrPart[]) =>
  readings.some(({ meaning }) => meanings.includes(meaning));

const FIELDS_AND_PARTS = Object.keys(MEANINGS) as FieldOrPart[];

/** Reads columns by their content, if neither their names nor other columns give the field. */
export function byContentAlone(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  const found: Candidate[] = [];
  for (const meaning of FIELDS_AND_PARTS) {
    const { alone, unless = [], underAnyName, isSeveral } = MEANINGS[meaning];
    const all = [...readings, ...found];
    if (!alone || isGiven(all, [meaning, ...unless])) continue;
    const alike = unread(looks, all).filter(
      ({ name, seen }) =>
        (underAnyName || name.isEmpty) && alone(seen) && (!isRepeated(seen) || meaning === 'postal_code'),
    );
    if (meaning === 'request_text') alike.sort((a, b) => b.seen.medianLength - a.seen.medianLength);
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

function unnamed(looks: readonly Look[], readings: readonly Candidate[]): Look[] {
  return unread(looks, readings).filter(({ name }) => name.isEmpty);
}

/**
 * Takes a column for the town if it holds large towns, or short names beside the postal code, and no other column is
 * the town.
 */
export function townBeside(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['city', 'location'])) return [];
  const isBeside = ({ index }: Look) =>
    readings.some((each) => each.meaning === 'postal_code' && Math.abs(each.index - index) === 1);
  const towns = unnamed(looks, readings).filter(
    (look) =>
      fitOf('city', look.seen) === 'shows' &&
      !holdsPersons(look.seen) &&
      (look.seen.town >= 0.25 || (isBeside(look) && look.seen.oneWord >= 0.5 && look.seen.distinct >= 0.4)),
  );
  const [town] = towns.sort((a, b) => b.seen.town - a.seen.town);
  return town ? [guessed(town, 'city', 'names of places')] : [];
}

/**
 * Takes two neighbouring columns of mostly one word each for first and last name, if no other column holds a name. The
 * one with given names is the first name.
 */
export function namePair(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['fullname', 'first_name', 'last_name'])) return [];
  const words = unnamed(looks, readings).filter(
    ({ seen }) =>
      fitOf('last_name', seen) === 'shows' && seen.distinct >= 0.3 && seen.medianLength <= 18 && seen.town < 0.3,
  );
  const isFirst = ({ seen }: Look) => holdsPersons(seen) && seen.oneWord >= 0.6;
  const first = words.filter(isFirst).sort((a, b) => b.seen.givenName - a.seen.givenName)[0];
  const last = words.find(
    ({ index, seen }) => first && Math.abs(index - first.index) === 1 && seen.givenName < first.seen.givenName / 2,
  );
  if (!first || !last) return [];
  return [guessed(first, 'first_name', 'given names'), guessed(last, 'last_name', 'words beside given names')];
}

/**
 * Takes the only names of persons of a file for the customers', whatever their column is called: the keeper of a pet, an
 * owner, a member. A person is always asked.
 */
export function onlyPersons(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['fullname', 'first_name', 'last_name'])) return [];
  const persons = looks.filter(
    ({ index, seen }) => !isTaken(readings, index) && holdsPersons(seen) && seen.wordsOnly >= 0.3 && !isRepeated(seen),
  );
  const only = persons.find(({ name }) => !name.isOthers && !name.isElse) ?? persons[0];
  return only ? [guessed(only, 'fullname', 'the only names of persons')] : [];
}

/** Takes a column with a part of a town or of a country for the location, if no other column is more precise. */
export function region(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
  if (isGiven(readings, ['city', 'location'])) return [];
  const only = unread(looks, readings).find(
    ({ name, seen }) =>
      name.isRegion &&
      fitOf('city', seen) !== 'contradicts' &&
      (seen.town >= 0.15 || !isRepeated(seen)) &&
      (seen.town >= 0.3 || !isGiven(readings, ['postal_code', 'street'])),
  );
  return only ? [{ ...guessed(only, 'location', 'the only place that the file names'), by: 'part of the name' }] : [];
}
