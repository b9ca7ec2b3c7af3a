import type { FieldOrPart } from '../../request/lead/field-aliases.ts';
import { headerWords } from './header-words.ts';
import { isSilent, NamedColumn, type NamedMeaning } from './named-column.ts';
import { type Concept, conceptsOf, isOfKind } from './vocabulary.ts';

/** What the name of a column says. */
export type NameEvidence = Readonly<ReturnType<typeof evidenceOf>>;

const ELSE = 'time money web manner status consent measure tax title company file fax'.split(' ');
/** Concepts that exclude a recording. A recording may also be called a file or a link. */
const ELSE_OF_RECORDINGS = ELSE.filter((each) => each !== 'web' && each !== 'file');

/** Concepts that exclude a telephone. One may be for a time of the day. */
const ELSE_OF_PHONES = ELSE.filter((each) => each !== 'time');

/** Concepts that exclude a description of the need. It may mention files, such as pictures. */
const ELSE_OF_NEEDS = ELSE.filter((each) => each !== 'file');

/** Concepts of places. With one of them, the origin is where a move begins, and no source of leads. */
const PLACES = 'street postal city address'.split(' ');
const ELSE_OF_ORIGINS = ELSE.filter((each) => each !== 'web');

function elseOf(named: NamedColumn, words: readonly string[]): readonly Concept[] {
  if (named.hasAny(PLACES) && words.some((word) => isOfKind('origin', word))) return ELSE_OF_ORIGINS;
  if (named.has('audio')) return ELSE_OF_RECORDINGS;
  if (named.has('phone')) return ELSE_OF_PHONES;
  return named.has('need') ? ELSE_OF_NEEDS : ELSE;
}

/**
 * Reads the name of a column as words, in the languages of the markets. An unknown word may be a known one with a
 * typing error. That reading is then added for the content to decide, or it is the only one.
 */
export function nameEvidence(header: string): NameEvidence {
  const words = tellingWords(header, false);
  const exact = evidenceOf(header, words);
  if (exact.isElse || !exact.hasUnknown) return exact;
  const mended = evidenceOf(header, tellingWords(header, true));
  return {
    ...exact,
    isOthers: exact.isOthers || mended.isOthers,
    meanings: [
      ...exact.meanings,
      ...mended.meanings.map((each) => ({ ...each, strength: each.strength === 'plain' ? 'slip' : 'part' }) as const),
    ],
  };
}

function evidenceOf(header: string, words: readonly string[]) {
  const hasUnknown = words.some(isUnknown) || hasInitials(header);
  const named = new NamedColumn(words, hasUnknown);
  const inside = meaningInBrackets(header);
  // Whoever looks for a provider says which kind of service is needed.
  const kinds = words.filter((word) => conceptsOf(word).includes('kind'));
  const isSought = kinds.length > 1 || (kinds.length > 0 && named.has('need'));
  const isOthers = named.has('other') && !isSought && !named.has('parents');
  const isElse =
    header.startsWith('_') ||
    /[€£]|\$(?!\p{L})/u.test(header) ||
    (words.length <= 2 && words.some((word) => isOfKind('statement', word))) ||
    (!named.has('telling') && named.hasAny(elseOf(named, words)));
  const isEither = named.has('either') || (named.has('kind') && named.hasAny(['first', 'last', 'phone', 'email']));
  return {
    meanings: inside ? [inside] : isElse ? [] : named.meanings(),
    /** Whether the name says nothing at all (`Column 3`, `field_7`, no name), so that only the content can tell. */
    isEmpty: named.has('silent') && !isElse && !inside,
    /** Whether the column belongs to another person than the customer: an agent, an owner, a branch. */
    isOthers,
    /** Whether the name says that the column belongs to no field: a date, a price, a consent. */
    isElse: isElse && !inside,
    /** Whether the other person is an owner: of a house, who is not the customer, or of a pet, who is. */
    isOwner: named.has('owner'),
    /** Whether there are unknown words, except those in brackets. */
    hasUnknown,
    /** Whether the name is about somebody who may be the customer or not: a pupil, a neighbour, the German "Kind". */
    isEither,
    /** Whether the column may be about another person than the customer. */
    mayBeAnothers: hasUnknown || isEither || named.has('thing'),
    /**
     * The words that say whose a telephone number or an e-mail address is: `tenant` or `caller`, but not `customer`. All
     * words for parents are the same one, and so are those for a contact person.
     */
    whose: new Set([...words.flatMap(personIn), ...(isContactPerson(words) ? [CONTACT_PERSON] : [])]),
    /** Whether the name is about a contact person or a caller, who may speak for the customer. */
    speaksForOthers: isContactPerson(words) || words.some((word) => isOfKind('caller', word)),
    /** Whether the name is about who gets the invoice, who may be somebody else at another place. */
    isBilling: named.has('billing'),
    /** Whether the name only says whose column it is: "customer", "caller", "contact person". */
    isSomebody: named.has('somebody'),
    /** Whether the name has a word for the customer. */
    isCustomers: named.has('customer'),
    /**
     * Whether the name means a part of a town or of a country. It is the location only if no other column is more
     * precise.
     */
    isRegion: named.has('region'),
    /** Whether the name doubts a number or an address ("wrong", "our"), or calls it a second one. */
    isDoubted: named.has('doubt'),
    isSecond: named.has('second'),
    /** Whether the name says where: a telephone "on site" may be another person's. */
    isOfAPlace: named.hasAny(['city', 'address', 'street', 'house']) || words.some((word) => isOfKind('site', word)),
  };
}

