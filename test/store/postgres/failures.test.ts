import { expect, test } from 'vitest';
import { isTransient, storeError } from '../../../src/store/postgres/failures.ts';

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
const STORE = 'postgres://owner@db.example/leads';

test.each([
  ['53300', 'too many connections for role "sender"', 'has no connection free', 'max_connections', true],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'takes no writing', 'read_only', false],
  ['', 'SASL: client password must be a string', 'asks for a password, and none is known', 'PGPASSWORD', false],
  ['28P01', 'password authentication failed', 'refuses this user or password', 'PGPASSWORD', false],
  ['57014', 'canceling statement due to statement timeout', 'gave a statement up', 'pg_stat_activity', true],
  ['08P01', 'query_wait_timeout', 'broke the connection off with a complaint (query_wait_timeout)', 'pooler', true],
  [
    'XX000',
    'cache lookup failed for relation 1',
    'has an internal error (XX000: cache lookup',
    'log of the server',
    false,
  ],
  ['ECONNREFUSED', 'connect', 'cannot be reached (ECONNREFUSED)', 'pg_isready', true],
])('%s (%s): the store %s', (code, message, said, advised, passes) => {
  const error = failure(code, message);
  expect(storeError(error, STORE)).toMatchObject({
    code: 'log',
    message: expect.stringContaining(`The store ${STORE} ${said}`),
    hint: expect.stringContaining(advised),
  });
  expect(isTransient(error)).toBe(passes);
});
