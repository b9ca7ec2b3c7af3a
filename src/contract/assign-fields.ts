import { DOCUMENTED_PARAMETERS } from '../model/wire.ts';
import { type Leaf, pathKey } from './body-leaves.ts';
import { fieldNamed, type NamedField } from './field-names.ts';

/** Which place carries which field: each field goes to one place, each place carries one. */
export type Assignment = ReadonlyMap<Leaf, NamedField>;

/** The names that decide whether an operation is about service requests. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(DOCUMENTED_PARAMETERS);

/**
 * The nearest names first; of equal ones that among most other known names, then what is required, then what is less
 * nested, then what comes first. Which of equal ones is meant is a guess.
 */
export function assignFields(leaves: readonly Leaf[]): Assignment {
  const candidates = leaves.flatMap((leaf, order) => {
    const named = leaf.shape === 'object' ? undefined : fieldNamed(leaf.path);
    return named === undefined ? [] : [{ leaf, named, order }];
  });
  const known = new Map<string, Set<string>>();
  for (const { leaf, named } of candidates) {
    known.set(parentKey(leaf), (known.get(parentKey(leaf)) ?? new Set()).add(named.field));
  }
  const besides = (leaf: Leaf) => known.get(parentKey(leaf))?.size ?? 0;
  candidates.sort(
    (a, b) =>
      a.named.rank - b.named.rank ||
      besides(b.leaf) - besides(a.leaf) ||
      Number(b.leaf.required) - Number(a.leaf.required) ||
      a.leaf.path.length - b.leaf.path.length ||
      a.order - b.order,
  );
  const assigned = new Map<Leaf, NamedField>();
  const taken = new Set<string>();
  for (const { leaf, named } of candidates) {
    if (taken.has(named.field)) continue;
    taken.add(named.field);
    const rival = candidates.find((each) => each.leaf !== leaf && isRival(each.named, named));
    assigned.set(leaf, rival === undefined ? named : asGuess(named, rival.leaf));
  }
  // A type or a name of nothing that is recorded is a parameter like any other.
  if (!taken.has('audio_file')) {
    for (const [leaf, { field }] of assigned) if (field.startsWith('audio_')) assigned.delete(leaf);
  }
  return assigned;
}

const parentKey = ({ path }: Leaf): string => pathKey(path.slice(0, -1));

const isRival = (one: NamedField, other: NamedField): boolean => one.field === other.field && one.rank === other.rank;

const asGuess = (named: NamedField, rival: Leaf): NamedField => ({
  ...named,
  confidence: 'weak',
  why: `${rival.path.join('.')} may be meant as well`,
});
