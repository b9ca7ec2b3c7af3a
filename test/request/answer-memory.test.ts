import { expect, test } from 'vitest';
import {
  isFamiliar,
  isOpenForm,
  mergeAnswerMemories,
  NO_MEMORY,
  provesRefused,
  provesTaken,
  withOpenForm,
  withPlace,
  withStatement,
  withValidateResult,
} from '../../src/request/answer-memory.ts';

const PLAIN = { isDenied: false, complains: false };

const times = (count: number, wasSeen = true) => {
  let memory = NO_MEMORY;
  for (let time = 0; time < count; time++) memory = withValidateResult(memory, 'f', wasSeen);
  return memory;
};

test('a form proves that a request was taken after three sights, unless one was missed', () => {
  expect([0, 1, 2, 3, 4].map((count) => provesTaken(times(count), 'f'))).toEqual([false, false, false, true, true]);
  expect(provesTaken(withValidateResult(times(5), 'f', false), 'f')).toBe(false);
  expect(provesTaken(times(3), 'another')).toBe(false);
});

test('a service is familiar once a place of its identifiers or a form of its answers is proven', () => {
  expect([NO_MEMORY, times(2), withOpenForm(NO_MEMORY, 'f', PLAIN)].map(isFamiliar)).toEqual([false, false, false]);
  expect(isFamiliar(withStatement(NO_MEMORY, 'f', 'refused'))).toBe(false);
  expect(isFamiliar(withPlace(NO_MEMORY, 'data.id'))).toBe(true);
  expect([isFamiliar(times(3)), isFamiliar(withStatement(NO_MEMORY, 'f', 'taken'))]).toEqual([true, true]);
});

test('a person counts for more than sights, either way', () => {
  expect(provesTaken(withStatement(times(1, false), 'f', 'taken'), 'f')).toBe(true);
  expect(provesTaken(withStatement(times(5), 'f', 'refused'), 'f')).toBe(false);
  expect(provesRefused(withStatement(NO_MEMORY, 'f', 'refused'), 'f')).toBe(true);
  expect(provesRefused(times(5, false), 'f')).toBe(false);
});

test('a form is open while nobody spoke and nothing was missed', () => {
  expect(isOpenForm(NO_MEMORY, 'f')).toBe(true);
  expect(isOpenForm(times(2), 'f')).toBe(true);
  expect(isOpenForm(times(1, false), 'f')).toBe(false);
  expect(isOpenForm(withStatement(NO_MEMORY, 'f', 'taken'), 'f')).toBe(false);
  expect(withOpenForm(times(2), 'f', PLAIN)).toEqual(times(2));
});

test('what two processes found out is counted once, and a word stays', () => {
  const spoken = withStatement(withPlace(times(2), 'id'), 'g', 'taken');
  const merged = mergeAnswerMemories(withPlace(times(3), 'ref'), spoken);
  expect(merged.identifiedBy).toEqual(['ref', 'id']);
  expect(merged.forms.find(({ form }) => form === 'f')).toMatchObject({ seen: 3, unseen: 0 });
  expect(provesTaken(merged, 'g')).toBe(true);
  expect(mergeAnswerMemories(merged, spoken)).toEqual(merged);
});

test('forms are forgotten after a while, the oldest first, but for those that a person spoke about', () => {
  let memory = withStatement(NO_MEMORY, 'said', 'taken');
  for (let at = 0; at < 100; at++) memory = withOpenForm(memory, `form ${at}`, PLAIN);
  expect(memory.forms).toHaveLength(30);
  expect([provesTaken(memory, 'said'), memory.forms.at(-1)?.form]).toEqual([true, 'form 99']);
  for (let at = 0; at < 100; at++) memory = withPlace(memory, `place ${at}`);
  expect(memory.identifiedBy).toHaveLength(10);
});
