import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { codeOfResult, codesOfCounts, EXIT_CODES, exitNumber, precedenceText } from '../../src/cli/exit-codes.ts';
import { noCounts, type Status } from '../../src/request/log/status.ts';
import type { ErrorCode } from '../../src/request/words/errors.ts';

type Code = ErrorCode | 'ok';
const CODES = Object.keys(EXIT_CODES) as Code[];

/** Written out from product.md: the first that applies counts. */
const FIRST_OF: readonly number[] = [130, 143, 1, 9, 4, 7, 6, 5, 3, 8, 2, 0];

test('of any two ways to end, the exit code is that of the one that counts first, in either order', () => {
  for (const one of CODES) {
    for (const other of CODES) {
      const numbers: readonly number[] = [EXIT_CODES[one].number, EXIT_CODES[other].number];
      const expected = FIRST_OF.find((number) => numbers.includes(number));
      expect([one, other, exitNumber([one, other])]).toEqual([one, other, expected]);
    }
  }
});

test('the whole order holds where all ways to end come together, one after the other taken away', () => {
  let left = [...CODES];
  const seen: number[] = [];
  // There are at most as many steps as codes, so that a code without a place fails here and does not go round for ever.
  for (const _ of CODES) {
    if (left.length === 0) break;
    const number = exitNumber(left);
    seen.push(number);
    left = left.filter((code) => EXIT_CODES[code].number !== number);
  }
  expect(seen).toEqual(FIRST_OF);
});

test('nothing at all is a good end', () => {
  expect(exitNumber([])).toBe(0);
});

describe('The rows of an import end it with', () => {
  test.each<[Partial<Record<Status, number>>, number]>([
    [{ created: 3 }, 0],
    [{ created: 1, duplicate: 1, repeated: 1 }, 0],
    [{ created: 1, invalid: 1 }, 3],
    [{ created: 1, rejected: 1 }, 3],
    [{ created: 1, failed: 1 }, 5],
    [{ failed: 1, rejected: 1 }, 5],
    [{ unknown: 1 }, 7],
    [{ unknown: 1, failed: 1, invalid: 1 }, 7],
  ])('%j: exit code %i', (counts, number) => {
    expect(exitNumber(codesOfCounts({ ...noCounts(), ...counts }))).toBe(number);
  });
});

describe('One request ends its command with', () => {
  test.each<[Status, number]>([
    ['created', 0],
    ['duplicate', 8],
    ['repeated', 8],
    ['invalid', 3],
    ['rejected', 3],
    ['failed', 5],
    ['unknown', 7],
  ])('%s: exit code %i', (status, number) => {
    const result = { row: 1, status, ref: null, key: null, ids: {}, http: null, message: null, reason: null };
    expect(exitNumber([codeOfResult(result)])).toBe(number);
  });
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
  expect(precedenceText()).toBe(
    'the first in this order counts: 1, 9, 4, 7, 6, 5, 3, 8. An interrupted run keeps 130 or 143.',
  );
});
