import type { Pointer } from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import type { AnswerValue } from './answer-value.ts';

/** Returns all values of an answer that a pointer names, in the order of the answer. */
export function valuesAt(value: AnswerValue | undefined, pointer: Pointer): AnswerValue[] {
  let found: AnswerValue[] = value === undefined ? [] : [value];
  for (const name of pointerNames(pointer)) {
    found = found.flatMap((holder) => {
      if (typeof holder !== 'object' || holder === null) return [];
      if (name === '*') return Object.values(holder);
      const inner = Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
      return inner === undefined ? [] : [inner as AnswerValue];
    });
  }
  return found;
}

/**
 * Returns the texts, numbers and booleans that a pointer names. Numbers keep all their digits, and booleans become
 * `true` and `false`.
 */
export function textsAt(value: AnswerValue | undefined, pointer: Pointer): string[] {
  const found = valuesAt(value, pointer).filter((each) => typeof each === 'string' || typeof each === 'boolean');
  return found.map(String);
}
