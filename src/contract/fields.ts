import { aliasOf, normalForm } from '../request/lead/field-aliases.ts';
import { nameWords } from '../request/words/names.ts';
import type { FoundPlace } from './places.ts';

interface FieldGuess<Place> {
  readonly place: Place;
  readonly field: string;
  readonly why: string;
}

/** Objects around a place that change nothing about whose it is, or that are the customer. */
const WRAPPERS = new Set(
  (
    'data attributes payload request lead order body customer client contact person user requester address location ' +
    'service_request servicerequest'
  ).split(' '),
);
const PEOPLE = new Set('customer client contact person user requester lead'.split(' '));
/** Names that say only that there is a value. What it is stands in the name of the object around it. */
const BARE = new Set(['value', 'text', 'content']);
const MAX_GUESSES = 40;

/**
 * Says which places take which fields, by their exact names. A field is in force where nothing speaks against it.
 * Everything else that has such a name is a guess, with the reason against it.
 */
export function boundFields<Place extends FoundPlace>(
  places: readonly Place[],
): { readonly fields: ReadonlyMap<Place, string>; readonly guesses: readonly FieldGuess<Place>[] } {
  const candidates = places.flatMap((place) => candidateAt(place));
  const sure = candidates.filter(({ objection }) => objection === null);
  const fields = new Map<Place, string>();
  const guesses: FieldGuess<Place>[] = [];
  for (const { place, field, objection, rank } of candidates) {
    const rivals = sure.filter(
      (each) => each.field === field && each.place !== place && !areExclusive(each.place, place),
    );
    const isBest = rivals.every((each) => each.rank > rank && each.place.path.length >= place.path.length);
    const why =
      objection ?? (isBest || rivals.length === 0 ? null : `${rivals[0]?.place.path.join('.')} may be it as well`);
    const named = why ?? besideParts(field, place, sure);
    if (named === null) fields.set(place, field);
    else guesses.push({ place, field, why: named });
  }
  return { fields, guesses: guesses.slice(0, MAX_GUESSES) };
}

/** Branches of a choice may each have a place for the same field. */
const areExclusive = (one: FoundPlace, other: FoundPlace): boolean =>
  one.branches.length > 0 && other.branches.length > 0 && !one.branches.some((each) => other.branches.includes(each));

/** A name beside a first name is the last one, or nobody knows. */
function besideParts(field: string, place: FoundPlace, sure: readonly Candidate[]): string | null {
  if (field !== 'fullname') return null;
  const part = sure.find((each) => /^(?:first|last)_name$/.test(each.field) && isBeside(each.place, place));
  return part === undefined ? null : `beside ${part.place.path.join('.')} it may be a part of the name`;
}

const isBeside = (one: FoundPlace, other: FoundPlace): boolean =>
  one.path.slice(0, -1).join('\n') === other.path.slice(0, -1).join('\n');

interface Candidate<Place = FoundPlace> {
  readonly place: Place;
  readonly field: string;
  readonly rank: number;
  readonly objection: string | null;
}

function candidateAt<Place extends FoundPlace>(place: Place): Candidate<Place>[] {
  const names = place.path.filter((name) => name !== '0');
  const last = names.at(-1) ?? '';
  const isBare = BARE.has(normalForm(last)) && names.length > 1;
  const own = isBare ? (names.at(-2) ?? '') : last;
  const around = names.slice(0, isBare ? -2 : -1);
  const found = aliasIn(own) ?? (around.length > 0 ? aliasIn(`${around.at(-1)}_${own}`) : undefined);
  if (found === undefined || !mayHold(found.field, place)) return [];
  return [{ place, ...found, objection: objectionTo(place, found.field, own, around) }];
}

/** Fields that the columns have no names for, or that documents call otherwise. */
const MORE: Readonly<Record<string, string>> = {
  region: 'region',
  province: 'region',
  state: 'region',
  zip_or_postal_code: 'postal_code',
  categories: 'category',
  category_code: 'category',
  service_category: 'category',
};
const AUDIO = /^(?:audio|voice|recording)(?:_(?:file|data|base64|note|content|message))*$/;
const AUDIO_TYPE = /^(?:audio|voice|recording)_(?:mime_?type|content_type|media_type|type|format)$/;
const AUDIO_NAME = /^(?:audio|voice|recording)_(?:file_?)?name$/;

function aliasIn(name: string): { readonly field: string; readonly rank: number } | undefined {
  const words = nameWords(name).join('_');
  if (AUDIO_TYPE.test(words)) return { field: 'audio_type', rank: 0 };
  if (AUDIO_NAME.test(words)) return { field: 'audio_name', rank: 0 };
  if (AUDIO.test(words)) return { field: 'audio_file', rank: 0 };
  const known = aliasOf(name) ?? aliasOf(words);
  if (known !== undefined && known.meaning !== 'notes') return { field: known.meaning, rank: known.rank };
  const more = Object.hasOwn(MORE, words) ? MORE[words] : undefined;
  return more === undefined ? undefined : { field: more, rank: 9 };
}

function objectionTo(place: FoundPlace, field: string, own: string, around: readonly string[]): string | null {
  const { keywords, fixed } = place;
  const outer = around.map((name) => nameWords(name).join('_'));
  const stranger = outer.find((name) => !WRAPPERS.has(name));
  const name = nameWords(own).join('_');
  if (fixed.size > 0 || (place.requiredFrom === 0 && keywords['default'] !== undefined))
    return 'the description gives its value';
  if (keywords['x-ms-visibility'] === 'internal') return 'the description calls it internal';
  if (place.path.slice(0, -1).includes('0')) return 'it is in a list';
  if (stranger !== undefined) return `"${stranger}" may be somebody or something else`;
  if (field === 'fullname' && /^(?:name|nome|nombre|nom)$/.test(name) && !PEOPLE.has(outer.at(-1) ?? ''))
    return 'it may be the name of something else';
  if (field === 'ref' && !/external|partner/.test(name)) return 'it may be a reference of the service';
  if (field === 'category' && !/[ck]ategor/.test(name)) return 'it may be something else than the category';
  if (field === 'category' && /id$/.test(name)) return 'it may be a number of something else';
  if (field === 'street' && !/street|addr/.test(name)) return 'it may be something else than the street';
  if (field === 'region' && !/^(?:address|location)$/.test(outer.at(-1) ?? ''))
    return 'it may be the state of something';
  return null;
}

const NUMERIC = /^(?:phone|postal_code|house_number|category|ref)$/;

/** Says whether a value of a field can stand there: "email: true" is a wish, and no address. */
function mayHold(field: string, { keywords }: FoundPlace): boolean {
  const types = [keywords['type']].flat().filter((each) => each !== undefined && each !== 'null' && each !== 'array');
  const isNumber = types.some((each) => each === 'integer' || each === 'number');
  return types.length === 0 || types.includes('string') || (isNumber && NUMERIC.test(field));
}
