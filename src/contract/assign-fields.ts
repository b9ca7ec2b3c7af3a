import type { Leaf } from './body-leaves.ts';
import { fieldNamed, type NamedField } from './field-names.ts';

/** Which place carries which field: each field goes to one place, each place carries one. */
export type Assignment = ReadonlyMap<Leaf, NamedField>;

/** The names that decide whether an operation is about service requests. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'country',
  'lang',
  'location',
  'fullname',
  'email',
  'phone',
  'request_text',
]);

/** The nearest names first; of equal ones what is required, then what is less nested, then what comes first. */
export function assignFields(leaves: readonly Leaf[]): Assignment {
  const candidates = leaves.flatMap((leaf, order) => {
    const named = leaf.shape === 'object' ? undefined : fieldNamed(leaf.path);
    return named === undefined ? [] : [{ leaf, named, order }];
  });
  candidates.sort(
    (a, b) =>
      a.named.rank - b.named.rank ||
      Number(b.leaf.required) - Number(a.leaf.required) ||
      a.leaf.path.length - b.leaf.path.length ||
      a.order - b.order,
  );
  const assigned = new Map<Leaf, NamedField>();
  const taken = new Set<string>();
  for (const { leaf, named } of candidates) {
    if (taken.has(named.field)) continue;
    taken.add(named.field);
    assigned.set(leaf, named);
  }
  // A type or a name of nothing that is recorded is a parameter like any other.
  if (!taken.has('audio_file')) {
    for (const [leaf, { field }] of assigned) if (field.startsWith('audio_')) assigned.delete(leaf);
  }
  return assigned;
}
