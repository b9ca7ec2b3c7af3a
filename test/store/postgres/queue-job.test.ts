import { expect, test } from 'vitest';
import { jobOf, keyOf, type TakenJob, takenOf } from '../../../src/store/postgres/queue-job.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const ID = '01234567-89ab-cdef-0123-456789abcdef';
const REQUEST = { params: { country: 'PT' }, parts: { city: 'Porto' }, audio: null, ref: 'L-7' };
const queued = { key: KEY, row: 7, request: REQUEST };
const data = (changed: object = {}) => ({ row: 7, request: JSON.stringify(REQUEST), ...changed });
const request = (changed: object) => data({ request: JSON.stringify({ ...REQUEST, ...changed }) });
const job = (changed: Partial<TakenJob> = {}): TakenJob => ({
  ...{ id: ID, data: data(), retry_count: 0, retry_limit: 9, isOld: false },
  ...changed,
});

test('a job has the key of its request as its id', () => {
  expect(jobOf(queued, 'requests-x', 0)).toEqual({ id: KEY, name: 'requests-x', data: data() });
});

test.each([
  [0, undefined],
  [0.2, '1 milliseconds'],
  [1, '1 milliseconds'],
  [60_000, '60000 milliseconds'],
  [60_000.5, '60001 milliseconds'],
])('a job that may be taken in %s ms waits for %s', (inMs, startAfter) => {
  expect(jobOf(queued, 'requests-x', inMs).startAfter).toBe(startAfter);
});

test('what was queued is taken as it was', () => {
  const taken = { key: KEY, row: 7, request: REQUEST, mayTryAgain: true, hasExpired: false, isUnreadable: false };
  expect(takenOf(job())).toEqual(taken);
  expect(keyOf(ID)).toBe(KEY);
});

test.each([
  [0, 9, true],
  [8, 9, true],
  [9, 9, false],
  [10, 9, false],
])('a job that was tried %s times of %s may be tried again: %s', (retry_count, retry_limit, mayTryAgain) => {
  expect(takenOf(job({ retry_count, retry_limit }))).toMatchObject({ mayTryAgain });
});

test.each([true, false])('a job that is old (%s) has expired', (isOld) => {
  expect(takenOf(job({ isOld }))).toMatchObject({ hasExpired: isOld });
});

test.each([
  ['the smallest row', data({ row: -(2 ** 31) }), -(2 ** 31)],
  ['the largest row', data({ row: 2 ** 31 - 1 }), 2 ** 31 - 1],
  ['row 0', data({ row: 0 }), 0],
  ['no reference', request({ ref: null }), 7],
  ['no parts', request({ parts: undefined }), 7],
  ['no texts', request({ params: {}, parts: {} }), 7],
])('%s is read', (_, changed, row) => {
  expect(takenOf(job({ data: changed }))).toMatchObject({ row, isUnreadable: false });
});

test.each([
  ['nothing', null, 0],
  ['a text', 'x', 0],
  ['a list', [7], 0],
  ['no row', data({ row: undefined }), 0],
  ['a row that is text', data({ row: '7' }), 0],
  ['a row that is no whole number', data({ row: 7.5 }), 0],
  ['a row that the log cannot keep', data({ row: 2 ** 31 }), 0],
  ['a request that is no text', data({ request: REQUEST }), 7],
  ['a request that is no JSON', data({ request: '{' }), 7],
  ['a request that is no object', data({ request: '[]' }), 7],
  ['a request that is null', data({ request: 'null' }), 7],
  ['no params', request({ params: undefined }), 7],
  ['params that are null', request({ params: null }), 7],
  ['params with a number', request({ params: { a: '1', b: 2 } }), 7],
  ['parts with null', request({ parts: { city: null } }), 7],
  ['parts that are a list', request({ parts: ['x'] }), 7],
  ['a recording', request({ audio: { path: 'x' } }), 7],
  ['no word of a recording', request({ audio: undefined }), 7],
  ['a reference that is a number', request({ ref: 1 }), 7],
  ['no word of a reference', request({ ref: undefined }), 7],
])('%s cannot be read, and is handed out as such, with its row where that is known', (_, changed, row) => {
  expect(takenOf(job({ data: changed }))).toMatchObject({
    ...{ key: KEY, row, isUnreadable: true },
    request: { params: {}, audio: null, ref: null },
  });
});
