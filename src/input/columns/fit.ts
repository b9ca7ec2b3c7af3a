import type { FieldOrPart } from '../../request/lead/field-aliases.ts';
import type { ContentProfile } from './content.ts';

/**
 * The relation between a column's content and a meaning: the content shows it, allows it, or contradicts it. `none`
 * means that the column has no content.
 */
export type Fit = 'shows' | 'allows' | 'contradicts' | 'none';

/** Minimum share of cells that makes a kind of content clear. */
const PLAIN = 0.8;

/** Tells whether nearly all cells are something that belongs to no field: dates, links, amounts, yes and no. */
function isElse({ date, url, ip, yesNo, amount, filled, isFractional }: ContentProfile): boolean {
  return Math.max(date, url, ip, yesNo, amount) >= PLAIN || (filled >= 3 && isFractional);
}

function isContact({ email, phoneShape }: ContentProfile): boolean {
  return email >= 0.3 || phoneShape >= 0.5;
}

const isName = (seen: ContentProfile) => seen.wordsOnly + seen.oneWord >= 0.6 && seen.medianLength <= 40;
/** These functions tell whether a column holds towns instead of persons, or persons instead of towns. */
export const isTownRather = (seen: ContentProfile) => seen.town >= 0.4 && seen.town > seen.givenName;
export const isPersonRather = (seen: ContentProfile) => seen.givenName >= 0.5 && seen.givenName > 2 * seen.town;
const noText = (seen: ContentProfile) =>
  isElse(seen) ||
  isContact(seen) ||
  seen.digits >= 0.6 ||
  seen.codeLike >= PLAIN ||
  Math.max(seen.recording, seen.clientele) >= 0.5;

/** For each meaning, the content that shows it and the content that contradicts it. */
const FITS: Readonly<
  Record<FieldOrPart, { shows(seen: ContentProfile): boolean; contradicts(seen: ContentProfile): boolean }>
