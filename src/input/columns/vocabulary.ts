import { FIELD_WORDS, type FieldConcept } from './field-words.ts';
import { OTHER_WORDS, type OtherConcept } from './other-words.ts';

/** The meaning of a word in a header. A word may have several concepts. */
export type Concept = FieldConcept | OtherConcept;

const concepts = new Map<string, Concept[]>();
for (const [concept, languages] of Object.entries({ ...FIELD_WORDS, ...OTHER_WORDS }) as [Concept, string[]][]) {
  for (const word of new Set(languages.flatMap((words) => words.split(' ')))) {
    const before = concepts.get(word);
    if (before) before.push(concept);
    else concepts.set(word, [concept]);
  }
}
concepts.delete('');

let words: readonly string[] | null = null;

const NONE: readonly Concept[] = [];

/** Returns the concepts of a word. An unknown word has none. */
export function conceptsOf(word: string): readonly Concept[] {
  return concepts.get(word) ?? NONE;
}

export function knownWords(): readonly string[] {
  words ??= [...concepts.keys()];
  return words;
}

export function isKnownWord(word: string): boolean {
  return concepts.has(word);
}
