import { expect, test } from 'vitest';
import { SrqError, storeAddress } from '../../doors/store.ts';

test.each([
  ['postgres://ana@db.example:6432/leads', 'postgres://ana@db.example:6432/leads'],
  ['postgresql://ana:s3cret@db.example/leads?sslmode=require', 'postgresql://ana@db.example/leads'],
  ['postgres://db.example/leads?password=s3cret&user=ana', 'postgres://db.example/leads'],
  ['postgres:///leads?host=/run/postgresql&user=ana&password=s3cret', 'postgres:///leads?host=/run/postgresql'],
])('the address %s is shown without its password', (url, shown) => {
  const address = storeAddress(url);
  expect(address.shown).toBe(shown);
  expect(address.password).toBe(url.includes('s3cret') ? 's3cret' : null);
  expect(JSON.stringify(address.config)).not.toContain('s3cret');
});

test.each([
  ['postgres://db.example/leads', true],
  ['postgres://db.example/leads?sslmode=prefer', true],
  ['postgres://db.example/leads?sslmode=verify-full', true],
  ['postgres://db.example/leads?sslmode=a-mode-that-is-none', true],
  ['postgres://127.0.0.1.example/leads', true],
  ['postgres://db.example/leads?sslmode=disable', false],
  ['postgres://127.0.0.1/leads', false],
  ['postgres://localhost/leads', false],
  ['postgres://[::1]:5433/leads', false],
  ['postgres:///leads?host=/run/postgresql', false],
  ['postgres://127.0.0.1/leads?sslmode=require', true],
])('the address %s, encrypted and with the certificate checked, is %s', (url, isEncrypted) => {
  const { ssl } = storeAddress(url).config;
  if (!isEncrypted) expect(ssl).toBe(false);
  // No option here turns the check off.
  else expect(ssl).toEqual({});
});

test('the name of a database may have any characters', () => {
  const { config } = storeAddress('postgres://ana@db.example/%C3%84%20b%2Fc%3Fd%25e%23f');
  expect(config).toMatchObject({ database: 'Ä b/c?d%e#f', user: 'ana' });
});

test('an address may name a socket by the folder in its parameters', () => {
  const address = storeAddress('postgres:///leads?host=/run/postgresql&port=5433&user=ana');
  expect(address.config).toMatchObject({ host: '/run/postgresql', port: 5433, user: 'ana' });
  expect(address.config.ssl).toBe(false);
});

test.each([
  ['mysql://db.example/leads', /it does not begin with postgres:\/\/\.$/],
  ['postgres://ana:pass#word@db.example/leads', /it is not well-formed; in a user or password @ is written %40/],
  ['postgres://ana:s3/cret@db.example/leads', /it is not well-formed; in a user or password @ is written %40/],
  ['postgres://db.example:port/leads', /it is not well-formed; in a user or password @ is written %40/],
  ['postgres://db.example/100%', /the name of its database is not well-formed\.$|it is not well-formed/],
  ['postgres://db.example/leads?sslrootcert=/no/such/file', /a file that it names \(ENOENT\)\.$/],
])('the address %s is refused with the reason', (url, said) => {
  expect(() => storeAddress(url)).toThrow(said);
});

test.each([
  'postgres://ana:s3cret@db-a.example,db-b.example:5433/leads',
  'postgres://ana:s3cret@db-a,ana:s3cret@db-b/leads',
  'postgres://ana:p@s3,cret@db.example/leads',
])('of the several servers in %s none is shown with its password', (url) => {
  expect(storeAddress(url).shown).not.toMatch(/s3/);
});

test('sslmode=no-verify is taken at its word', () => {
  expect(storeAddress('postgres://db.example/leads?sslmode=no-verify').config.ssl).toEqual({
    rejectUnauthorized: false,
  });
});

test.each([
  'mysql://ana:s3cret@db.example/leads',
  'ana:s3cret@db.example',
  'postgres://ana:s3@cret/s3cret@db.example/leads',
  'postgres://ana:s3cret@#s3cret@db.example/leads',
  'postgres://ana:s3/cret@db.example/leads',
  'postgres://ana:s3cret@db.example/leads?sslrootcert=/no/such/file',
  '',
])('the address "%s" is refused with an example, and without what may be a secret', (url) => {
  const refusal = (() => {
    try {
      return storeAddress(url);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(SrqError);
  expect(refusal).toMatchObject({ code: 'settings', hint: expect.stringContaining('--store postgres://') });
  expect((refusal as SrqError).message).not.toMatch(/s3cret|cret@/);
});