> = {
  email: { shows: ({ email }) => email >= 0.6, contradicts: ({ email }) => email < 0.2 },
  phone: {
    shows: (seen) => seen.phone >= 0.5,
    contradicts: ({ phoneShape, date, ip }) => phoneShape < 0.3 || Math.max(date, ip) >= 0.5,
  },
  postal_code: {
    shows: ({ postalCode }) => postalCode >= 0.6,
    contradicts: (seen) =>
      seen.medianLength > 12 ||
      isElse(seen) ||
      seen.email >= 0.3 ||
      (seen.filled > 2 && seen.postalCode < 0.1 && seen.digits < 0.5),
  },
  country: { shows: ({ country }) => country >= 0.6, contradicts: ({ country }) => country < 0.2 },
  lang: { shows: ({ language }) => language >= 0.6, contradicts: ({ language }) => language < 0.2 },
  fullname: {
    shows: isName,
    contradicts: (seen) => noText(seen) || seen.medianLength > 45 || isTownRather(seen),
  },
  first_name: { shows: isName, contradicts: (seen) => noText(seen) || seen.medianLength > 30 },
  last_name: { shows: isName, contradicts: (seen) => noText(seen) || seen.medianLength > 30 },
  street: {
    shows: ({ streetLike, streetWord }) => streetLike >= 0.5 || streetWord >= 0.5,
    contradicts: (seen) =>
      isElse(seen) || seen.email >= 0.3 || seen.phone >= 0.6 || seen.digits >= PLAIN || seen.medianLength > 80,
  },
  house_number: {
    shows: ({ medianLength, digits, distinct }) => medianLength <= 6 && digits >= 0.4 && distinct > 0.2,
    contradicts: (seen) => seen.medianLength > 12 || seen.isSequence || isContact(seen) || seen.oneWord >= 0.5,
  },
  city: {
    shows: (seen) => isName(seen) || seen.town >= 0.4,
    contradicts: (seen) => noText(seen) || seen.medianLength > 45 || isPersonRather(seen),
  },
  location: {
    shows: ({ placeLike, streetLike, town }) => Math.max(placeLike, streetLike) >= 0.4 || town >= 0.25,
    contradicts: (seen) =>
      isElse(seen) || isContact(seen) || seen.digits >= PLAIN || seen.url >= 0.5 || seen.medianLength > 150,
  },
  request_text: {
    shows: ({ longText, distinct }) => longText >= 0.4 && distinct >= 0.5,
    contradicts: (seen) =>
      noText(seen) ||
      seen.medianLength < 4 ||
      holdsPersons(seen) ||
      (seen.filled >= 5 && seen.distinct * seen.filled <= 1),
  },
  notes: {
    shows: ({ longText, distinct }) => longText >= 0.4 && distinct >= 0.5,
    contradicts: (seen) => noText(seen) || seen.medianLength < 4,
  },
  category: {
    shows: ({ filled, distinct, longText, medianLength }) =>
      filled >= 4 && distinct <= (longText >= 0.4 ? 0.5 : 0.8) && medianLength <= 40,
    contradicts: (seen) =>
      isElse(seen) ||
      isContact(seen) ||
      seen.digits >= PLAIN ||
      seen.medianLength > 60 ||
      seen.clientele >= 0.6 ||
      Math.max(seen.placeLike, seen.town) >= 0.5 ||
      isStreet(seen) ||
      isPersonRather(seen),
  },
  ref: {
    shows: ({ distinct, hasSpace, isSequence, medianLength }) =>
      distinct >= 0.95 && hasSpace <= 0.2 && !isSequence && medianLength >= 3,
    contradicts: (seen) =>
      isElse(seen) ||
      seen.email >= 0.3 ||
      seen.hasSpace >= 0.6 ||
      (seen.filled >= 3 && seen.distinct < 0.7) ||
      (seen.filled >= 3 && seen.oneWord + seen.wordsOnly >= 0.9 && seen.codeLike === 0) ||
      (seen.longText >= 0.5 && seen.hasSpace >= 0.3),
  },
  audio_file: {
    shows: ({ recording }) => recording >= 0.5,
    contradicts: (seen) =>
      Math.max(seen.date, seen.yesNo, seen.email) >= 0.5 || (seen.digits >= PLAIN && seen.recording === 0),
  },
};

/** Returns the relation between a column's content and a meaning. */
export function fitOf(meaning: FieldOrPart, seen: ContentProfile): Fit {
  if (seen.filled === 0) return 'none';
  const { shows, contradicts } = FITS[meaning];
  if (contradicts(seen)) return 'contradicts';
  return shows(seen) ? 'shows' : 'allows';
}

/** Minimum number of filled cells before repetition means anything. */
const MIN_TELLING = 6;

/** Tells whether the same few values are repeated. The sender's own staff is repeated, and customers are not. */
export function isRepeated({ filled, distinct }: ContentProfile): boolean {
  return filled >= MIN_TELLING && distinct < 0.4;
}

/**
 * Tells whether a column holds names of persons. A third of the cells with a common given name is enough, because no
 * list is complete.
 */
export function holdsPersons(seen: ContentProfile): boolean {
  return seen.givenName >= 0.3 && seen.givenName > seen.town && seen.medianLength <= 40 && isName(seen);
}

/** Tells whether a column clearly holds streets. */
export function isStreet({ streetLike, streetWord }: ContentProfile): boolean {
  return streetWord >= 0.4 && streetLike >= 0.4;
}

/** Tells whether the same few short texts are repeated, as kinds of service are. */
export function holdsFewValues(seen: ContentProfile): boolean {
  const { filled, distinct, medianLength, longText, town, givenName, clientele, country, language, postalCode } = seen;
  const isOther = Math.max(town, givenName, clientele, country, language, postalCode) >= 0.3;
  const isShort = medianLength >= 2 && medianLength <= 40 && longText < 0.5;
  return filled >= MIN_TELLING && distinct <= 0.6 && distinct * filled > 1 && isShort && !isOther;
}

