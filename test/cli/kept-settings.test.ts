import { expect, test } from 'vitest';
import { keptSettings } from '../../src/commands/login/kept-settings.ts';

const ACCOUNT = { baseUrl: 'https://api.example.com', clientId: '4711' };
const KEPT = { store: 'postgres://leads@db.example.com/leads', encoding: 'json', test: true } as const;

test.each([
  [ACCOUNT, '', KEPT],
  [ACCOUNT, '/v1', KEPT],
  [{ ...ACCOUNT, baseUrl: 'https://api.example.com/v1' }, '/v1', KEPT],
  [{ ...ACCOUNT, baseUrl: 'https://api.example.com/v1' }, '', {}],
  [{ ...ACCOUNT, baseUrl: 'https://api.example.com/v2' }, '/v1', {}],
  [{ ...ACCOUNT, clientId: '4712' }, '', {}],
])('a login for %j under a contract that adds "%s" keeps %j', (given, basePath, kept) => {
  expect(keptSettings({ ...ACCOUNT, ...KEPT, clientSecret: 'x' }, given, basePath)).toEqual(kept);
});

test('the path that the contract adds may be a part of the stored address', () => {
  const before = { ...ACCOUNT, ...KEPT, baseUrl: 'https://api.example.com/v1', keychain: true };
  expect(keptSettings(before, ACCOUNT, '/v1')).toEqual(KEPT);
  expect(keptSettings(null, ACCOUNT, '/v1')).toEqual({});
});
