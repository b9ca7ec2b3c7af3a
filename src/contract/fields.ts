import { ONLY_ELEMENT, writePlace } from '../request/contract/place.ts';
import type { FoundPlace } from '../request/contract/places.ts';
import { aliasOf } from '../request/lead/field-aliases.ts';
import { nameWords } from '../request/words/names.ts';

type Candidate = ReturnType<typeof candidateAt>[number];
type FieldGuess = Candidate & { readonly why: string };

/** The objects around a place that change nothing about whose it is, or that are the customer. */
const WRAPPERS =
  /^(?:data|attributes|payload|request|lead|order|body|customer|client|contact|person|user|requester|address|location|service_?request)$/;
/** Names that say only that there is a value. What it is stands in the name of the object around it. */
const BARE = /^(?:value|text|content)$/;
/** Names that the columns do not know, or that mean something else there. */
const MORE: readonly (readonly [field: string, names: RegExp])[] = [
  ['audio_type', /^(?:audio|voice|recording)_(?:mime_?type|content_type|media_type|type|format)$/],
  ['audio_name', /^(?:audio|voice|recording)_(?:file_?)?name$/],
  ['audio_file', /^(?:audio|voice|recording)(?:_(?:file|data|base64|note|content|message))*$/],
  ['region', /^(?:region|province|state)$/],
  ['postal_code', /^zip_or_postal_code$/],
  ['category', /^(?:categories|category_code|service_category)$/],
];
/** The places, `customer name`, at which these fields are not something else: a state, a reference of the service. */
const SURE: Readonly<Record<string, RegExp>> = {
  fullname: /^(?!.*\b(?:name|nome|nombre|nom)$)|\b(?:customer|client|contact|person|user|requester|lead) \w+$/,
  ref: /\b\w*(?:external|partner)\w*$/,
  category: /\b\w*[ck]ategor(?!\w*id$)\w*$/,
  street: /\b\w*(?:street|addr)\w*$/,
  region: /\b(?:address|location) \w+$/,
};
const NUMERIC = /^(?:phone|postal_code|house_number|category|ref)$/;
const MAX_GUESSES = 40;

/**
 * Says which places take which fields, by their exact names. A field is in force if nothing speaks against it and no
 * other place could be meant. Every other place of that name is a guess, with the reason against it.
 */
export function boundFields(places: readonly FoundPlace[]) {
  const candidates = places.flatMap(candidateAt);
  const sure = candidates.filter(({ why }) => why === null);
  const all = candidates.map((each) => ({ ...each, why: each.why ?? rivalOf(each, sure) }));
  return {
    fields: new Map(all.flatMap(({ place, field, why }) => (why === null ? [[place, field] as const] : []))),
    guesses: all.filter((each): each is FieldGuess => each.why !== null).slice(0, MAX_GUESSES),
  };
}

/** Returns the field that a place may take by its name, if it may take one. `why` says what speaks against it, or is null. */
function candidateAt(place: FoundPlace) {
  const names = place.path.filter((name) => name !== ONLY_ELEMENT);
  if (names.length > 1 && BARE.test(inWords(names.at(-1)))) names.pop();
  const own = names.at(-1) ?? '';
  const field = fieldCalled(own) ?? fieldCalled(`${names.at(-2) ?? ''}_${own}`);
  if (field === undefined || !mayHold(field, place)) return [];
  return [{ place, field, why: objectionTo(place, field, names.map(inWords)) }];
}

function objectionTo({ path, fixed, required, keywords }: FoundPlace, field: string, names: string[]): string | null {
  const stranger = names.slice(0, -1).find((each) => !WRAPPERS.test(each));
  if (fixed.size > 0 || (required && 'default' in keywords)) return 'the description gives its value';
  if (keywords['x-ms-visibility'] === 'internal') return 'the description calls it internal';
  if (path.slice(0, -1).includes(ONLY_ELEMENT)) return 'it is in a list';
  if (stranger !== undefined) return `"${stranger}" may be somebody or something else`;
  return (SURE[field]?.test(names.join(' ')) ?? true) ? null : 'it may belong to something else';
}

const inWords = (name = ''): string => nameWords(name).join('_');

function fieldCalled(name: string): string | undefined {
  const words = inWords(name);
  const known = (aliasOf(name) ?? aliasOf(words))?.meaning;
  return (known === 'notes' ? undefined : known) ?? MORE.find(([, names]) => names.test(words))?.[0];
}

/** Says whether a value of a field can stand there: "email: true" is a wish, and no address. */
const mayHold = (field: string, { keywords, type }: FoundPlace): boolean =>
  type === 'string' ? ![keywords['type']].flat().includes('object') : type !== 'boolean' && NUMERIC.test(field);

/** Names the place that may be the field as well. A name beside a first name is the last one, or nobody knows. */
function rivalOf({ place, field }: Candidate, sure: readonly Candidate[]): string | null {
  const object = place.path.slice(0, -1).join('\n');
  const isRival = (each: Candidate) =>
    each.field === field
      ? each.place !== place && !areExclusive(each.place, place)
      : field === 'fullname' &&
        /^(?:first|last)_name$/.test(each.field) &&
        each.place.path.slice(0, -1).join('\n') === object;
  const rival = sure.find(isRival);
  return rival === undefined ? null : `${writePlace(rival.place)} may be it as well, or another part of it`;
}

/** Branches of a choice may each have a place for the same field. */
const areExclusive = (one: FoundPlace, other: FoundPlace): boolean =>
  one.branches.length > 0 && other.branches.length > 0 && !one.branches.some((each) => other.branches.includes(each));
