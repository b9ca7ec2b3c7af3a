import { describe, expect, test } from 'vitest';
import { isServicePath, isTokenOrigin, readContract } from '../../src/contract/version-1/contract-schema.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { parameter } from '../sandbox/contract-client.ts';

test.each([
  ['/', true],
  ['/v1/leads', true],
  ['/v1/..leads', true],
  ['', false],
  ['v1', false],
  ['//evil.example', false],
  ['/v1?a=b', false],
  ['/v1#a', false],
  ['/v 1', false],
  ['/v1\\x', false],
  ['/v1/../x', false],
  ['/v1/..', false],
  ['/./x', false],
  ['/v1/%2E%2e/x', false],
  ['/v1%2f..%5cx', false],
])('%j stays under the base URL: %s', (path, isUnder) => {
  expect(isServicePath(path)).toBe(isUnder);
});

test.each([
  ['https://login.example.com', true],
  ['https://login.example.com:8443', true],
  ['https://[2001:db8::1]', true],
  ['http://localhost:4010', true],
  ['http://127.0.0.1', true],
  ['http://login.example.com', false],
  ['https://login.example.com/', false],
  ['ftp://127.0.0.1', false],
  ['ws://localhost', false],
])('%j may get a secret: %s', (origin, isAllowed) => {
  expect(isTokenOrigin(origin)).toBe(isAllowed);
});

const given = {
  ...DOCUMENTED_CONTRACT,
  source: { files: ['a.yaml'], title: 'A', kind: 'OpenAPI 3.1', learnedAt: '2026-11-21T12:00:00.000Z' },
};
const withCreate = (create: object) => ({ ...given, create: { ...given.create, ...create } });
const withParameter = (changes: object) => withCreate({ parameters: [{ ...parameter('phone'), ...changes }] });
const withRule = (rule: object) => withCreate({ duplicate: [rule] });
const withAuth = (auth: object) => ({ ...given, auth });
const key = { kind: 'apiKey', in: 'header', name: 'X-Key', prefix: '', value: null };
const status = { kind: 'status', status: 409, verdict: 'duplicate' };
describe('A contract is read as it was written', () => {
  test.each<[string, object]>([
    ['a base path', { ...given, basePath: '/api/v1' }],
    ['no base path', { ...given, basePath: '' }],
    ['a rule of a status', withRule(status)],
    ['a rule of a value', withRule({ kind: 'value', pointer: '/a', duplicate: ['x'], clear: [] })],
    ['a rule of a list', withRule({ kind: 'list', pointer: '' })],
    ['a bearer token', withAuth({ kind: 'bearer' })],
    ['HTTP Basic', withAuth({ kind: 'basic' })],
    ['a key in Authorization', withAuth({ ...key, name: 'Authorization', prefix: 'Bearer ' })],
    ['a key in the query, by any name', withAuth({ ...key, in: 'query', name: 'api key' })],
    ['a key with a name of one letter', withAuth({ ...key, name: 'k' })],
    ['a key with a name of 100 letters', withAuth({ ...key, in: 'query', name: 'k'.repeat(100) })],
    ['a parameter in a header', withParameter({ in: 'header', path: ['X-Phone'] })],
    ['a member of the body by the name of a header of srq', withParameter({ path: ['Host'] })],
    ['a key that is known for no time', withCreate({ idempotency: { header: 'K', format: 'text', windowSeconds: 0 } })],
    ['a token that lives for a time', { ...given, token: { ...given.token, lifetimeSeconds: 60 } }],
  ])('with %s', (_, written) => {
    expect(readContract(structuredClone(written), 'It', '')).toEqual(written);
  });

  test.each<[string, object, string]>([
    ['a path of no names', withParameter({ path: [] }), 'path'],
    ['a header that srq sets itself', withParameter({ in: 'header', path: ['Host'] }), 'is not a header'],
    ['a key in a header that srq sets itself', withAuth({ ...key, name: 'Host' }), 'is not a header'],
    ['a key without a name', withAuth({ ...key, in: 'query', name: '' }), 'auth'],
    ['a key with a name of 101 letters', withAuth({ ...key, in: 'query', name: 'k'.repeat(101) }), 'auth'],
    ['a base path that ends in a slash', { ...given, basePath: '/api/' }, 'basePath'],
    ['a base path that steps up', { ...given, basePath: '/..' }, 'basePath'],
    ['an unknown rule', withRule({ kind: 'other' }), 'duplicate'],
    [
      'a key that is known for less than no time',
      withCreate({ idempotency: { header: 'K', format: 'text', windowSeconds: -1 } }),
      'windowSeconds',
    ],
  ])('but not with %s', (_, written, named) => {
    expect(() => readContract(written, 'It', '')).toThrow(named);
  });

  test.each([{ version: 2 }, { version: 0 }, { ...given, version: 10 }])(
    'of another version it is not: %j',
    (other) => {
      expect(() => readContract(other, 'It', 'hint')).toThrow(
        expect.objectContaining({
          message: `It is a contract of version ${other.version}; this srq reads version 1.`,
          hint: 'Update srq, or: hint',
        }),
      );
    },
  );

  test.each([null, [], 'text', {}, { version: '1' }])('of no version it is none: %j', (other) => {
    expect(() => readContract(other, 'It', 'hint')).toThrow(/^It is not a contract \(/);
  });
});
