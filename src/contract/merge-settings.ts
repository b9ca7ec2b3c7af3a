import type { Proposal } from '../model/contract.ts';

/** What is merged: two proposals, what the second one filled in, and what they contradict each other in. */
export interface Merge {
  readonly first: Proposal;
  readonly second: Proposal;
  /** Settings, or the beginnings of their names up to a dot, that are the second one's. */
  readonly filled: Set<string>;
  readonly notes: string[];
}

/** The first value; the second if the first is open. A contradiction is noted. */
export function chosen<T>(merge: Merge, setting: string, first: T | null, second: T): T {
  if (first === null || isOpen(first)) {
    if (!isOpen(second)) merge.filled.add(setting);
    return second;
  }
  if (!isOpen(second) && textOf(first) !== textOf(second)) note(merge, setting, textOf(first), textOf(second));
  return first;
}

/** The same for what may well be said in two ways: the second fills, and contradicts nothing. */
export function filledIn<T>(merge: Merge, setting: string, first: T, second: T): T {
  if (!isOpen(first)) return first;
  merge.filled.add(setting);
  return second;
}

/** Null, or an empty list or record: nobody said. */
const isOpen = (value: unknown): boolean =>
  value === null || value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A contradiction, both values with their places. */
export function note(merge: Merge, setting: string, first: string, second: string): void {
  const [one, other] = [merge.first, merge.second].map((each) => placeOf(each, setting));
  merge.notes.push(`${setting}: ${first} by ${one}, but ${second} by ${other}. The first one is used.`);
}

/** Where a document says it, or the document. */
export function placeOf({ contract }: Proposal, setting: string): string {
  const named = (name: string) => contract.findings.find((each) => each.setting === name);
  const finding = named(setting) ?? named(setting.replace(/\.[^.]*$/, ''));
  return finding?.where || (contract.source?.files.join(', ') ?? 'the public document');
}

/** Whether a document has the operation: what only the public document says has no place in it. */
export const has = ({ contract }: Proposal, operation: string): boolean =>
  contract.findings.some(({ setting, where }) => setting === `${operation}.path` && where !== '');
