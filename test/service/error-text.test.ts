import { expect, test } from 'vitest';
import { wordsOf } from '../doors/answer.ts';

// What is told of other refusals is in test/doors/answer/words.md.

test("the service's own words are at most ten things of a hundred thousand, and none of a page or from deep within", () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `n${at}`);
  expect(wordsOf(JSON.stringify({ message: many }))?.split('; ')).toEqual(many.slice(0, 10));
  expect(wordsOf(`{"errors":${'['.repeat(4000)}"no"${']'.repeat(4000)}}`)).toBeNull();
  expect(wordsOf('word '.repeat(200))).toBeNull();
});
