import type { FieldOrPart } from '../../request/lead/field-aliases.ts';
import type { ContentProfile } from './content.ts';

/**
 * The relation between a column's content and a meaning: the content shows it, allows it, or contradicts it. `none`
 * means that the column has no content.
 */
export type Fit = 'shows' | 'allows' | 'contradicts' | 'none';

/** Minimum share of cells that makes a kind of content clear, and of a form that only few fields have. */
const PLAIN = 0.8;
const NEARLY_ALL = 0.9;
/** Minimum number of cells of such a form. */
const MIN_OF_FORM = 3;

/** Tells whether nearly all cells are something that belongs to no field: dates, links, amounts, yes and no. */
function isElse(seen: ContentProfile): boolean {
  return Math.max(seen.date, seen.url, seen.yesNo, seen.amount) >= PLAIN || (seen.filled >= 3 && isOfAmounts(seen));
}

/** Tells whether a column holds amounts. Round ones are written without a fraction. */
const isOfAmounts = ({ amount, digits }: ContentProfile) => amount > 0 && amount + digits >= NEARLY_ALL;

/** Tells whether a column holds codes, or where appointments take place online or by phone, instead of texts and places. */
const isElsewhere = ({ url, channel, medianLength }: ContentProfile) =>
  Math.max(url, channel) >= 0.5 || medianLength < 4;

function isContact({ email, phoneShape }: ContentProfile): boolean {
  return email >= 0.3 || phoneShape >= 0.5;
}

function isName(seen: ContentProfile): boolean {
  return seen.wordsOnly + seen.oneWord >= 0.6 && seen.medianLength <= 40;
}

/** These functions tell whether a column holds towns instead of persons, or persons instead of towns. */
const isTownRather = ({ town, givenName }: ContentProfile) => town >= 0.4 && town > givenName;
const isPersonRather = ({ town, givenName }: ContentProfile) => givenName >= 0.5 && givenName > 2 * town;

const noText = (seen: ContentProfile) =>
  isElse(seen) ||
  isContact(seen) ||
  seen.digits >= 0.6 ||
  seen.codeLike >= PLAIN ||
  Math.max(seen.recording, seen.clientele) >= 0.5;

/** What a column with a meaning looks like. A new field is one entry. */
interface Meaning {
  /** The content that shows the meaning, and the content that contradicts it. */
  shows(seen: ContentProfile): boolean;
  contradicts(seen: ContentProfile): boolean;
  /** Content that shows a known name to be wrong, beyond what is wrong for all. */
  readonly refutes?: (seen: ContentProfile) => boolean;
  /** Content so clear that the only such column of a file is certain. */
  readonly plain?: (seen: ContentProfile) => boolean;
  /** Whether such content is enough without a telling name, or under a name with unknown words, too. */
  readonly readUnder?: 'no name' | 'any name';
  /** Other meanings in a file that make content alone unnecessary. */
  readonly unless?: readonly FieldOrPart[];
  /** The share of cells, and what they are, as the reason tells a person. */
  readonly counted?: readonly [share: keyof ContentProfile, noun: string];
  readonly group?: 'contact' | 'name' | 'place';
  /** Whether several columns make sense. Each row gives the first filled one. */
  readonly isSeveral?: true;
  /** Whether a person has to check if the content does not show the meaning, because it has no typical form. */
  readonly isVague?: true;
}

const NAME: Meaning = {
  shows: isName,
  contradicts: (seen) => noText(seen) || seen.medianLength > 45,
  group: 'name',
};
const TEXT: Meaning = {
  shows: ({ longText, distinct }) => longText >= 0.4 && distinct >= 0.5,
  contradicts: (seen) => noText(seen) || isElsewhere(seen) || isOfWholeNames(seen),
};

