import { aliasOf, type FieldOrPart } from '../../request/field-aliases.ts';
import type { ContentProfile } from './content.ts';
import {
  contentReason,
  type Fit,
  fitOf,
  holdsFewValues,
  holdsPersons,
  isPersonRather,
  isPlainlyEmail,
  isPlainlyPhone,
  isRepeated,
  isTownRather,
} from './fit.ts';
import type { NameEvidence } from './name-evidence.ts';
import { ASIDE, type NamedMeaning } from './named-column.ts';

/** A column with the evidence of its name and its content. */
export interface Look {
  readonly index: number;
  readonly header: string;
  readonly name: NameEvidence;
  readonly seen: ContentProfile;
  /** Whether srq added the column to a results file. */
  readonly isOwn: boolean;
}

/** The meaning of a column and its certainty. */
export interface ColumnReading {
  readonly index: number;
  readonly meaning: FieldOrPart;
  /** A `certain` meaning is used, and the user is asked about a `likely` one. */
  readonly level: 'certain' | 'likely';
  /** The order of several columns with one meaning. The lowest rank is preferred. */
  readonly rank: number;
  /** The reason, for a person. */
  readonly because: string;
}

/** One way to read one column. */
export interface Candidate extends ColumnReading {
  readonly look: Look;
  readonly fit: Fit;
  /**
   * How much of the name is understood: srq knows it exactly, understands all of its words, understands some of them,
   * or only has the content.
   */
  readonly by: 'known name' | 'plain name' | 'part of the name' | 'content';
}

/**
 * Returns the ways to read a column by its name, either because srq knows the name exactly or by its words. The content
 * may contradict both.
 */
export function candidatesByName(look: Look): Candidate[] {
  const { header, name, seen, index, isOwn } = look;
  if (isOwn) return [];
  const found: Candidate[] = [];
  const alias = isDecorated(header) ? undefined : aliasOf(header);
  if (alias && !isPlainlyOther(alias.meaning, seen)) {
    const fit = fitOf(alias.meaning, seen);
    found.push({ index, ...alias, level: 'certain', because: 'known name', fit, by: 'known name', look });
  }
  if (name.isOthers && found.length === 0) return [];
  for (const named of name.meanings) {
    const { meaning, strength } = named;
    const fit = fitOf(meaning, seen);
    const level = levelOf(named, fit, look);
    if (level === null) continue;
    const because = ['name', contentReason(meaning, seen)].filter((reason) => reason !== null).join(', ');
    const by = strength === 'plain' ? 'plain name' : 'part of the name';
    // Columns whose names are read as words never tie. The earlier column comes first.
    found.push({ index, meaning, rank: named.rank + index / 10_000, level, because, fit, by, look });
  }
  return found;
}

/**
 * Tells whether a mark changes the meaning of a known name. An "Enquiry #" is the number of the enquiry, and names that
 * begin with an underscore are technical, such as the `_locale` of a form's page.
 */
function isDecorated(header: string): boolean {
  return header.startsWith('_') || (header.includes('#') && header.trim() !== '#');
}

/** Returns a reading that is based on the content or on neighbouring columns. */
export function guessed(look: Look, meaning: FieldOrPart, because: string): Candidate {
  const rank = 80 + look.index / 10_000;
  return { index: look.index, meaning, rank, level: 'likely', because, fit: 'shows', by: 'content', look };
}

/** Fields for which several columns make sense. Each row gives the first filled one. */
export const SEVERAL: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>(['phone', 'email', 'last_name']);

/** Meanings that content alone shows, so that it decides if the name does not. */
const SPECIFIC: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>([
  ...(['postal_code', 'country', 'lang', 'request_text', 'audio_file'] as const),
]);
/** Meanings that hardly depend on the other words of a question, if the content shows them. */
const OF_QUESTIONS: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>([
  ...(['first_name', 'last_name', 'city', 'location', 'street', 'request_text'] as const),
]);

const VAGUE: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>(['location', 'fullname']);

/** Meanings that belong to a person. Unknown words in the name may mean another person than the customer. */
const OF_A_PERSON: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>(['phone', 'email']);