const PARENTS = 'parents';
const CONTACT_PERSON = 'contact person';

/** Tells whether a name is about whoever answers for the customer: a contact person, or another contact on site. */
function isContactPerson(words: readonly string[]): boolean {
  const has = (kind: string) => words.some((word) => isOfKind(kind, word));
  const isAnother = has('site') || words.some((word) => conceptsOf(word).includes('second'));
  return has('contactPerson') || (has('contact') && (has('person') || isAnother));
}

/** Returns what a word says about whose a column is, without its ending: `mieter` and `mieters` are the same person. */
function personIn(word: string): readonly string[] {
  const about = conceptsOf(word);
  if (about.includes('parents')) return [PARENTS];
  const isSomebody = (about.includes('customer') && !about.includes('anyone')) || about.includes('lastAdjective');
  return isSomebody ? [word.slice(0, 5)] : [];
}

/** What forms write in brackets behind the name of a group: `Your name (First)`, `Where is the work? (City)`. */
const PARTS: readonly FieldOrPart[] = ['first_name', 'last_name', 'street', 'postal_code', 'city', 'country'];

/**
 * Returns the part of a name or of an address that stands in brackets at the end of a header. It counts more than the
 * label before it, unless that label is a part itself or names somebody else.
 */
function meaningInBrackets(header: string): NamedMeaning | undefined {
  const [, before = '', inside = ''] = /^(.*\p{L}.*)[([]([^()[\]]+)[)\]]\W*$/su.exec(header) ?? [];
  const [label, words] = [new NamedColumn(headerWords(before, false), false), headerWords(inside, false)];
  const isSettled = label.hasAny('phone email other second company street postal city country'.split(' '));
  if (isSettled || words.some(isUnknown) || /[€£$]/.test(inside)) return undefined;
  const readings = label.has('name') ? [words, [...words, 'name']] : [words];
  return readings
    .flatMap((each) => new NamedColumn(each, false).meanings().slice(0, 1))
    .find(({ meaning, strength }) => strength === 'plain' && PARTS.includes(meaning));
}

/** Tells whether a word is unknown. Pupils and children may be the customer or not, so they are as good as unknown. */
function isUnknown(word: string): boolean {
  return word.length > 1 && conceptsOf(word).every((each) => each === 'either' || each === 'billing');
}

/** Tells whether capitals in a header spell a word that says nothing otherwise: in "Tel. ET", the owner and not "and". */
function hasInitials(header: string): boolean {
  const capitals = /\p{Ll}/u.test(header) ? (header.match(/(?<!\p{L})\p{Lu}{2,3}(?!\p{L})/gu) ?? []) : [];
  const says = (word: string) => conceptsOf(word.toLowerCase());
  return capitals.some((word) => says(word).length > 0 && says(word).every((each) => each === 'nothing'));
}

/**
 * Concepts that count in brackets as well, because they say whose column or which field it is. Other words in brackets
 * only explain what is before them.
 */
const TELLING_IN_BRACKETS: ReadonlySet<Concept> = new Set([
  ...'email phone name first last street house postal city country other'.split(' '),
  ...'company fax second money tax audio title region extra consent status either'.split(' '),
]);

/** Returns the words of a header, except those in brackets that only explain. */
function tellingWords(header: string, mendsSlips: boolean): readonly string[] {
  const words = headerWords(header, mendsSlips);
  const outside = header.replace(/\([^)]*\)|\[[^\]]*\]/g, ' ');
  if (outside === header) return words;
  const remaining = headerWords(outside, mendsSlips);
  if (remaining.every(isSilent)) return words;
  // Initials may mean anybody: "Phone (PM)".
  const [, initials = ''] = /[([](\p{Lu}\p{L}?\p{Lu})[)\]]/u.exec(header) ?? [];
  return words.filter(
    (word) =>
      remaining.includes(word) ||
      word === initials.toLowerCase() ||
      conceptsOf(word).some((each) => TELLING_IN_BRACKETS.has(each)),
  );
}
