import { wordLists } from '../../request/lead/word-lists.ts';
import headers from './headers.txt?raw';
import kindsOfWords from './kinds-of-words.txt?raw';

/** The meaning of a word in a header. A word may have several concepts. `headers.txt` says what they mean. */
export type Concept = string;

const concepts = new Map<string, Concept[]>();
const fieldWords = new Set<string>();
let isAboutFields = true;
for (const { label, words } of wordLists(headers)) {
  // The list has the words about fields first.
  if (label === 'time') isAboutFields = false;
  for (const entry of words) {
    const [word = '', ...further] = entry.split('/');
    concepts.set(word, [...new Set([...(concepts.get(word) ?? []), label, ...further])]);
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
