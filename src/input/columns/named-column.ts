import type { FieldOrPart } from '../../request/lead/field-aliases.ts';
import nameRules from './name-rules.txt?raw';
import { type Concept, conceptsOf, isOfKind } from './vocabulary.ts';

/** A meaning of a column according to the words of its header. */
export interface NamedMeaning {
  readonly meaning: FieldOrPart;
  /**
   * How strong the evidence is. `plain` means that every word is understood. `slip` means that every word is understood
   * after one letter was corrected. `part` means that some words are unknown, or that there are two ways to read the
   * words.
   */
  readonly strength: 'plain' | 'slip' | 'part';
  /** The order of several columns for one field. The lowest rank is preferred. */
  readonly rank: number;
}

/**
 * Tells whether a word says nothing about the content. The letters A, B, C, which sheets without a header have, are
 * such words as well.
 */
export function isSilent(word: string): boolean {
  const about = conceptsOf(word);
  if (about.length === 0) return word.length <= 2;
  return isOfKind('answer', word) || about.every((each) => each === 'nothing');
}

/**
 * Maximum number of words in a name that only says whose column it is: "contact person", "su cliente". A name with more
 * words is a sentence.
 */
const MAX_SOMEBODY = 3;

/** The order of a reading that is less likely than another one of the same name, and of a second number or place. */
export const ASIDE = 60;
export const SECOND = 50;

/** The kinds of words that the rules ask for, beside concepts. */
const KINDS = ['identifier', 'product', 'message', 'lead', 'site'];

/** What a name may say: a concept, a kind of words, or something about all of its words. See `name-rules.txt`. */
type Fact = string;

/** The lines of `name-rules.txt`. One has no meanings if the next part is to be asked. */
const RULES = nameRules.split('\n').flatMap((line) => {
  const [, part = '', facts = '', meanings] = /^(\w+) ([^:]+):(.*)$/.exec(line) ?? [];
  if (meanings === undefined) return [];
  const words = facts.split(' ');
  const found = meanings.matchAll(/([a-z_]+)([?!]?)(\d*)/g);
  return [
    {
      part,
      wanted: words.filter((word) => !word.startsWith('-')),
      unwanted: words.flatMap((word) => (word.startsWith('-') ? [word.slice(1)] : [])),
      meanings: meanings.includes('-')
        ? null
        : [...found].map(([, meaning, mark = '', rank]) => ({
            ...{ meaning: meaning as FieldOrPart, mark, rank: rank ? Number(rank) : null },
          })),
    },
  ];
});

/** The combined meaning of the words of a column's name. */
export class NamedColumn {
  readonly #facts: ReadonlySet<Fact>;
  readonly #words: readonly string[];

  constructor(words: readonly string[], hasUnknown: boolean) {
    this.#words = words;
    const kinds = KINDS.filter((kind) => words.some((word) => isOfKind(kind, word)));
    const facts = new Set([...words.flatMap(conceptsOf), ...kinds]);
    if (hasUnknown) facts.add('unknown');
    if (words.length === 1) facts.add('alone');
    if (isOfKind('self', words.at(-1) ?? '')) facts.add('self');
    if (isDone(words)) facts.add('done');
    if (isSomebody(words)) facts.add('somebody');
    if (isNumbered(words)) facts.add('numbered');
    if (words.every(isSilent)) facts.add('silent');
    this.#facts = facts;
  }

  has(fact: Fact): boolean {
    return this.#facts.has(fact);
  }

  hasAny(facts: readonly Fact[]): boolean {
    return facts.some((each) => this.has(each));
  }

  /** Returns the meanings that the words allow. If there are several, the content decides. */
  meanings(): readonly NamedMeaning[] {
    const contact = this.#read('contact');
    if (contact) return contact;
    const place = this.#read('place');
    // A question for a need may name a place, and one for a place the need.
    const asks = this.#words.map(conceptsOf).some((about) => about.includes('need') && !about.includes('matter'));
    if (place?.length === 1 && asks)
      return [...place.map((each) => ({ ...each, strength: 'part' as const })), ...(this.#read('text') ?? [])];
    const known = place ?? this.#read('person');
    if (known) return known;
    const text = this.#read('text');
    return [...(text ?? []), ...(text === null || this.has('matter') ? (this.#read('reference') ?? []) : [])];
  }

  /** Returns the meanings of the first line in a part of the rules that fits, or null. */
  #read(part: string): readonly NamedMeaning[] | null {
    const rule = RULES.find(
      (each) => each.part === part && each.wanted.every((fact) => this.has(fact)) && !this.hasAny(each.unwanted),
    );
    return (
      rule?.meanings?.map(({ meaning, mark, rank }) => {
        const isPart = mark === '?' || (mark === '' && this.has('unknown'));
        return { meaning, strength: isPart ? 'part' : 'plain', rank: rank ?? this.#rank() };
      }) ?? null
    );
  }

  /** Returns the order among several columns for one field: a second number, or one at work, comes last. */
  #rank(): number {
    if (this.has('second')) return SECOND;
    if (this.has('inTheirWork')) return 40;
    return this.has('mobile') ? 20 : 30;
  }
}

/** Tells whether a name says what is done, but has no word for a kind of that. */
function isDone(words: readonly string[]): boolean {
  const kinds = words.filter((word) => conceptsOf(word).some((each) => each === 'category' || each === 'kind'));
  return kinds.length > 0 && kinds.every((word) => isOfKind('work', word));
}

/**
 * Tells whether a name is only a word such as "customer", "caller" or "client", or "pupil", who may be the customer or
 * not.
 */
function isSomebody(words: readonly string[]): boolean {
  const says = (word: string, ...concepts: Concept[]) => conceptsOf(word).some((each) => concepts.includes(each));
  const isShort = words.length <= MAX_SOMEBODY && words.some((word) => says(word, 'customer', 'either'));
  return (
    isShort && words.every((word) => says(word, 'customer', 'either', 'nothing') && !says(word, 'number', 'notes'))
  );
}

/**
 * Tells whether a name is that of a number, so that a word for a place has another meaning: a form's `Post Id`, and `WO #`,
 * the number of a work order, in which German has "where". A zip code is none.
 */
function isNumbered([word = '', ...others]: readonly string[]): boolean {
  const isMark = (each: string) => each !== 'code' && (isOfKind('identifier', each) || each === '#' || each === 'no');
  const isPlace = conceptsOf(word).some((each) => each === 'postal' || each === 'address');
  return word.length <= 4 && isPlace && others.length > 0 && others.every(isMark);
}
