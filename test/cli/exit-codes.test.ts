import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT_CODES, exitNumber, precedenceText } from '../../src/cli/exit-codes.ts';
import type { ErrorCode } from '../../src/request/words/errors.ts';

type Code = ErrorCode | 'ok';
const CODES = Object.keys(EXIT_CODES) as Code[];

/** Written out from product.md: the first that applies counts. */
const FIRST_OF: readonly number[] = [130, 143, 1, 9, 4, 7, 6, 5, 3, 8, 2, 0];

test('two ways to end, in either order, give the exit code that counts first', () => {
  for (const one of CODES) {
    for (const other of CODES) {
      const numbers: readonly number[] = [EXIT_CODES[one].number, EXIT_CODES[other].number];
      const expected = FIRST_OF.find((number) => numbers.includes(number));
      expect([one, other, exitNumber([one, other])]).toEqual([one, other, expected]);
    }
  }
});

const page = readFileSync(new URL('../../docs/scripts.md', import.meta.url), 'utf8');

test('the page on scripts says of every exit code what the program says', () => {
  const lines = page.split('\n').flatMap((line) => {
    const [, number, meaning] = /^\| (\d+) \| (.+) \|$/.exec(line) ?? [];
    return number === undefined ? [] : [`${number}: ${meaning}`];
  });
  const table = new Set(CODES.map((code) => `${EXIT_CODES[code].number}: ${EXIT_CODES[code].meaning}`));
  expect(lines.sort()).toEqual([...table].sort());
});

test('the page on scripts says which code counts first, as srq help exit-codes does', () => {
  expect(page.split('\n').filter((line) => line.startsWith('When several apply, '))).toEqual([
    `When several apply, ${precedenceText()}`,
  ]);
});
