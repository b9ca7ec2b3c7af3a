import { headerWords } from './header-words.ts';
import { isSilent, NamedColumn, type NamedMeaning } from './named-column.ts';
import { type Concept, conceptsOf } from './vocabulary.ts';

/** What the name of a column says about it. */
export interface NameEvidence {
  readonly meanings: readonly NamedMeaning[];
  /** The name says nothing at all (`Column 3`, `field_7`, no name), so that only the content can tell. */
  readonly isEmpty: boolean;
  /** The column belongs to somebody else than the customer: an agent, an owner, a branch. */
  readonly isOthers: boolean;
  /** The name says that the column is something that no field wants: a date, a price, a consent. */
  readonly isElse: boolean;
  /** The words that are not understood, without those in brackets. */
  readonly unknown: string;
  /** The name is a question or a sentence, so that words which are not known say little. */
  readonly isQuestion: boolean;
  /** The name is "name" and nothing more, which may be half of it beside a column for the other half. */
  readonly isBareName: boolean;
  /** The name says nothing but whose the column is: "customer", "caller", "contact person". */
  readonly isSomebody: boolean;
  /** The name is that of a heading, as of a message or of a school. */
  readonly isSubject: boolean;
  /** A part of a town or of a country. It is the place only where nothing nearer is given. */
  readonly isRegion: boolean;
}

const ELSE: readonly Concept[] = [
  ...([
    'time',
    'money',
    'web',
    'manner',
    'status',
    'consent',
    'measure',
    'tax',
    'title',
    'company',
    'file',
    'fax',
  ] as const),
];
/** What a recording may be called besides: its file, its link, its call. */
const ELSE_OF_RECORDINGS = ELSE.filter((each) => each !== 'web' && each !== 'file');

/** A need may be for pictures. */
const ELSE_OF_NEEDS = ELSE.filter((each) => each !== 'file');

/** "In which language shall we contact you?" is about the language. */
const ELSE_OF_LANGUAGES = ELSE.filter((each) => each !== 'manner');

function elseOf(named: NamedColumn): readonly Concept[] {
  if (named.has('audio')) return ELSE_OF_RECORDINGS;
  if (named.has('language')) return ELSE_OF_LANGUAGES;
  return named.has('need') ? ELSE_OF_NEEDS : ELSE;
}

/** Questions how somebody came to know the sender, which have the words of a need. */
const ABOUT_US =
  /(?:know|hear|heard|find|found|learn\w*|discover\w*)[ _](?:out[ _])?(?:about[ _]|of[ _])?us\b|(?:auf|von|über)[ _]uns\b|nous[ _](?:avez[ -_]vous[ _])?(?:conn|trouv|découv)|(?:conoci|conoce|encontr|conhece|enter)\w*[ _](?:de[ _]|sobre[ _])?nos(?:otros)?\b|nos[ _](?:conoc|encontr|conhec)|ci[ _](?:hai|ha|avete)[ _](?:conosc|trovat)/i;

/**
 * Reads the name of a column as words, in the languages of the markets. Where a word is not known, it may be a slip of one
 * that is: then that reading is added, for the content to decide, or is the only one.
 */
export function nameEvidence(header: string): NameEvidence {
  const words = tellingWords(header, false);
  const exact = evidenceOf(header, words);
  if (exact.isElse || exact.unknown === '') return exact;
  const mended = evidenceOf(header, tellingWords(header, true));
  if (exact.meanings.length === 0 && mended.isElse) return mended;
  const further = mended.meanings.filter(({ meaning }) => !exact.meanings.some((each) => each.meaning === meaning));
  return {
    ...exact,
    isOthers: exact.isOthers || mended.isOthers,
    isEmpty: exact.isEmpty && mended.isEmpty,
    meanings: [
      ...exact.meanings,
      ...further.map((each) => ({ ...each, strength: each.strength === 'plain' ? 'slip' : 'part' }) as const),
    ],
  };
}

function evidenceOf(header: string, words: readonly string[]): NameEvidence {
  const unknown = unknownWords(words);
  const named = new NamedColumn(words, unknown !== '');
  const isOthers = named.has('other');
  const ignored = elseOf(named);
  // "Quelle" alone is German for where a lead comes from; in a French question it is "which".
  const isElse =
    header.startsWith('_') ||
    /[€£]|\$(?!\p{L})/u.test(header) ||
    ABOUT_US.test(header) ||
    (words.length <= 2 && words.includes('quelle')) ||
    (!named.has('telling') && named.hasAny(ignored));
  const isEmpty = words.every(isSilent);
  return {
    meanings: isElse ? named.hints() : named.meanings(),
    isEmpty: isEmpty && !isElse,
    isOthers,
    isElse,
    unknown,
    isQuestion: words.length >= 5 || /[?¿]/.test(header),
    isBareName: named.isBareName(),
    isSomebody: named.isSomebody(),
    isSubject: named.hasAny(['subject', 'title']),
    isRegion: named.isRegion(),
  };
}

/** Returns the words that are not understood. */
function unknownWords(words: readonly string[]): string {
  // Pupils, children and users may be the customer or not, which is as good as not knowing the word.
  return words.filter((word) => word.length > 1 && conceptsOf(word).every((each) => each === 'either')).join(' ');
}

/** What counts in brackets, too: whose it is, and what field. Else brackets only explain what stands before them. */
const TELLING_IN_BRACKETS: ReadonlySet<Concept> = new Set<Concept>([
  ...(['email', 'phone', 'name', 'first', 'last', 'street', 'house', 'postal', 'city', 'country', 'other'] as const),
  ...(['company', 'fax', 'second', 'money', 'tax', 'audio', 'title', 'region', 'extra', 'consent', 'status'] as const),
]);

/** Returns the words of a header, without those in brackets that only explain. */
function tellingWords(header: string, mendsSlips: boolean): readonly string[] {
  const words = headerWords(header, mendsSlips);
  const outside = header.replace(/\([^)]*\)|\[[^\]]*\]/g, ' ');
  if (outside === header) return words;
  const remaining = headerWords(outside, mendsSlips);
  if (remaining.every(isSilent)) return words;
  return words.filter(
    (word) => remaining.includes(word) || conceptsOf(word).some((each) => TELLING_IN_BRACKETS.has(each)),
  );
}
