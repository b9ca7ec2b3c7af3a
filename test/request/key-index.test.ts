import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { KeyIndex } from '../../src/request/log/key-index.ts';
import { RecentMap } from '../../src/request/small.ts';
import fc from '../helpers/fast-check.ts';

const keyOf = (n: number) => createHash('sha256').update(String(n)).digest('hex').slice(0, 32);

test('the index of keys does what a Map does, for any keys, numbers among them and any order of calls', () => {
  // Few distinct first words: many keys want the same slot.
  const word = fc.constantFrom('00000000', '00000001', '7fffffff', '80000000', 'ffffffff');
  const key = fc.tuple(word, word, word, word).map((words) => words.join(''));
  const number = fc.integer({ min: 0, max: 0xffffffff });
  const call = fc.record({ act: fc.constantFrom('find', 'add', 'number'), key, number });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 300 }), (calls) => {
      const index = new KeyIndex();
      const entries: (string | number)[] = [];
      for (const { act, key, number } of calls) {
        if (act === 'number') expect(index.addNumber(number)).toBe(entries.push(number) - 1);
        if (act === 'add') {
          if (!entries.includes(key)) entries.push(key);
          expect(index.findOrAdd(key)).toBe(entries.indexOf(key));
        }
        expect(index.find(key)).toBe(entries.indexOf(key));
      }
      expect(index.size).toBe(entries.length);
      const told = entries.map((each, at) => (typeof each === 'number' ? index.numberAt(at) : index.keyAt(at)));
      expect(told).toEqual(entries);
    }),
  );
});

test('keeps 30,000 keys apart, and numbers among them, through all its growth', () => {
  const index = new KeyIndex();
  const keys = Array.from({ length: 30_000 }, (_, n) => keyOf(n));
  const added = keys.every((key, n) => index.findOrAdd(key) === 2 * n && index.addNumber(n) === 2 * n + 1);
  const again = keys.every((key, n) => index.findOrAdd(key) === 2 * n && index.find(key) === 2 * n);
  const kept = keys.every((key, n) => index.numberAt(2 * n + 1) === n && index.keyAt(2 * n) === key);
  expect({ added, again, kept, size: index.size }).toEqual({ added: true, again: true, kept: true, size: 60_000 });
  const strangers = Array.from({ length: 10_000 }, (_, n) => index.find(keyOf(-1 - n)));
  expect(strangers.every((entry) => entry === -1)).toBe(true);
});

test('the index of keys needs less than 30 bytes a key', () => {
  const index = new KeyIndex();
  // Sized so that the index has grown often and its last step is not a lucky one.
  for (let n = 0; n < 100_000; n++) index.findOrAdd(keyOf(n));
  const bytes = index.memory.reduce((sum, part) => sum + part.buffer.byteLength, 0);
  expect(bytes / index.size).toBeLessThan(30);
});

test('a copy of the index of keys, by shape and memory, is equal to it and grows as it does', () => {
  const index = new KeyIndex();
  for (let n = 0; n < 5_000; n++) index.findOrAdd(keyOf(n));
  const copy = KeyIndex.ofShape(index.shape);
  for (const [at, part] of copy.memory.entries()) part.set(index.memory[at] ?? []);
  expect(copy.shape).toEqual(index.shape);
  for (let n = 4_000; n < 20_000; n++) expect(copy.findOrAdd(keyOf(n))).toBe(index.findOrAdd(keyOf(n)));
  expect(copy.shape).toEqual(index.shape);
  expect(copy.memory).toEqual(index.memory);
});

test('a map of the recent entries holds the last ones, and forgets those before twice as many', () => {
  const map = new RecentMap<number>(10);
  for (let at = 0; at < 35; at++) {
    map.set(`k${at}`, at);
    for (let back = 0; back < Math.min(10, at + 1); back++) expect(map.get(`k${at - back}`)).toBe(at - back);
    expect(map.get(`k${at - 20}`)).toBeUndefined();
  }
  map.set('k34', 0);
  expect(map.get('k34')).toBe(0);
});
