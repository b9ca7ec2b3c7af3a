import type { FieldOrPart } from '../../request/lead/field-aliases.ts';
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

/** The rank of a reading that is less likely than another one of the same name. */
export const ASIDE = 60;

/** Ranks of columns for one field. A second number or address, or one at work, comes after the usual ones. */
export const SECOND = 50;
const RANK = { mobile: 20, usual: 30, work: 40, second: SECOND, aside: ASIDE, notes: 100 } as const;

/** The combined meaning of the words of a column's name. */
export class NamedColumn {
  readonly #concepts: ReadonlySet<Concept>;
  readonly #hasUnknown: boolean;
  readonly #words: readonly string[];

  constructor(words: readonly string[], hasUnknown: boolean) {
    this.#words = words;
    this.#hasUnknown = hasUnknown;
    this.#concepts = new Set(words.flatMap(conceptsOf));
  }

  has(concept: Concept): boolean {
    return this.#concepts.has(concept);
  }

  #hasKind(kind: string): boolean {
    return this.#words.some((word) => isOfKind(kind, word));
  }

  hasAny(concepts: readonly Concept[]): boolean {
    return concepts.some((each) => this.has(each));
  }

  isBareName(): boolean {
    return this.has('name') && !this.hasAny(['first', 'last']);
  }

  isRegion(): boolean {
    return this.has('region');
  }

  /** Returns the meanings that the words allow. If there are several, the content decides. */
  meanings(): readonly NamedMeaning[] {
    if (this.has('audio') && !this.#hasKind('identifier')) return [this.#plain('audio_file')];
    if (this.has('email')) return [this.#plain('email', this.#rank())];
    // "Name in WhatsApp" does not mean a number. "Phone ext." and "Remark (telephone)" mean telephones only if the
    // content shows it.
    if (this.has('phone') && this.hasAny(['extra', 'notes'])) return [this.#part('phone', this.#rank())];
    if (this.has('phone') && this.has('address')) return [this.#part('phone', RANK.work)];
    if (this.has('phone') && this.has('name')) return [this.#part('phone', this.#rank()), this.#part('fullname')];
    if (this.has('phone')) return [this.#plain('phone', this.#rank())];
    if (this.has('language') && !this.has('need') && this.#words.includes('site')) return [];
    if (this.has('language') && !this.has('need')) return [this.#plain('lang')];
    const place = this.#place();
    // "Postal address" may mean a code or a whole address.
    if (place?.meaning === 'postal_code' && this.has('address')) return [place, this.#part('location')];
    // "Paese" is Italian for a country and for a village.
    if (place?.meaning === 'city' && this.has('country')) return [this.#plain('country'), place];
    // "Street and number" means both, and "street number" means the number of the house.
    if (place?.meaning === 'street' && this.has('number')) return [place, this.#plain('house_number')];
    // A question for a need may name a place, and one for a place the need.
    const asksForNeed = this.#words
      .map(conceptsOf)
      .some((about) => about.includes('need') && !about.includes('matter'));
    if (place !== null) return asksForNeed ? [{ ...place, strength: 'part' }, ...(this.#need() ?? [])] : [place];
    if (this.isRegion()) return [];
    const person = this.#person();
    if (person !== null) return person;
    const need = this.#need();
    return [...(need ?? []), ...(need === null || this.has('matter') ? this.#reference() : [])];
  }

  #place(): NamedMeaning | null {
    if (this.has('inTheirWork') && !this.has('street')) return null;
    if (this.#isIdentifierOf('postal') || this.#isIdentifierOf('address')) return null;
    if (this.has('telling')) return null;
    const [postal, city, street, country] = [
      this.has('postal'),
      this.has('city'),
      this.has('street'),
      this.has('country'),
    ];
    if ((street && city) || (street && postal)) return this.#plain('location');
    // A town with its postal code is the line after the street.
    if (postal && city) return this.#plain('city', this.#rank());
    if (postal) return this.#plain('postal_code', this.#rank());
    if (country && !city) return this.#plain('country');
    if (this.has('house') && !street && !this.has('address')) return this.#plain('house_number');
    if (this.has('extra')) return null;
    if (street && this.has('kind')) return null;
    if (street) return this.#plain('street');
    if (city) return this.#plain('city', this.#rank());
    if (this.has('address')) return this.#plain('location', this.#rank());
    return null;
  }

  /**
   * Tells whether the name is that of a number, so that a word has another meaning: a form's `Post Id`, and `WO #`,
   * the number of a work order, in which German has "where". A zip code is none.
   */
  #isIdentifierOf(concept: Concept): boolean {
    const [word = '', ...others] = this.#words;
    const isShort = word.length <= 4 && conceptsOf(word).includes(concept);
    return (
      isShort &&
      others.length > 0 &&
      others.every((each) => each !== 'code' && (isOfKind('identifier', each) || each === '#' || each === 'no'))
    );
  }

  #person(): readonly NamedMeaning[] | null {
    const name = this.has('name');
    const first = this.has('first') || (this.has('firstAdjective') && (name || this.has('last')) && !this.has('last'));
    const last = this.has('last') || (this.has('lastAdjective') && (name || first));
    if (!name && !first && !last) {
      if (!this.isSomebody()) return null;
      // "First" and "last" of a customer are halves of the name, where a name is meant.
      if (this.has('lastAdjective')) return [this.#part('last_name')];
      if (this.has('firstAdjective')) return [this.#part('first_name')];
      return [this.#plain('fullname'), this.#part('phone')];
    }
    if (!this.hasAny(['first', 'last']) && this.hasAny(['need', 'category', 'kind'])) return null;
    const both =
      (first && last) || (name && this.has('first')) || (name && this.has('last') && !this.has('lastAdjective'));
    if (both) return [this.#plain('fullname')];
    if (last) return [this.#plain('last_name')];
    if (first) return [this.#plain('first_name')];
    const isOfAThing = this.has('number') || (this.has('matter') && !this.has('customer'));
    if (isOfAThing) return [];
    // The name of a lead is its customer's, or says what is wanted.
    return [this.#hasKind('lead') ? this.#part('fullname', this.#rank()) : this.#plain('fullname', this.#rank())];
  }

  /**
   * Tells whether the name is only a word such as "customer", "caller" or "client", or "pupil", who may be the customer
   * or not.
   */
  isSomebody(): boolean {
    if (this.#words.length > MAX_SOMEBODY || this.has('number') || !this.hasAny(['customer', 'either'])) return false;
    const isSaid = (each: Concept) => each === 'customer' || each === 'either' || each === 'nothing';
    return this.#words.every((word) => conceptsOf(word).some(isSaid));
  }

  #need(): readonly NamedMeaning[] | null {
    if (this.has('address') && !this.has('telling'))
      return [this.#part('location'), this.#part('request_text', RANK.second)];
    const needs = this.has('telling') || (this.has('need') && !this.has('number'));
    const isNotes = this.has('notes');
    const kinds = !isNotes && (this.has('category') || (this.has('kind') && (needs || this.has('occasion'))));
    if (this.has('lastAdjective')) return [];
    if (this.has('telling')) return [this.#plain('request_text')];
    const isMessage = this.#hasKind('message');
    if (needs && isMessage && !this.has('kind'))
      return [this.#plain('request_text'), ...(kinds ? [this.#part('category', RANK.aside)] : [])];
    if (needs && kinds) return [this.#part('request_text'), this.#plain('category')];
    if (needs) return [this.#plain('request_text'), ...(isNotes ? [] : [this.#part('category', RANK.aside)])];
    if (kinds)
      return this.#hasKind('product')
        ? [this.#part('category')]
        : [this.#plain('category'), this.#part('request_text', RANK.aside)];
    if (isNotes) return [{ meaning: 'notes', strength: 'plain', rank: RANK.notes }];
    if (this.has('subject')) return [this.#part('request_text', RANK.aside), this.#part('category', RANK.aside)];
    // "Type of" something that nobody knows may be the kind of service.
    return this.has('kind') && this.#hasUnknown ? [this.#part('category', RANK.notes)] : null;
  }

  #reference(): readonly NamedMeaning[] {
    const [number, matter, customer] = [this.has('number'), this.has('matter'), this.has('customer')];
    // A customer's number may be anything that distinguishes customers.
    const ref = customer ? this.#part('ref', RANK.work) : this.#plain('ref', RANK.mobile);
    const phone = this.#part('phone', ASIDE);
    // A "contact number" can be called. An "id" cannot, even if it looks like a telephone number.
    const mayBeCalled = !this.#hasKind('identifier');
    if (number && matter) return mayBeCalled && customer ? [ref, phone] : [ref];
    if (number) return mayBeCalled ? [this.#part('ref', RANK.second), phone] : [this.#part('ref', RANK.second)];
    return matter && !customer && !this.#words.every(isSilent) ? [this.#part('ref', RANK.aside)] : [];
  }

  #rank(): number {
    if (this.has('second')) return RANK.second;
    if (this.has('inTheirWork')) return RANK.work;
    return this.has('mobile') ? RANK.mobile : RANK.usual;
  }

  #plain(meaning: FieldOrPart, rank: number = RANK.usual): NamedMeaning {
    return { meaning, strength: this.#hasUnknown ? 'part' : 'plain', rank };
  }

  #part(meaning: FieldOrPart, rank: number = RANK.usual): NamedMeaning {
    return { meaning, strength: 'part', rank };
  }
}