/** Returns the certainty of a reading by words, or null if the content contradicts it. */
function levelOf(
  { meaning, strength, rank }: NamedMeaning,
  fit: Fit,
  { name, seen }: Look,
): ColumnReading['level'] | null {
  if (fit === 'contradicts') return null;
  // Names and places have no typical form. If the content does not show them, a person has to check. If the same few
  // people occur again and again, they are the sender's own.
  const isOwn = OF_A_PERSON.has(meaning) && isRepeated(seen);
  const isVague = VAGUE.has(meaning) && (fit === 'allows' || (meaning === 'fullname' && isRepeated(seen)));
  const isCalled = meaning === 'ref' && isPlainlyPhone(seen) && seen.writtenAsPhone >= 0.5;
  // A word for a need whose column holds single words instead of texts more likely means the kind of service.
  const isWord = meaning === 'request_text' && fit === 'allows' && seen.longText < 0.1 && seen.medianLength <= 16;
  if (strength === 'plain') return isWord || isVague || isCalled || isOwn ? 'likely' : 'certain';
  // A word for a number or a call means a telephone only if the content is telephone numbers.
  if (fit === 'none' || (meaning === 'phone' && fit !== 'shows')) return null;
  if ((OF_A_PERSON.has(meaning) || meaning === 'fullname') && isRepeated(seen)) return null;
  if (strength === 'hint') return fit === 'shows' ? 'likely' : null;
  const isName = (meaning === 'fullname' || meaning === 'first_name') && holdsPersons(seen);
  const isSpecific = SPECIFIC.has(meaning) || OF_A_PERSON.has(meaning) || isName;
  if (strength === 'slip' && fit === 'shows' && isSpecific) return 'certain';
  // A number that can be called is a reference only if the name clearly says so.
  if (meaning === 'ref' && isPlainlyPhone(seen)) return null;
  const isKindOfService = meaning === 'category' && name.unknown === '' && !name.isSubject && holdsFewValues(seen);
  if (isKindOfService) return 'certain';
  if (fit !== 'shows' || rank >= ASIDE) return 'likely';
  if (name.isQuestion && (OF_A_PERSON.has(meaning) || OF_QUESTIONS.has(meaning))) return 'certain';
  if (name.unknown !== '') return 'likely';
  return SPECIFIC.has(meaning) ? 'certain' : 'likely';
}

const NAMES: ReadonlySet<FieldOrPart> = new Set<FieldOrPart>(['fullname', 'first_name', 'last_name']);

/** Tells whether nearly all cells of a column with a known name are clearly of another kind than the name says. */
function isPlainlyOther(meaning: FieldOrPart, seen: ContentProfile): boolean {
  if (meaning === 'ref' || fitOf(meaning, seen) !== 'contradicts') return false;
  // Links are the location of appointments that take place online.
  if (seen.url >= (meaning === 'location' ? 0.5 : 0.9)) return true;
  // One e-mail address is enough, and so is one number that is written as people dial it. Plain digits may be a code.
  if (isPlainlyEmail(seen) || (isPlainlyPhone(seen) && seen.writtenAsPhone === 1)) return true;
  if (seen.filled < 3) return false;
  if (meaning === 'category' && seen.clientele >= 0.6) return true;
  if (meaning === 'country' && seen.town >= 0.4) return true;
  if (meaning === 'fullname' && Math.max(seen.codeLike, seen.digits) >= 0.9) return true;
  if (meaning === 'city' ? isPersonRather(seen) : NAMES.has(meaning) && isTownRather(seen)) return true;
  // Some forms write "anonymous" into every cell of an e-mail address that they must not ask for.
  if (meaning === 'email' && seen.email === 0 && seen.distinct * seen.filled <= 1) return true;
  const isNumbered = meaning === 'request_text' && seen.filled >= 5 && seen.codeLike >= 0.9 && seen.distinct >= 0.95;
  return isNumbered || isPlainlyPhone(seen) || Math.max(seen.date, seen.yesNo) >= 0.9;
}

const BY_ORDER: readonly Candidate['by'][] = ['known name', 'plain name', 'part of the name', 'content'];
const FIT_ORDER: readonly Fit[] = ['shows', 'allows', 'none', 'contradicts'];

/** Compares two readings: known names first, then what the content shows, then how well the name is understood. */
export function byStrength(a: Candidate, b: Candidate): number {
  const isKnown = ({ by }: Candidate) => Number(by === 'known name');
  const known = isKnown(b) - isKnown(a);
  const fits = FIT_ORDER.indexOf(a.fit) - FIT_ORDER.indexOf(b.fit);
  return known || fits || BY_ORDER.indexOf(a.by) - BY_ORDER.indexOf(b.by);
}
