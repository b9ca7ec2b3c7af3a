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
export function namePair(looks: readonly Look[], readings: readonly Candidate[]): Candidate[] {
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
  const hasBetter = isGiven(readings, ['postal_code', 'street']);
  const only = unread(looks, readings).find(({ name, seen }) => name.isRegion && (seen.town >= 0.3 || !hasBetter));
  return only ? [{ ...guessed(only, 'location', 'the only place that the file names'), by: 'part of the name' }] : [];
}
