import { aliasOf } from '../../request/lead/field-aliases.ts';
import type { Field } from '../../request/lead/fields.ts';
import type { Part } from '../../request/lead/parts.ts';
import { nameWords } from '../../request/words/names.ts';

/** The possible content of a place in a body: a field that is sent, or a part of one. */
export type Content = Field | Part;

/** The distance between a phrase and srq's own name of a content. A `vague` phrase means something else as often. */
type Nearness = 'own' | 'usual' | 'vague';

interface Phrase {
  readonly content: Content;
  readonly nearness: Nearness;
  /** Order among the phrases of one content, best first. */
  readonly order: number;
}

/**
 * The usual names of each content, best first. Those after `|` are vague, and srq's own name comes before all of them.
 * A name must match one of these completely, or with words of the lists below around it. A phrase is never searched for
 * within a word.
 */
const PHRASES: Readonly<Record<Content, string>> = {
  country: 'country_code iso_country iso_country_code country_iso country_name | market market_code country_id',
  lang: 'language language_code lang_code locale preferred_language language_preference preferred_locale preferred_contact_language',
  location: 'address full_address formatted_address postal_address location_text address_text address_line | place',
  street:
    'street_address street_name street_line address_line_1 address_line1 address_1 address1 addr1 addr_1 line_1 street_1 street_line_1 address_street street_and_number street_with_number thoroughfare',
  house_number: 'house_no house_nr house_num street_number street_no building_number civic_number',
  postal_code:
    'postcode zip zip_code zip_postal_code postal_zip_code zip_or_postal_code post_code postal zip5 pincode pin_code eircode',
  city: 'town city_name town_name city_or_town city_town city_locality locality address_locality address_level2 municipality suburb',
  region:
    'state state_code province province_code state_province state_or_province state_or_region province_state region_code address_region address_level1 administrative_area administrative_area_level_1 administrative_district_level_1 region county',
  fullname: 'name complete_name whole_name first_and_last_name | display_name',
  first_name: 'firstname given_name forename name_first fname',
  last_name: 'lastname surname family_name name_last lname',
  email: 'e_mail email_address email_addr mail mail_address | email_id',
  phone:
    'phone_number phone_no phone_num telephone telephone_number telephone_no tel tel_no tel_number mobile mobile_phone mobile_phone_number mobile_number mobile_no mobile_tel msisdn cell_phone cell_phone_number cellphone cell_number contact_number contact_no contact_phone landline landline_number | cell whatsapp whatsapp_number',
  request_text:
    'request_description description message text detail need job_description request_message request_detail enquiry inquiry comment body message_text message_body description_text problem_description what_do_you_need | note summary additional_info additional_information additional_detail additional_comment additional_note special_instruction content',
  category:
    'category_id category_code category_key category_slug category_name service_category service_category_id service service_id service_code service_type job_category profession profession_id trade trade_id | job_type work_type project_type',
  ref: 'reference external_reference external_ref external_id partner_reference partner_ref client_reference customer_reference external_lead_id external_request_id lead_id client_request_id client_lead_id partner_request_id partner_lead_id lead_reference request_reference ext_id ext_ref | reference_id reference_number',
  audio_file:
    'audio voice recording voice_note voice_message voice_recording voice_memo voice_file voice_data voice_clip audio_recording audio_note audio_message audio_data audio_content audio_clip audio_base64 audio_bytes recording_data recording_file recording_content recording_base64',
};

/** Returns an English word in the singular. Short words are left as they are. */
export function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return word.replace(/ies$/, 'y');
  return word.replace(/(?<=ss|x|ch)es$|s$/, '');
}

/** Splits a name into its words, in the singular, without accents: `E-mailAddress1` gives e, mail, address, 1. */
export function wordsOf(name: string): readonly string[] {
  const words = nameWords(name.normalize('NFKD'));
  return words.flatMap((word) => word.replace(/([a-z]{3})(\d+)$/, '$1 $2').split(' ')).map(singular);
}

const joined = (words: readonly string[]): string => words.join('');

