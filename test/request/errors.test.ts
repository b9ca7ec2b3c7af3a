import { expect, test } from 'vitest';
import { failureOf, SrqError, systemCode } from '../../src/request/errors.ts';

test('an error keeps its cause, and has none where none was given', () => {
  const cause = new Error('below');
  expect(new SrqError('srq.fault', 'x', null, cause).cause).toBe(cause);
  expect('cause' in new SrqError('srq.fault', 'x')).toBe(false);
});

test('in a document an error has its hint with whole commands, or none', () => {
  const inFull = (hint: string) => `full ${hint}`;
  const failure = { code: 'fault', reason: 'srq.fault', message: 'x' };
  expect(failureOf(new SrqError('srq.fault', 'x', 'y'), inFull)).toEqual({ ...failure, hint: 'full y' });
  expect(failureOf(new SrqError('srq.fault', 'x'), inFull)).toEqual({ ...failure, hint: null });
});

test.each<[unknown, string]>([
  [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
  [Object.assign(new Error('x'), { code: 7 }), ''],
  [new Error('x'), ''],
  [{ code: 'ENOENT' }, ''],
  [null, ''],
])('of %o the code of the system is %j', (error, code) => {
  expect(systemCode(error)).toBe(code);
});
