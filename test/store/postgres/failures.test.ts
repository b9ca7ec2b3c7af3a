import { expect, test } from 'vitest';
import { type Database, examineStore, isTransient, storeError } from '../../doors/store.ts';

const failure = (code: string, message: string) => Object.assign(new Error(message), code === '' ? {} : { code });
const STORE = 'postgres://owner@db.example/leads';
const GOES_ON = 'goes on where it stopped';

test.each([
  ['53300', 'too many connections for role "sender"', 'gave an error (53300: too many', GOES_ON, true],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'takes no writes.', 'name the primary server', false],
  ['', 'SASL: client password must be a string', 'asks for a password, and none is known.', 'PGPASSWORD', false],
  ['28P01', 'password authentication failed', 'refuses this user or password', 'PGPASSWORD', false],
  // A server says it in its own language.
  [
    '28P01',
    'Anmeldung fehlgeschlagen',
    'refuses this user or password (Anmeldung fehlgeschlagen)',
    'PGPASSWORD',
    false,
  ],
  ['', 'SASL: SCRAM-SERVER-FIRST-MESSAGE: server nonce', 'refuses this user or password (SASL', 'PGPASSWORD', false],
  ['3D000', 'database "x" does not exist', 'gave an error (3D000: database "x" does not exist)', GOES_ON, false],
  ['CERT_HAS_EXPIRED', 'x', 'shows a certificate that cannot be trusted (CERT_HAS_EXPIRED)', 'sslrootcert', false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'x', 'shows a certificate that cannot be trusted (UNAB', 'sslrootcert', false],
  ['57014', 'canceling statement due to statement timeout', 'gave an error (57014: canceling', GOES_ON, true],
  ['08P01', 'query_wait_timeout', 'gave an error (08P01: query_wait_timeout)', GOES_ON, true],
  ['ECONNREFUSED', 'connect', 'cannot be reached (ECONNREFUSED)', GOES_ON, true],
  ['', 'timeout expired', 'cannot be reached (timeout expired)', 'pg_isready', true],
  ['42P01', 'relation "x" does not exist', 'gave an error (42P01: relation "x"', GOES_ON, false],
  ['42501', 'permission denied for sequence record_id', 'gave an error (42501: permission', 'owner can grant', false],
  [
    '',
    'The server does not support SSL connections',
    'gave an error (The server does not support SSL',
    'sslmode=disable',
    false,
  ],
  ['', 'something odd', 'gave an error (something odd)', GOES_ON, false],
])('the failure %s (%s): the store %s', (code, message, said, advised, passes) => {
  const error = failure(code, message);
  expect(storeError(error, STORE)).toMatchObject({
    code: 'log',
    reason: 'store.unavailable',
    cause: error,
    message: expect.stringContaining(`The store ${STORE} ${said}`),
    hint: expect.stringContaining(advised),
  });
  expect(isTransient(error)).toBe(passes);
});

test('a server before PostgreSQL 13 is refused', async () => {
  const query = async () => [{ version: '12.17', number: 129_999 }];
  await expect(examineStore({ query, shown: STORE } as unknown as Database)).rejects.toMatchObject({
    ...{ reason: 'store.version', message: `The store ${STORE} is PostgreSQL 12.17; 13 or later is needed.` },
  });
});