const byPhrase = new Map<string, Phrase>();
for (const [content, phrases] of Object.entries(PHRASES) as [Content, string][]) {
  let nearness: Nearness = 'usual';
  for (const [order, phrase] of phrases.split(' ').entries()) {
    if (phrase === '|') nearness = 'vague';
    else byPhrase.set(joined(wordsOf(phrase)), { content, nearness, order: order + 1 });
  }
}
for (const content of Object.keys(PHRASES) as Content[]) {
  // The word `region` is not the nearest name of its own content, because beside a state it means something larger.
  if (content !== 'region') byPhrase.set(joined(wordsOf(content)), { content, nearness: 'own', order: 0 });
}

const isContent = (name: string): name is Content => Object.hasOwn(PHRASES, name);

/** Returns the content that words name as a whole. */
const phraseOf = (words: readonly string[]): Phrase | undefined => byPhrase.get(joined(words));

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words for the person who requests a service. */
const PERSON = list(
  'customer client contact person personal lead user requester requestor applicant consumer homeowner caller patient guest visitor prospect enquirer inquirer individual end patron subscriber member claimant kunde kontakt cliente contacto contato utente persona pessoa personne personendaten kontaktdaten kundendaten besteller anfrager interessent',
);
/** Words for persons who are the customer of some services, and somebody else of others. */
const ROLE = list(
  'borrower buyer tenant resident insured policyholder attendee registrant participant donor traveler traveller passenger student shopper debtor purchaser respondent',
);
/** Words for a person other than the customer. */
const OTHER_PERSON = list(
  'agent broker owner landlord manager assignee assigned salesperson salesman rep representative employee employer technician provider referrer referral referee emergency spouse partner co secondary second alternate alternative other previous former guarantor attorney lawyer doctor physician adjuster contractor seller vendor supplier dealer reseller admin administrator operator author creator editor reviewer approver sender recipient receiver beneficiary payer payee cardholder driver host organizer organiser instructor teacher coach mother father parent child sibling kin trustee executor witness staff support sales from to cc bcc reply officer originator underwriter creditor',
);
/** Words for an institution or a thing, whose data is not the customer's. */
const OTHER_THING = list(
  'company business organization organisation org account merchant store shop branch office agency firm corporation corporate bank institution school hospital clinic brand campaign product item vehicle mortgage loan insurance insurer policy invoice payment card billing bill shipping shipment mailing delivery pickup dropoff destination origin source target departure arrival return warehouse depot venue event publisher affiliate webhook notification callback server domain template file document attachment folder group team department workspace website page form widget channel tracking utm meta birth birthplace nationality tax legal registered headquarter hq',
);
/** Words that distinguish one of several things of the same person. */
const NEUTRAL = list('primary main preferred my your the best current raw');
/** Words that distinguish several ways to reach the same person. */
const OF_CONTACT = list('home mobile cell cellular fixed landline personal private direct daytime day evening night');
/** Words for the person's place of work, whose contacts are the next best. */
const AT_WORK = list('work business office');
/** Words for what is requested, and for its place. */
const MATTER = list(
  'request lead job project service order task problem issue work enquiry inquiry booking appointment quote ticket case repair property site installation',
);
/** Words of an address before its parts. */
const OF_ADDRESS = list('address addr location residential residence physical home postal street');
/** Words of objects that only wrap others. */
const WRAPPING = list(
  'data attribute payload request lead order job body param parameter input form info information detail object record field content entity model resource root new create enquiry inquiry project task ticket case booking appointment quote application submission intake profile method communication internet online',
);

/** The owner of a value or an object, according to the words of its name. */
export type Owner = 'customer' | 'unknown' | 'other thing' | 'other person';

const BY_DISTANCE: readonly Owner[] = ['customer', 'unknown', 'other thing', 'other person'];

/** Returns the owner that is farther from the customer. */
export const fartherOwner = (one: Owner, other: Owner): Owner =>
  BY_DISTANCE.indexOf(one) >= BY_DISTANCE.indexOf(other) ? one : other;

