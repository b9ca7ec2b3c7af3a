import type { Confidence } from '../../request/contract.ts';
import { aliasOf } from '../../request/field-aliases.ts';
import type { Field } from '../../request/fields.ts';
import { nameWords } from '../../request/names.ts';
import { DOCUMENTED_PARAMETERS } from '../../request/wire.ts';
import { type Leaf, pathKey } from './body-leaves.ts';

/** The field that a name is taken for. `rank` is its distance from srq's own name, and 0 is best. */
export interface NamedField {
  readonly field: string;
  readonly rank: number;
  readonly confidence: Confidence;
  readonly why: string;
}

/** Other usual names of a field, best first. Names after `|` need confirmation by a person. */
const SYNONYMS: Readonly<Record<Exclude<Field, 'audio_file'>, string>> = {
  country: 'country_code iso_country country_iso market market_code country_id',
  lang: 'language language_code lang_code locale preferred_language',
  location:
    'address full_address postal_address place locality location_text address_text | city zip zip_code postal_code postcode',
  fullname: 'name complete_name display_name',
  email: 'e_mail email_address mail mail_address',
  phone:
    'phone_number telephone telephone_number tel mobile mobile_phone mobile_number msisdn cell cell_phone contact_number',
  request_text:
    'request_description description message text details need_description job_description request_message request_details need enquiry inquiry comments comment body | notes note summary',
  category:
    'category_id category_code category_key category_slug categories service_category service_category_id service service_id service_code service_type profession profession_id trade trade_id job_type',
  ref: 'reference external_reference external_ref external_id partner_reference partner_ref client_reference customer_reference external_lead_id external_request_id lead_id client_request_id client_lead_id partner_request_id partner_lead_id lead_reference request_reference',
};
const FIELD_NAMES = Object.keys(SYNONYMS);
/** Words before a name that only say whose it is. */
const PERSON = new Set(
  'customer client contact person lead user requester applicant consumer end_user homeowner owner sender'.split(' '),
);
/** Names of objects that only wrap others. */
const WRAPPERS = new Set('data attributes request service_request lead order job payload body item params'.split(' '));
const AUDIO = /audio|voice|record/;
const CATEGORY = /categ|profession|trade/;

const bySynonym = new Map<string, NamedField>();
for (const [field, list] of Object.entries(SYNONYMS)) {
  let confidence: Confidence = 'likely';
  for (const [index, name] of list.split(' ').entries()) {
    if (name === '|') confidence = 'weak';
    else bySynonym.set(name.replaceAll('_', ''), { field, rank: 10 + index, confidence, why: 'a usual name of it' });
  }
}
const byOwnName = new Map(FIELD_NAMES.map((field) => [field.replaceAll('_', ''), field]));

/**
 * Returns the field that a place in a body is taken for, by its name and those around it. Returns undefined if the
 * names do not tell.
 */
export function fieldNamed(path: readonly string[]): NamedField | undefined {
  const last = path.at(-1) ?? '';
  const around = path
    .slice(0, -1)
    .map((name) => nameWords(name).join('_'))
    .filter((name) => !WRAPPERS.has(name));
  return (
    audioField(path, last) ??
    ownName(last, around) ??
    nameInContext(nameWords(last), around) ??
    columnName(last, around)
  );
}

/** Returns the field that a column of this name would have, also in other languages. It is a guess. */
function columnName(last: string, around: readonly string[]): NamedField | undefined {
  if (around.length > 0 && !PERSON.has(around.at(-1) ?? '')) return undefined;
  const alias = aliasOf(last.replace(/([a-z\d])([A-Z])/g, '$1_$2'));
  const isPart = alias?.meaning === 'city' || alias?.meaning === 'postal_code';
  const field = isPart ? 'location' : alias?.meaning;
  // A name does not tell whose reference an `id` is.
  if (alias === undefined || field === 'ref' || !FIELD_NAMES.some((each) => each === field)) return undefined;
  const rank = (isPart ? 45 : 31) + alias.rank;
  return { field: field ?? '', rank, confidence: 'weak', why: 'what a column of this name means' };
}

function ownName(last: string, around: readonly string[]): NamedField | undefined {
  const field = byOwnName.get(nameWords(last).join(''));
  if (field === undefined || around.length > 0) return undefined;
  const isExact = last === field;
  return { field, rank: isExact ? 0 : 1, confidence: 'certain', why: isExact ? 'the same name' : 'the same words' };
}

function nameInContext(words: readonly string[], around: readonly string[]): NamedField | undefined {
  const rest = words.length > 1 && PERSON.has(words[0] ?? '') ? words.slice(1) : words;
  const parent = around.at(-1) ?? '';
  const found = foundByWords(words) ?? foundByWords(rest);
  if (parent === '') return found ?? looseCategory(words);
  if (PERSON.has(parent) || byOwnName.get(parent.replaceAll('_', '')) === found?.field) {
    return found && { ...found, rank: found.rank + 1, why: `its name within ${parent}` };
  }
  return nestedValue(rest.join('_'), parent);
}

function foundByWords(words: readonly string[]): NamedField | undefined {
  const own = byOwnName.get(words.join(''));
  if (own !== undefined) return { field: own, rank: 5, confidence: 'likely', why: 'the same name, more closely said' };
  return bySynonym.get(words.join(''));
}

