import type { Pointer } from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import type { AnswerValue } from './answer-value.ts';

/** Everything in an answer that a pointer names, in the answer's order. */
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

/** The texts and numbers among them, digit by digit, and booleans as `true` and `false`. */
export function textsAt(value: AnswerValue | undefined, pointer: Pointer): string[] {
  const found = valuesAt(value, pointer).filter((each) => typeof each === 'string' || typeof each === 'boolean');
  return found.map(String);
}
