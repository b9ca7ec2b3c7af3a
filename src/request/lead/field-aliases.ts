import exactNames from './exact-names.txt?raw';
import type { Field, FieldPart } from './fields.ts';
import { wordLists } from './word-lists.ts';

/** The possible contents of a column: a field, or a part from which a field is joined. */
export type FieldOrPart = Field | FieldPart;

/** The meaning of a column's name. A lower `rank` is surer, and 0 is best. */
export interface Alias {
  readonly meaning: FieldOrPart;
  readonly rank: number;
}

const byName = new Map<string, Alias>();
for (const { label, words } of wordLists(exactNames)) {
  for (const [rank, name] of words.entries()) {
    const before = byName.get(name);
    if (!before || before.rank > rank) byName.set(name, { meaning: label as FieldOrPart, rank });
  }
}

/**
 * Normalises a header for comparison by removing case, accents, blanks and punctuation. `#`, Typeform's reference, is
 * kept.
 */
export function normalForm(header: string): string {
  const form = headerForm(header);
  return form === '#' ? form : form.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
}

/**
 * Returns the letters and digits of a header in any script, without case and accents. A header without letters and
 * digits is returned whole. Unlike {@link normalForm}, it is not empty for scripts in which srq knows no names.
 */
export function headerForm(header: string): string {
  const folded = header
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll('ß', 'ss');
  return folded.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '') || folded;
}

/** Returns the meaning of a header by itself, or undefined if it is not known. */
export function aliasOf(header: string): Alias | undefined {
  return byName.get(normalForm(header));
}

/** Counts the known names in a header row. The right delimiter gives more of them than a wrong one. */
export function countKnownFields(header: readonly string[]): number {
  return header.filter((name) => aliasOf(name) !== undefined).length;
}
