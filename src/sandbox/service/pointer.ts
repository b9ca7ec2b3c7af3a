import type { LosslessNumber } from 'lossless-json';
import type { Json } from '../../request/contract/contract.ts';

/** A document under construction: JSON that may contain numbers with more digits than JavaScript can represent. */
export type AnswerDraft = Json | LosslessNumber | readonly AnswerDraft[] | { readonly [name: string]: AnswerDraft };

const isList = (value: AnswerDraft | undefined): value is readonly AnswerDraft[] => Array.isArray(value);
const isObject = (value: AnswerDraft | undefined): value is { readonly [name: string]: AnswerDraft } =>
  typeof value === 'object' && value !== null && !isList(value) && !('isLosslessNumber' in value);

/** Returns the value at a place, or undefined if there is none. `*` means the first element or member. */
export function valueAt(draft: AnswerDraft | undefined, parts: readonly string[]): AnswerDraft | undefined {
  const [part, ...rest] = parts;
  if (part === undefined || draft === undefined) return draft;
  if (isList(draft)) return valueAt(draft[part === '*' ? 0 : Number(part)], rest);
  if (!isObject(draft)) return undefined;
  return valueAt(part === '*' ? Object.values(draft)[0] : draft[part], rest);
}

/**
 * Returns a copy with another value at one place, which is created if it is missing. At `*` a list keeps its first
 * element only, because an answer is about one request. An object keeps all its members.
 */
export function withValueAt(draft: AnswerDraft | undefined, parts: readonly string[], value: AnswerDraft): AnswerDraft {
  const [part, ...rest] = parts;
  if (part === undefined) return value;
  if (part === '*' && isObject(draft)) {
    return Object.fromEntries(Object.entries(draft).map(([name, member]) => [name, withValueAt(member, rest, value)]));
  }
  if (part === '*') return [withValueAt(isList(draft) ? draft[0] : undefined, rest, value)];
  if (isList(draft))
    return draft.map((each, place) => (String(place) === part ? withValueAt(each, rest, value) : each));
  const members = isObject(draft) ? draft : {};
  return { ...members, [part]: withValueAt(members[part], rest, value) };
}
