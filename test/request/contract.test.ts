import { describe, expect, test } from 'vitest';
import {
  type Contract,
  type CreateOperation,
  contractAt,
  contractFingerprint,
  DOCUMENTED_CONTRACT,
  documentedContract,
  tokenAddress,
  wireFormOf,
} from '../../src/contract/version-1/contract.ts';
import { readContract } from '../../src/contract/version-1/contract-schema.ts';
import { parameter } from '../sandbox/contract-client.ts';

const UNDER_A_PATH = { ...DOCUMENTED_CONTRACT, basePath: '/partner-api' };

describe('A contract whose servers share a path', () => {
  test('is used as it is under a base URL that ends in it', () => {
    expect(contractAt(UNDER_A_PATH, 'https://api.example.com/partner-api')).toBe(UNDER_A_PATH);
    expect(contractAt(UNDER_A_PATH, 'https://api.example.com/eu/partner-api/')).toBe(UNDER_A_PATH);
  });

  test.each(['https://api.example.com', 'https://api.example.com/partner-api/v2'])(
    'has it put in front under %s',
    (baseUrl) => {
      const { create, validate, token, basePath } = contractAt(UNDER_A_PATH, baseUrl);
      expect([create.path, validate.path, token.path]).toEqual([
        '/partner-api/v1/request/create',
        '/partner-api/v1/request/validate',
        '/partner-api/oauth/token',
      ]);
      expect(basePath).toBe('');
    },
  );

  test('without one is the same everywhere', () => {
    expect(contractAt(DOCUMENTED_CONTRACT, 'https://api.example.com/any')).toBe(DOCUMENTED_CONTRACT);
  });
});

describe('The address of tokens', () => {
  const withToken = (origin: string | undefined, basePath = '/v1'): Contract => ({
    ...DOCUMENTED_CONTRACT,
    basePath,
    token: { ...DOCUMENTED_CONTRACT.token, ...(origin === undefined ? {} : { origin }) },
  });
  const addressAt = (contract: Contract, baseUrl: string) => tokenAddress(contractAt(contract, baseUrl), baseUrl);

  test.each([
    [undefined, 'https://api.example.com/v1', 'https://api.example.com/v1/oauth/token'],
    [undefined, 'https://api.example.com', 'https://api.example.com/v1/oauth/token'],
    ['service', 'https://api.example.com/v1', 'https://api.example.com/oauth/token'],
    ['service', 'https://api.example.com', 'https://api.example.com/oauth/token'],
    ['https://login.example.net', 'https://api.example.com/v1', 'https://login.example.net/oauth/token'],
    ['https://login.example.net', 'https://api.example.com', 'https://login.example.net/oauth/token'],
  ])('with the origin %s under %s is %s', (origin, baseUrl, address) => {
    expect(addressAt(withToken(origin), baseUrl)).toBe(address);
  });

  test('is never at another machine for a service on this one', () => {
    const elsewhere = withToken('https://login.example.net', '');
    expect(addressAt(elsewhere, 'http://127.0.0.1:4010')).toBe('http://127.0.0.1:4010/oauth/token');
    expect(addressAt(withToken('http://localhost:99', ''), 'http://127.0.0.1:4010')).toBe(
      'http://localhost:99/oauth/token',
    );
  });

  test('is none where calls need no token', () => {
    expect(tokenAddress({ ...DOCUMENTED_CONTRACT, auth: { kind: 'basic' } }, 'https://api.example.com')).toBeNull();
  });

  test.each([
    'http://login.example.net',
    'https://login.example.net/x',
    'https://u:p@login.example.net',
    'https://{tenant}.example.net',
    'login',
    '',
  ])('cannot be %j in a contract', (origin) => {
    expect(() => readContract(withToken(origin), 'It', '')).toThrow('token.origin');
  });
});

test('the form in which creates are written is that of the public document, or has a digest of all that decides it', () => {
  expect([wireFormOf(DOCUMENTED_CONTRACT), wireFormOf(documentedContract('json'))]).toEqual([null, null]);
  const { create } = DOCUMENTED_CONTRACT;
  const named = parameter('phone');
  const idempotency = { header: 'X-Key', format: 'text', windowSeconds: 600 } as const;
  const changes: Partial<CreateOperation>[] = [
    { method: 'PUT' },
    { path: '/v2/requests' },
    { encoding: 'multipart' },
    { contentType: 'application/vnd.api+json' },
    { choices: [[{ fields: ['phone'], constants: [] }]] },
    { parameters: [named] },
    { parameters: [{ ...named, path: ['mobile'] }] },
    { parameters: [{ ...named, constant: '7' }] },
    { idempotency },
    { idempotency: { ...idempotency, format: 'uuid' } },
    { idempotency: { ...idempotency, header: 'X-Request-Key' } },
  ];
  const forms = changes.map((change) => wireFormOf({ create: { ...create, ...change } }));
  expect(new Set(forms).size).toBe(changes.length);
  for (const form of forms) expect(form).toMatch(/^[0-9a-f]{16}$/);
  const alike: Partial<CreateOperation>[] = [
    { idempotency: { ...idempotency, header: 'x-key', windowSeconds: null }, errorTexts: ['/error'] },
    { idempotency, identifiers: [{ name: 'id', pointer: '/id' }], schema: {} },
  ];
  for (const change of alike) expect(forms[8]).toBe(wireFormOf({ create: { ...create, ...change } }));
  expect(wireFormOf({ create: { ...create, parameters: [{ ...named, required: false, maxLength: 9 }] } })).toBe(
    forms[5],
  );
});

test('how calls are authorized, and where tokens are issued, changes nothing that was learned of answers', () => {
  const known = '40b9f6165b0f7319';
  expect(contractFingerprint(DOCUMENTED_CONTRACT)).toBe(known);
  const read = readContract(JSON.parse(JSON.stringify(DOCUMENTED_CONTRACT)), 'It', '');
  expect([read, 'auth' in read, 'origin' in read.token]).toEqual([DOCUMENTED_CONTRACT, false, false]);
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, auth: { kind: 'basic' } })).toBe(known);
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, servers: [], findings: [] })).toBe(known);
  expect(contractFingerprint(documentedContract('json'))).not.toBe(known);
  expect(contractFingerprint({ ...DOCUMENTED_CONTRACT, hasValidate: null })).not.toBe(known);
});

test.each([
  { kind: 'apiKey', in: 'header', name: 'Host', prefix: '', value: null },
  { kind: 'apiKey', in: 'header', name: 'X Key', prefix: '', value: null },
  { kind: 'apiKey', in: 'header', name: 'X-Key', prefix: 'a: b ', value: null },
  { kind: 'digest' },
])('a contract cannot be authorized by %j', (auth) => {
  expect(() => readContract({ ...DOCUMENTED_CONTRACT, auth }, 'It', '')).toThrow('auth');
});
