import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyIndex } from '../../src/model/key-index.ts';

const keyOf = (n: number) => createHash('sha256').update(String(n)).digest('hex').slice(0, 32);
const TWO_TO_53 = Number.MAX_SAFE_INTEGER;

test('does what a Map does, for any keys and any order of calls', () => {
  // Few distinct first words: many keys want the same slot.
  const word = fc.constantFrom('00000000', '00000001', '7fffffff', '80000000', 'ffffffff');
  const key = fc.tuple(word, word, word, word).map((words) => words.join(''));
  const value = fc.integer({ min: 0, max: TWO_TO_53 });
  const call = fc.record({ act: fc.constantFrom('find', 'add', 'set'), key, value });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 300 }), (calls) => {
      const index = new KeyIndex();
      const model = new Map<string, number>();
      const entries: string[] = [];
      for (const { act, key, value } of calls) {
        if (act === 'add') {
          if (!model.has(key)) {
            model.set(key, value);
            entries.push(key);
          }
          expect(index.findOrAdd(key, value)).toBe(entries.indexOf(key));
        }
        const entry = index.find(key);
        expect(entry).toBe(entries.indexOf(key));
        if (act === 'set' && entry >= 0) {
          index.setValue(entry, value);
          model.set(key, value);
        }
        if (entry >= 0) expect(index.valueAt(entry)).toBe(model.get(key));
      }
      expect(index.size).toBe(model.size);
      expect(entries.map((_, entry) => index.keyAt(entry))).toEqual(entries);
    }),
  );
});

test('keeps 100,000 keys apart, with their values, through all its growth', () => {
  const index = new KeyIndex();
  const keys = Array.from({ length: 100_000 }, (_, n) => keyOf(n));
  const added = keys.every((key, n) => index.findOrAdd(key, TWO_TO_53 - n) === n);
  const again = keys.every((key, n) => index.findOrAdd(key, 0) === n && index.find(key) === n);
  const kept = keys.every((key, n) => index.valueAt(n) === TWO_TO_53 - n && index.keyAt(n) === key);
  expect({ added, again, kept, size: index.size }).toEqual({ added: true, again: true, kept: true, size: 100_000 });
  const strangers = Array.from({ length: 10_000 }, (_, n) => index.find(keyOf(-1 - n)));
  expect(strangers.every((entry) => entry === -1)).toBe(true);
});

test('needs less than 40 bytes a key', () => {
  const index = new KeyIndex();
  const before = process.memoryUsage().arrayBuffers;
  // Sized so that the index has grown often and its last step is not a lucky one.
  for (let n = 0; n < 300_000; n++) index.findOrAdd(keyOf(n), n);
  globalThis.gc?.();
  expect(memoryOf(index, before) / index.size).toBeLessThan(40);
});

/** Bytes held since `before`; `index` is named so that it is still alive when they are counted. */
function memoryOf(index: KeyIndex, before: number): number {
  const bytes = process.memoryUsage().arrayBuffers - before;
  expect(index.size).toBeGreaterThan(0);
  return bytes;
}