/**
 * Returns the field of a nested value whose parent tells the meaning: `category.id`, `location.address`,
 * `address.full`.
 */
function nestedValue(name: string, parent: string): NamedField | undefined {
  const field = foundByWords(parent.split('_'))?.field;
  const values: Readonly<Record<string, RegExp>> = {
    category: /^(?:id|code|key|slug|name|value)$/,
    location:
      /^(?:address|full_address|full|text|formatted|formatted_address|value|description|name|city|zip|postal_code|postcode)$/,
    country: /^(?:code|iso|iso_code|value)$/,
    lang: /^(?:code|value)$/,
    phone: /^(?:number|value|full|e164)$/,
    email: /^(?:address|value)$/,
    request_text: /^(?:text|value|content|body)$/,
    fullname: /^(?:full|full_name|value|display)$/,
  };
  if (field === undefined || !values[field]?.test(name)) {
    const within = parent === 'location' || parent === 'address' ? foundByWords(name.split('_')) : undefined;
    return within?.field === 'country' ? { ...within, rank: 30 } : undefined;
  }
  const isPart = /^(?:city|zip|postal_code|postcode|name)$/.test(name);
  return { field, rank: isPart ? 45 : 20, confidence: isPart ? 'weak' : 'likely', why: `the value of ${parent}` };
}

function looseCategory(words: readonly string[]): NamedField | undefined {
  if (!words.some((word) => CATEGORY.test(word)) || words.some((word) => /^(?:url|date|level|count)$/.test(word)))
    return undefined;
  return { field: 'category', rank: 40, confidence: 'weak', why: 'its name speaks of categories' };
}

/**
 * Returns the field of a recording or of its attributes: `audio`, `voice_note`, `audio_mime_type`,
 * `recording.filename`.
 */
function audioField(path: readonly string[], last: string): NamedField | undefined {
  const words = nameWords(last);
  const parent = nameWords(path.at(-2) ?? '').join('_');
  if (!AUDIO.test(words.join('_')) && !AUDIO.test(parent)) return undefined;
  const told = words.join('_');
  if (/mime|media_type|content_type|(?:^|_)(?:type|format|extension|codec)$/.test(told)) return audioPart('audio_type');
  if (/file_?name|(?:^|_)name$/.test(told)) return audioPart('audio_name');
  if (
    /(?:^|_)(?:url|uri|link|id|length|duration|size|language|lang|count|consent|seconds|date|at|transcript|rate|type)$/.test(
      told,
    )
  ) {
    return undefined;
  }
  const isOwn = told === 'audio' || told === 'audio_file';
  return { field: 'audio_file', rank: isOwn ? 0 : 10, confidence: 'likely', why: 'its name speaks of a recording' };
}

const audioPart = (field: string): NamedField => ({
  field,
  rank: 10,
  confidence: 'likely',
  why: 'it goes with the recording',
});

/** The assignment of fields to places. Each field has one place, and each place has one field. */
export type Assignment = ReadonlyMap<Leaf, NamedField>;

/** The fields that show whether an operation is about service requests. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(DOCUMENTED_PARAMETERS);

/**
 * Assigns fields to places, the nearest names first. Among equal names, the order is: the one among most other known
 * names, the required one, the less nested one, the first one. The choice among equal names is a guess.
 */
export function assignFields(leaves: readonly Leaf[]): Assignment {
  const candidates = leaves.flatMap((leaf, order) => {
    const named = leaf.shape === 'object' ? undefined : fieldNamed(leaf.path);
    return named === undefined ? [] : [{ leaf, named, order }];
  });
  const known = new Map<string, Set<string>>();
  for (const { leaf, named } of candidates) {
    known.set(parentKey(leaf), (known.get(parentKey(leaf)) ?? new Set()).add(named.field));
  }
  const besides = (leaf: Leaf) => known.get(parentKey(leaf))?.size ?? 0;
  candidates.sort(
    (a, b) =>
      a.named.rank - b.named.rank ||
      besides(b.leaf) - besides(a.leaf) ||
      Number(b.leaf.required) - Number(a.leaf.required) ||
      a.leaf.path.length - b.leaf.path.length ||
      a.order - b.order,
  );
  const assigned = new Map<Leaf, NamedField>();
  const taken = new Set<string>();
  for (const { leaf, named } of candidates) {
    if (taken.has(named.field)) continue;
    taken.add(named.field);
    const rival = candidates.find((each) => each.leaf !== leaf && isRival(each.named, named));
    assigned.set(leaf, rival === undefined ? named : asGuess(named, rival.leaf));
  }
  // Without a recording, the parameter of its type or name is an ordinary one.
  if (!taken.has('audio_file')) {
    for (const [leaf, { field }] of assigned) if (field.startsWith('audio_')) assigned.delete(leaf);
  }
  return assigned;
}

const parentKey = ({ path }: Leaf): string => pathKey(path.slice(0, -1));

const isRival = (one: NamedField, other: NamedField): boolean => one.field === other.field && one.rank === other.rank;

const asGuess = (named: NamedField, rival: Leaf): NamedField => ({
  ...named,
  confidence: 'weak',
  why: `${rival.path.join('.')} may be meant as well`,
});
