import { isField } from '../../request/lead/fields.ts';
import { isPart } from '../../request/lead/parts.ts';
import type { Question } from '../version-1/contract.ts';
import { type Leaf, pathKey } from './body-leaves.ts';
import type { NamedField } from './field-names.ts';
import { type OperationConstants, wordInBraces } from './given-constants.ts';
import type { OperationBody } from './operation-body.ts';

/** The fields and the places that they are sent to, as names and a person's statements decide it. */
export interface DecidedFields {
  readonly fields: ReadonlyMap<Leaf, NamedField>;
  /** The places about which a person has said something other than a value. */
  readonly said: ReadonlySet<Leaf>;
  /** The places that are still in doubt. */
  readonly doubts: ReadonlyMap<Leaf, NamedField>;
}

/**
 * Applies a person's statements about places. `--set agent.email={email}` assigns the field to this place instead of
 * any other. A place in doubt can also be decided by yes or no.
 */
export function decidedFields({ leaves, assignment }: OperationBody, given: OperationConstants): DecidedFields {
  const fields = new Map(assignment.fields);
  const doubts = new Map(assignment.doubts);
  const said = new Set<Leaf>();
  for (const leaf of leaves) {
    const text = given.valueOf(leaf.path);
    const doubt = assignment.doubts.get(leaf);
    const isDenied = doubt !== undefined && /^no?$/i.test(text ?? '');
    const field = fieldIn(text) ?? (/^y(?:es)?$/i.test(text ?? '') ? (doubt?.field ?? null) : null);
    if (field === null && !isDenied) continue;
    said.add(leaf);
    doubts.delete(leaf);
    if (field === null) continue;
    for (const [other, named] of fields) if (named.field === field && !said.has(other)) fields.delete(other);
    fields.set(leaf, { field, rank: 0, confidence: 'certain', why: 'you said so' });
  }
  return { fields, said, doubts };
}

/** Returns the field that a value names in braces, or null. */
function fieldIn(text: string | null): string | null {
  const name = wordInBraces(text) ?? '';
  return isField(name) || isPart(name) ? name : null;
}

/** Tells whether a value is required once a request is written: always, or because its object holds a field. */
export function isNeeded({ required, requiredWithin }: Leaf, fields: ReadonlyMap<Leaf, NamedField>): boolean {
  if (requiredWithin === null) return required;
  const parent = `${pathKey(requiredWithin)}\u0000`;
  return [...fields.keys()].some(({ path }) => pathKey(path).startsWith(parent));
}

/** Returns the question whether a field is sent to a place that may belong to another person. */
export function doubtQuestion({ path }: Leaf, { field }: NamedField, name: string, isRequired: boolean): Question {
  const asked =
    `Does the customer's ${field.replaceAll('_', ' ')} go to "${path.join('.')}"? ` +
    'By the words around it, it may be that of somebody else, and the description has no other place for it.';
  const answer = `--set '${name}={${field}}'`;
  if (!isRequired) return { name: `constant:${name}`, text: asked, answer, unanswered: 'no' };
  return {
    name: `constant:${name}`,
    text: `${asked} The service requires a value: if it is the same in every request: --set ${name}=VALUE`,
    answer,
  };
}