/** Content alone is looked for in the order of the meanings. */
export const MEANINGS: Readonly<Record<FieldOrPart, Meaning>> = {
  email: {
    shows: ({ email }) => email >= 0.6,
    contradicts: ({ email }) => email < 0.2,
    // Some forms write "anonymous" into every cell of an e-mail address that they must not ask for.
    refutes: (seen) => seen.email === 0 && isConstant(seen),
    plain: (seen) => isPlainlyEmail(seen) && seen.distinct >= 0.7,
    readUnder: 'any name',
    counted: ['email', 'e-mail addresses'],
    group: 'contact',
    isSeveral: true,
  },
  phone: {
    shows: ({ phone }) => phone >= 0.5,
    contradicts: ({ phoneShape }) => phoneShape < 0.3,
    plain: (seen) => isPlainlyPhone(seen) && seen.distinct >= 0.7,
    readUnder: 'any name',
    counted: ['phone', 'telephone numbers'],
    group: 'contact',
    isSeveral: true,
  },
  request_text: {
    ...TEXT,
    refutes: ({ codeLike }) => codeLike >= NEARLY_ALL,
    plain: (seen) => isNearlyText(seen) && seen.distinct >= 0.5,
    readUnder: 'any name',
    unless: ['notes', 'audio_file'],
    counted: ['longText', 'longer texts'],
  },
  notes: TEXT,
  street: {
    shows: ({ streetLike, streetWord }) => streetLike >= 0.5 || streetWord >= 0.5,
    contradicts: (seen) => isElse(seen) || isElsewhere(seen) || seen.email >= 0.3 || seen.digits >= PLAIN,
    refutes: isElsewhere,
    plain: (seen) => isStreet(seen) && seen.placeLike < 0.5,
    readUnder: 'any name',
    counted: ['streetLike', 'streets'],
    group: 'place',
  },
  house_number: {
    shows: ({ medianLength, digits, distinct }) => medianLength <= 6 && digits >= 0.4 && distinct > 0.2,
    contradicts: (seen) => seen.medianLength > 12 || isContact(seen) || seen.oneWord + seen.wordsOnly >= PLAIN,
    group: 'place',
  },
  location: {
    shows: ({ placeLike, streetLike, town }) => Math.max(placeLike, streetLike) >= 0.4 || town >= 0.25,
    contradicts: (seen) => isElse(seen) || isContact(seen) || seen.digits >= PLAIN || isElsewhere(seen),
    refutes: isElsewhere,
    plain: (seen) => isPlace(seen) || isStreet(seen),
    readUnder: 'any name',
    unless: ['postal_code', 'city', 'street'],
    counted: ['placeLike', 'places'],
    group: 'place',
    isVague: true,
  },
  city: {
    shows: (seen) => isName(seen) || seen.town >= 0.4,
    contradicts: (seen) => noText(seen) || isElsewhere(seen) || isPersonRather(seen),
    refutes: isPersonRather,
    plain: ({ town }) => town >= 0.25,
    readUnder: 'no name',
    unless: ['location'],
    group: 'place',
  },
  postal_code: {
    shows: ({ postalCode }) => postalCode >= 0.6,
    contradicts: (seen) => seen.medianLength > 12 || (seen.filled > 2 && seen.postalCode < 0.1 && seen.digits < 0.5),
    plain: ({ postalCode, distinct }) => postalCode >= 0.8 && distinct >= 0.15,
    readUnder: 'no name',
    unless: ['location'],
    counted: ['postalCode', 'postal codes'],
    group: 'place',
  },
  lang: {
    shows: ({ language }) => language >= 0.6,
    contradicts: ({ language }) => language < 0.2,
    counted: ['language', 'languages'],
  },
  country: {
    shows: ({ country }) => country >= 0.6,
    contradicts: ({ country }) => country < 0.2,
    plain: ({ country }) => country >= 0.9,
    counted: ['country', 'countries'],
  },
  audio_file: {
    shows: ({ recording }) => recording >= 0.5,
    contradicts: (seen) => noText(seen) && seen.recording === 0,
    plain: ({ recording }) => recording >= 0.9,
    readUnder: 'no name',
    counted: ['recording', 'recordings'],
  },
  fullname: {
    ...NAME,
    contradicts: (seen) => NAME.contradicts(seen) || isTownRather(seen),
    refutes: (seen) => seen.codeLike >= NEARLY_ALL || isTownRather(seen),
    plain: (seen) => holdsPersons(seen) && seen.wordsOnly >= 0.4 && seen.distinct >= 0.7,
    readUnder: 'no name',
    unless: ['first_name', 'last_name'],
    counted: ['wordsOnly', 'words like a name'],
    isVague: true,
  },
  first_name: NAME,
  last_name: { ...NAME, isSeveral: true },
  category: {
    shows: ({ filled, distinct, longText }) => filled >= 4 && distinct <= 0.8 && longText < 0.4,
    contradicts: (seen) =>
      noText(seen) || isOfWholeNames(seen) || seen.medianLength > 60 || Math.max(seen.placeLike, seen.town) >= 0.5,
    refutes: ({ clientele }) => clientele >= 0.5,
    plain: ({ filled, trade, longText }) => filled >= 4 && trade >= 0.5 && longText < 0.4,
    readUnder: 'any name',
  },
  ref: {
    shows: ({ distinct, hasSpace, isSequence, medianLength }) =>
      distinct >= 0.95 && hasSpace <= 0.2 && !isSequence && medianLength >= 3,
    contradicts: (seen) =>
      isElse(seen) ||
      seen.email >= 0.3 ||
      seen.hasSpace >= (seen.phoneShape >= PLAIN ? 0.3 : 0.6) ||
      (seen.filled >= 3 && seen.distinct < 0.7) ||
      (seen.filled >= 3 && seen.oneWord + seen.wordsOnly >= 0.9 && seen.codeLike === 0),
    plain: (seen) => fitOf('ref', seen) === 'shows' && !isPlainlyPhone(seen),
  },
};