/** Tells whether a column clearly holds telephone numbers. */
export function isPlainlyPhone(seen: ContentProfile): boolean {
  return (
    seen.filled > 0 && seen.phone >= PLAIN && (seen.writtenAsPhone >= 0.3 || seen.phone >= 0.95) && !seen.isSequence
  );
}

export function isPlainlyEmail({ filled, email }: ContentProfile): boolean {
  return filled > 0 && email >= PLAIN;
}

export function isPlainlyText(seen: ContentProfile): boolean {
  const { longText, hasSpace, medianLength, distinct } = seen;
  return longText >= PLAIN && hasSpace >= PLAIN && medianLength >= 25 && distinct >= 0.7 && !isNoText(seen);
}

/**
 * Tells whether a column may hold texts. They may be shorter and more alike than clear texts, but have several words.
 */
export function isNearlyText(seen: ContentProfile): boolean {
  const { longText, hasSpace, medianLength, distinct } = seen;
  return longText >= 0.5 && hasSpace >= PLAIN && medianLength >= 18 && distinct >= 0.25 && !isNoText(seen);
}

/** Tells whether too many cells are something other than texts. */
function isNoText(seen: ContentProfile): boolean {
  const { filled, email, phoneShape, url, date, amount, postalCode, placeLike } = seen;
  const other = Math.max(email, phoneShape, url, date, amount, postalCode);
  return filled === 0 || other >= 0.2 || placeLike >= 0.6 || isStreet(seen);
}

const NOUNS: Partial<Record<FieldOrPart, { share: keyof ContentProfile; noun: string }>> = {
  email: { share: 'email', noun: 'e-mail addresses' },
  phone: { share: 'phone', noun: 'telephone numbers' },
  postal_code: { share: 'postalCode', noun: 'postal codes' },
  country: { share: 'country', noun: 'countries' },
  lang: { share: 'language', noun: 'languages' },
  request_text: { share: 'longText', noun: 'longer texts' },
  street: { share: 'streetLike', noun: 'streets' },
  location: { share: 'placeLike', noun: 'places' },
  fullname: { share: 'wordsOnly', noun: 'words like a name' },
  audio_file: { share: 'recording', noun: 'recordings' },
};

/**
 * Describes for a person what the content shows: `14 of 15 are telephone numbers`. Returns null if there is nothing to
 * count.
 */
export function contentReason(meaning: FieldOrPart, seen: ContentProfile): string | null {
  const counted = NOUNS[meaning];
  if (!counted || seen.filled === 0) return null;
  return countedText(Number(seen[counted.share]), seen, counted.noun);
}

function countedText(share: number, { filled }: ContentProfile, noun: string): string {
  return `${Math.round(share * filled)} of ${filled} are ${noun}`;
}

/** Minimum share of cells with a form that only few fields have, and minimum number of such cells. */
const NEARLY_ALL = 0.9;
const MIN_OF_FORM = 3;

/**
 * Describes what a column clearly holds if the field cannot hold that: telephone numbers as a name, dates as a place.
 * Returns null if the content may be right.
 */
export function plainlyElse(meaning: FieldOrPart, seen: ContentProfile): string | null {
  if (fitOf(meaning, seen) !== 'contradicts') return null;
  if (isPlainlyEmail(seen)) return contentReason('email', seen);
  // Postal codes of seven digits have the form of telephone numbers.
  if (isPlainlyPhone(seen) && seen.postalCode < 0.5) return contentReason('phone', seen);
  if (seen.filled < MIN_OF_FORM) return null;
  if (seen.date >= NEARLY_ALL) return countedText(seen.date, seen, 'dates');
  if (seen.url >= NEARLY_ALL) return countedText(seen.url, seen, 'links');
  // Zeros and ones may be codes.
  if (seen.yesNo >= NEARLY_ALL && seen.digits < PLAIN) return countedText(seen.yesNo, seen, 'yes or no');
  return isPlainlyText(seen) ? contentReason('request_text', seen) : null;
}