/**
 * Returns the owner of something that belongs to what a noun of several words names: "of the lead owner". If
 * `isStrict`, whatever is not a person is a thing.
 */
export function ownerOfNoun(noun: string, isStrict: boolean): Owner {
  const word = wordsOf(noun).at(-1) ?? '';
  if (PERSON.has(word) || word === '') return 'customer';
  if (OTHER_PERSON.has(word)) return 'other person';
  return OTHER_THING.has(word) || (isStrict && !MATTER.has(word)) ? 'other thing' : 'customer';
}

/** Tells whether a name says nothing at all: `value1`, `field_3`, `custom`. */
export const isSilent = (words: readonly string[]): boolean =>
  words.every((word) => SILENT.has(word) || word.length < 3 || /^\d+$/.test(word));

const SILENT = list(
  'value field param parameter data input text string custom answer response question key attribute property variable item entry column arg argument content info other extra misc free user defined',
);

/** The meaning of a name: the phrase in it, and the owner according to the words around the phrase. */
export interface SpokenName extends Phrase {
  readonly owner: Owner;
  /** The words before the phrase, by which parts of one address belong together. */
  readonly before: string;
  /** The number of words around the phrase. */
  readonly extra: number;
  readonly phrase: string;
}

export const isName = (content: Content): boolean => /^(?:fullname|first_name|last_name)$/.test(content);
const isPlace = (content: Content): boolean =>
  /^(?:location|street|house_number|postal_code|city|region|country)$/.test(content);

/** Returns the owner of a content if a word stands before its phrase, or null if the two do not fit together. */
function ownerBefore(content: Content, word: string): Owner | null {
  if (PERSON.has(word)) return 'customer';
  if (content === 'request_text' || content === 'category' || content === 'audio_file') {
    return MATTER.has(word) || NEUTRAL.has(word) ? 'customer' : null;
  }
  if (content === 'ref') return null;
  if (isName(content) ? /^(?:full|your|my)$/.test(word) : NEUTRAL.has(word)) return 'customer';
  if ((content === 'email' || content === 'phone') && (OF_CONTACT.has(word) || AT_WORK.has(word))) return 'customer';
  if (isPlace(content) && (OF_ADDRESS.has(word) || MATTER.has(word))) return 'customer';
  if (ROLE.has(word)) return 'unknown';
  if (OTHER_PERSON.has(word)) return 'other person';
  // A company's name is not the name of a person.
  return OTHER_THING.has(word) && !isName(content) ? 'other thing' : null;
}

/** Matches the words that may follow the phrase of a content. */
const AFTER: Readonly<Partial<Record<Content, RegExp>>> = {
  email: /^(?:1|primary|main|home|personal|work|business)$/,
  phone: /^(?:1|primary|main|home|mobile|cell|fixed|landline|personal|work|business|day|daytime)$/,
  location: /^(?:1|primary|home|full|text)$/,
  fullname: /^full$/,
  request_text: /^(?:text|html|plain)$/,
  category: /^(?:id|code|key|slug|uuid)$/,
  country: /^(?:code|iso|alpha|2)$/,
  lang: /^(?:code|iso)$/,
};

/** Names that look like a phrase with words around it but mean something else. */
const OTHERWISE = list('username hostname filename nickname tradename mobilename cellname');

/**
 * Maximum number of words in a name that is read. A longer name is a sentence, and each run of its words would be
 * looked up.
 */
const MAX_WORDS = 10;

/**
 * Reads a name as the phrase of a content, with words around it that are all understood. A word that is not understood,
 * or that does not fit the content, gives the name another meaning: `email_template`, `address_id`, `phone_verified`.
 */
export function spokenName(words: readonly string[]): SpokenName | undefined {
  if (words.length > MAX_WORDS || OTHERWISE.has(joined(words))) return undefined;
  for (let length = words.length; length > 0; length -= 1) {
    for (let from = words.length - length; from >= 0; from -= 1) {
      const said = words.slice(from, from + length);
      const phrase = phraseOf(said);
      const around = phrase && aroundPhrase(said.join(' '), phrase, words.slice(0, from), words.slice(from + length));
      if (around) return around;
    }
  }
  return gluedName(words);
}