/** Returns the relation between a column's content and a meaning. */
export function fitOf(meaning: FieldOrPart, seen: ContentProfile): Fit {
  if (seen.filled === 0) return 'none';
  const { shows, contradicts } = MEANINGS[meaning];
  if (contradicts(seen)) return 'contradicts';
  return shows(seen) ? 'shows' : 'allows';
}

/**
 * Tells whether nearly all cells of a column with a known name are clearly of another kind than the name says. Cells that
 * are nothing known may be mistakes, which are told row by row.
 */
export function isPlainlyOther(meaning: FieldOrPart, seen: ContentProfile): boolean {
  // A reference may be anything that differs between customers, but no amounts.
  if (meaning === 'ref') return seen.filled >= 3 && (isConstant(seen) || isOfAmounts(seen));
  if (fitOf(meaning, seen) !== 'contradicts') return false;
  // One e-mail address is enough, and so is one number that is written as people dial it. Plain digits may be a code.
  if (seen.url >= NEARLY_ALL || isPlainlyEmail(seen) || (isPlainlyPhone(seen) && seen.writtenAsPhone === 1))
    return true;
  if (seen.filled < 3) return false;
  return MEANINGS[meaning].refutes?.(seen) || isPlainlyPhone(seen) || Math.max(seen.date, seen.yesNo) >= NEARLY_ALL;
}

/** Tells whether a column holds whole addresses, or towns with their postal codes. */
function isPlace({ placeLike, digits, date, hasSpace, medianLength }: ContentProfile): boolean {
  return placeLike >= 0.6 && hasSpace >= 0.6 && Math.max(digits, date) < 0.2 && medianLength <= 80;
}

/** Tells whether all filled cells have the same text. */
const isConstant = ({ distinct, filled }: ContentProfile) => distinct * filled <= 1;

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

/** Tells whether a column clearly holds whole names of persons, whatever it is called. */
function isOfWholeNames(seen: ContentProfile): boolean {
  return holdsPersons(seen) && seen.wordsOnly >= 0.6;
}

/** Tells whether a column clearly holds streets. */
function isStreet({ streetLike, streetWord }: ContentProfile): boolean {
  return streetWord >= 0.4 && streetLike >= 0.4;
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
  return isNearlyText(seen) && seen.medianLength >= 25 && seen.distinct >= 0.7;
}

/**
 * Tells whether a column may hold texts. They may be shorter and more alike than clear texts, but have several words.
 */
function isNearlyText(seen: ContentProfile): boolean {
  const { longText, hasSpace, medianLength, distinct } = seen;
  return longText >= 0.5 && hasSpace >= PLAIN && medianLength >= 18 && distinct >= 0.25 && !isNoText(seen);
}

/** Tells whether too many cells are something other than texts. */
function isNoText(seen: ContentProfile): boolean {
  const { filled, email, phoneShape, url, date, amount, postalCode, placeLike } = seen;
  const other = Math.max(email, phoneShape, url, date, amount, postalCode);
  return filled === 0 || other >= 0.2 || placeLike >= 0.6 || isStreet(seen);
}

/**
 * Describes for a person what the content shows: `14 of 15 are telephone numbers`. Returns null if there is nothing to
 * count.
 */
export function contentReason(meaning: FieldOrPart, seen: ContentProfile): string | null {
  const [share, noun] = MEANINGS[meaning].counted ?? [];
  return share && noun && seen.filled > 0 ? countedText(Number(seen[share]), seen, noun) : null;
}

function countedText(share: number, { filled }: ContentProfile, noun: string): string {
  return `${Math.round(share * filled)} of ${filled} are ${noun}`;
}

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
