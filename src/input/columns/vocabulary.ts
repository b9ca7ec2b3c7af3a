import { wordLists } from '../../request/lead/word-lists.ts';
import headers from './headers.txt?raw';
import kindsOfWords from './kinds-of-words.txt?raw';

/** The words of a list. */
type Words<List extends string> = List extends `${infer First} ${infer Rest}` ? First | Words<Rest> : List;

/**
 * The meanings of a word in a header with regard to fields. `telling` words are verbs that ask for a text.
 * `firstAdjective` and `lastAdjective` count only before a word for a name. `matter` words name things that can be
 * numbered.
 */
type FieldConcept =
  | Words<'email phone mobile name first last firstAdjective lastAdjective street house postal city address country'>
  | Words<'language need telling subject notes category kind occasion audio number matter'>;

/**
 * The other meanings of a word in a header: that the column belongs to no field, whose column it is, or how it ranks
 * among several. `anyone` words are the `customer` words that name nobody in particular. `either` words may mean the
 * customer or not, and so may `billing`, who gets the invoice. `doubt` words say of a number or an address that it may
 * not be the one to use. `thing` words say what is worked on. `nothing` words only qualify others.
 */
type OtherConcept =
  | Words<'time money web manner status consent measure tax title company region file fax extra thing customer anyone'>
  | Words<'parents owner other either billing inTheirWork second doubt nothing'>;

/** The meaning of a word in a header. A word may have several concepts. */
export type Concept = FieldConcept | OtherConcept;

/** Returns the concepts in a list. */
export function conceptsIn<const List extends string>(list: List): readonly (Words<List> & Concept)[] {
  return list.split(' ') as (Words<List> & Concept)[];
}

const concepts = new Map<string, Concept[]>();
const fieldWords = new Set<string>();
let isAboutFields = true;
for (const { label, words } of wordLists(headers)) {
  // The list has the words about fields first.
  if (label === 'time') isAboutFields = false;
  for (const entry of words) {
    const [word = '', ...further] = entry.split('/');
    const found = [...(concepts.get(word) ?? []), label as Concept, ...(further as Concept[])];
    concepts.set(word, [...new Set(found)]);
    if (isAboutFields) fieldWords.add(word);
  }
}

/** Returns the concepts of a word. An unknown word has none. */
export function conceptsOf(word: string): readonly Concept[] {
  return concepts.get(word) ?? [];
}

export function isKnownWord(word: string): boolean {
  return concepts.has(word);
}

/** Tells whether a word means a field, or something about one. */
export function isFieldWord(word: string): boolean {
  return fieldWords.has(word);
}

/** The words of each kind that a rule asks for. */
const kinds = new Map(wordLists(kindsOfWords).map(({ label, words }) => [label, new Set(words)]));

export function isOfKind(kind: string, word: string): boolean {
  return kinds.get(kind)?.has(word) ?? false;
}
