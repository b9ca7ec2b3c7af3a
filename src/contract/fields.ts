import { ONLY_ELEMENT, writePlace } from '../request/contract/place.ts';
import type { FoundPlace } from '../request/contract/places.ts';
import { aliasOf, normalForm } from '../request/lead/field-aliases.ts';
import { nameWords } from '../request/words/names.ts';

interface FieldGuess {
  readonly place: FoundPlace;
  readonly field: string;
  readonly why: string;
}

/** A place with the name of a field. `own` and `around` are its name and those of the objects around it, in words. */
interface Candidate {
  readonly place: FoundPlace;
  readonly field: string;
  readonly own: string;
  readonly around: readonly string[];
}

/** Objects around a place that change nothing about whose it is, or that are the customer. */
const WRAPPERS =
  /^(?:data|attributes|payload|request|lead|order|body|customer|client|contact|person|user|requester|address|location|service_?request)$/;
const PEOPLE = /^(?:customer|client|contact|person|user|requester|lead)$/;
/** Names that say only that there is a value. What it is stands in the name of the object around it. */
const BARE = /^(?:value|text|content)$/;
/** Fields that the columns have no names for, or that descriptions call otherwise. */
const MORE: readonly (readonly [field: string, names: RegExp])[] = [
  ['audio_type', /^(?:audio|voice|recording)_(?:mime_?type|content_type|media_type|type|format)$/],
  ['audio_name', /^(?:audio|voice|recording)_(?:file_?)?name$/],
  ['audio_file', /^(?:audio|voice|recording)(?:_(?:file|data|base64|note|content|message))*$/],
  ['region', /^(?:region|province|state)$/],
  ['postal_code', /^zip_or_postal_code$/],
  ['category', /^(?:categories|category_code|service_category)$/],
];
const NUMERIC = /^(?:phone|postal_code|house_number|category|ref)$/;
const MAX_GUESSES = 40;

/** What speaks against a field in a place. The first one that holds is told. */
const OBJECTIONS: readonly (readonly [why: string, holds: (candidate: Candidate) => boolean])[] = [
  [
    'the description gives its value',
    ({ place }) => place.fixed.size > 0 || (place.required && 'default' in place.keywords),
  ],
  ['the description calls it internal', ({ place }) => place.keywords['x-ms-visibility'] === 'internal'],
  ['it is in a list', ({ place }) => place.path.slice(0, -1).includes(ONLY_ELEMENT)],
  ['', ({ around }) => around.some((each) => !WRAPPERS.test(each))],
  [
    'it may be the name of something else',
    ({ field, own, around }) =>
      field === 'fullname' && /^(?:name|nome|nombre|nom)$/.test(own) && !PEOPLE.test(around.at(-1) ?? ''),
  ],
  ['it may be a reference of the service', ({ field, own }) => field === 'ref' && !/external|partner/.test(own)],
  [
    'it may be something else than the category',
    ({ field, own }) => field === 'category' && (!/[ck]ategor/.test(own) || /id$/.test(own)),
  ],
  ['it may be something else than the street', ({ field, own }) => field === 'street' && !/street|addr/.test(own)],
  [
    'it may be the state of something',
    ({ field, around }) => field === 'region' && !/^(?:address|location)$/.test(around.at(-1) ?? ''),
  ],
];

/**
 * Says which places take which fields, by their exact names. A field is in force where nothing speaks against it, and no
 * other place may be it as well. Everything else that has such a name is a guess, with the reason against it.
 */
export function boundFields(places: readonly FoundPlace[]): {
  readonly fields: ReadonlyMap<FoundPlace, string>;
  readonly guesses: readonly FieldGuess[];
} {
  const candidates = places.flatMap(candidateAt);
  const sure = candidates.filter((each) => objectionTo(each) === null);
  const fields = new Map<FoundPlace, string>();
  const guesses: FieldGuess[] = [];
  for (const candidate of candidates) {
    const { place, field } = candidate;
    const why = objectionTo(candidate) ?? rivalOf(candidate, sure);
    if (why === null) fields.set(place, field);
    else guesses.push({ place, field, why });
  }
  return { fields, guesses: guesses.slice(0, MAX_GUESSES) };
}

function candidateAt(place: FoundPlace): Candidate[] {
  const names = place.path.filter((name) => name !== ONLY_ELEMENT);
  const isBare = names.length > 1 && BARE.test(normalForm(names.at(-1) ?? ''));
  const own = names.at(isBare ? -2 : -1) ?? '';
  const around = names.slice(0, isBare ? -2 : -1);
  const field = fieldCalled(own) ?? (around.length > 0 ? fieldCalled(`${around.at(-1)}_${own}`) : undefined);
  if (field === undefined || !mayHold(field, place)) return [];
  return [{ place, field, own: inWords(own), around: around.map(inWords) }];
}

const inWords = (name: string): string => nameWords(name).join('_');

function fieldCalled(name: string): string | undefined {
  const words = inWords(name);
  const known = (aliasOf(name) ?? aliasOf(words))?.meaning;
  return (known === 'notes' ? undefined : known) ?? MORE.find(([, names]) => names.test(words))?.[0];
}

/** Says whether a value of a field can stand there: "email: true" is a wish, and no address. */
const mayHold = (field: string, { keywords, type }: FoundPlace): boolean =>
  type === 'string' ? ![keywords['type']].flat().includes('object') : type !== 'boolean' && NUMERIC.test(field);

function objectionTo(candidate: Candidate): string | null {
  const [why] = OBJECTIONS.find(([, holds]) => holds(candidate)) ?? [null];
  if (why !== '') return why;
  return `"${candidate.around.find((each) => !WRAPPERS.test(each))}" may be somebody or something else`;
}

/** Names the place that may be the field as well. A name beside a first name is the last one, or nobody knows. */
function rivalOf({ place, field }: Candidate, sure: readonly Candidate[]): string | null {
  const rival = sure.find((each) => each.field === field && each.place !== place && !areExclusive(each.place, place));
  if (rival !== undefined) return `${writePlace(rival.place)} may be it as well`;
  const object = place.path.slice(0, -1).join('\n');
  const part = sure.find(
    (each) => /^(?:first|last)_name$/.test(each.field) && each.place.path.slice(0, -1).join('\n') === object,
  );
  return field === 'fullname' && part !== undefined
    ? `beside ${writePlace(part.place)} it may be a part of the name`
    : null;
}

/** Branches of a choice may each have a place for the same field. */
const areExclusive = (one: FoundPlace, other: FoundPlace): boolean =>
  one.branches.length > 0 && other.branches.length > 0 && !one.branches.some((each) => other.branches.includes(each));