function aroundPhrase(
  words: string,
  phrase: Phrase,
  before: readonly string[],
  after: readonly string[],
): SpokenName | undefined {
  const { content } = phrase;
  if (!after.every((word) => AFTER[content]?.test(word))) return undefined;
  let owner: Owner = 'customer';
  for (const word of before) {
    const said = ownerBefore(content, word);
    if (said === null) return undefined;
    owner = fartherOwner(owner, said);
  }
  const isWork = [...before, ...after].some((word) => AT_WORK.has(word)) && !isPlace(content);
  const nearness = isWork && phrase.nearness !== 'vague' ? 'vague' : phrase.nearness;
  return {
    ...phrase,
    nearness,
    owner,
    before: before.filter((word) => !OF_ADDRESS.has(word) && !PERSON.has(word) && !NEUTRAL.has(word)).join('_'),
    extra: before.length + after.length,
    phrase: words,
  };
}

/** Reads a name that is written as one word, such as `customeremail`. */
function gluedName(words: readonly string[]): SpokenName | undefined {
  const [word = '', ...others] = words;
  if (others.length > 0) return undefined;
  for (const person of PERSON) {
    const rest = word.startsWith(person) ? word.slice(person.length) : '';
    const phrase = rest.length >= 4 ? byPhrase.get(rest) : undefined;
    if (phrase) return aroundPhrase(rest, phrase, [person], []);
  }
  return undefined;
}

/** Names of columns in other languages that are also English words or common abbreviations. */
const ENGLISH = list('via cap cp land portable handy ort lieu rue mail mobil name nom place service market');

/**
 * Reads a name as the name of a column, in any language of the markets. The result is a guess. `isInside` says that the
 * name stands in an object that tells its content, such as an address, so that it is no English word.
 */
export function foreignName(name: string, isInside = false): SpokenName | undefined {
  const { meaning, rank } = aliasOf(name.replace(/([a-z\d])([A-Z])/g, '$1_$2')) ?? {};
  // Such a name does not tell whose reference an `id` is.
  if (meaning === undefined || rank === undefined || !isContent(meaning) || meaning === 'ref') return undefined;
  if (!isInside && ENGLISH.has(name.toLowerCase())) return undefined;
  return { content: meaning, nearness: 'usual', order: rank, owner: 'customer', before: '', extra: 0, phrase: name };
}

/** The meaning of an object, according to its name. */
export interface SpokenObject {
  readonly owner: Owner;
  /** The content that its members together make up: `phone` for `mobilePhones`. */
  readonly content: Content | null;
  /** Whether the name means something else as often. */
  readonly isVague: boolean;
  readonly isPerson: boolean;
  /** Whether the name tells nothing about the owner of the members. */
  readonly isWrapper: boolean;
}

/** Reads the name of an object around a value. */
export function spokenObject(name: string): SpokenObject {
  const words = wordsOf(name);
  const has = (list: ReadonlySet<string>) => words.some((word) => list.has(word));
  const isPerson = has(PERSON) || has(ROLE) || has(OTHER_PERSON);
  const isWrapper = words.every((word) => WRAPPING.has(word));
  // A name that would be a text or a person as a value is only the container of its members as an object.
  const wraps = words.every((word) => WRAPPING.has(word) || PERSON.has(word) || NEUTRAL.has(word));
  const spoken = wraps ? undefined : (spokenName(words) ?? foreignName(name));
  if (spoken) {
    const { owner, content, nearness } = spoken;
    return { owner, content, isVague: nearness === 'vague', isPerson: false, isWrapper };
  }
  const isMatter = words.every((word) => WRAPPING.has(word) || MATTER.has(word) || PERSON.has(word));
  const owner =
    wraps || isMatter ? 'customer' : has(OTHER_PERSON) ? 'other person' : has(OTHER_THING) ? 'other thing' : 'unknown';
  return { owner, content: null, isVague: false, isPerson, isWrapper };
}
