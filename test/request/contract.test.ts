import { describe, expect, test } from 'vitest';
import {
  type Contract,
  type CreateCall,
  contractAt,
  contractFingerprint,
  tokenAddress,
} from '../../src/request/contract/contract.ts';
import { readContract } from '../../src/request/contract/contract-schema.ts';
import { DOCUMENTED_CONTRACT, documentedContract, wireFormOf } from '../../src/request/contract/public-api.ts';

describe('The address of tokens', () => {
  const withToken = (origin: string | undefined): Contract => ({
    ...DOCUMENTED_CONTRACT,
    token: { ...DOCUMENTED_CONTRACT.token, ...(origin === undefined ? {} : { origin }) },
  });
  const addressAt = (contract: Contract, baseUrl: string) => tokenAddress(contractAt(contract, baseUrl), baseUrl);

  test.each([
    [undefined, 'https://api.example.com/v1', 'https://api.example.com/v1/oauth/token'],
    [undefined, 'https://api.example.com', 'https://api.example.com/oauth/token'],
    ['service', 'https://api.example.com/v1', 'https://api.example.com/oauth/token'],
    ['service', 'https://api.example.com', 'https://api.example.com/oauth/token'],
    ['https://login.example.net', 'https://api.example.com/v1', 'https://login.example.net/oauth/token'],
    ['https://login.example.net', 'https://api.example.com', 'https://login.example.net/oauth/token'],
  ])('The address of tokens with the origin %s under %s is %s', (origin, baseUrl, address) => {
    expect(addressAt(withToken(origin), baseUrl)).toBe(address);
  });

  test('The address of tokens is never at another machine for a service on this one', () => {
    const elsewhere = withToken('https://login.example.net');
    expect(addressAt(elsewhere, 'http://127.0.0.1:4010')).toBe('http://127.0.0.1:4010/oauth/token');
    expect(addressAt(withToken('http://localhost:99'), 'http://127.0.0.1:4010')).toBe(
      'http://localhost:99/oauth/token',
    );
  });
});

test('the form in which creates are written is the public one, or has a digest of all that decides it', () => {
  expect([wireFormOf(DOCUMENTED_CONTRACT), wireFormOf(documentedContract('json'))]).toEqual([null, null]);
  const { create } = DOCUMENTED_CONTRACT;
  const again = { header: 'X-Key', hours: 1, uuid: false };
  const changes: Partial<CreateCall>[] = [
    { call: 'PUT /v1/request/create' },
    { call: 'POST /v2/requests' },
    { as: 'multipart/form-data' },
    { as: 'application/vnd.api+json' },
    { fields: { phone: 'phone' } },
    { fields: { mobile: 'phone' } },
    { always: { partner: '7' } },
    { always: { partner: 7 } },
    { when: { phone: { kind: 'call' } } },
    { codes: { category: { Plumbing: '12' } } },
    { audio: 'data-url' },
    { again },
    { again: { ...again, uuid: true } },
    { again: { ...again, header: 'X-Request-Key' } },
  ];
  const forms = changes.map((change) => wireFormOf({ create: { ...create, ...change } }));
  expect(new Set(forms).size).toBe(changes.length);
  for (const form of forms) expect(form).toMatch(/^[0-9a-f]{16}$/);
  const alike = { again: { ...again, header: 'x-key', hours: null }, identifiers: ['/id'], schema: {} };
  expect(wireFormOf({ create: { ...create, ...alike } })).toBe(forms[11]);
});

test('a change of the token address keeps what was learned of answers', () => {
  const known = contractFingerprint(DOCUMENTED_CONTRACT);
  const read = readContract(JSON.parse(JSON.stringify(DOCUMENTED_CONTRACT)), 'It', '');
  expect([read, 'origin' in read.token]).toEqual([DOCUMENTED_CONTRACT, false]);
  const elsewhere = { ...DOCUMENTED_CONTRACT.token, path: '/sso' };
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, token: elsewhere })).toBe(known);
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, servers: [], guesses: [] })).toBe(known);
  expect(contractFingerprint(documentedContract('json'))).not.toBe(known);
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, validate: null })).not.toBe(known);
});
