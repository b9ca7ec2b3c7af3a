import { describe, expect, test } from 'vitest';
import { contractAt, DOCUMENTED_CONTRACT, documentedContract } from '../../src/request/contract.ts';

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

test('what the public document says is form-encoded, or JSON where the partner was told so', () => {
  expect(documentedContract('form')).toBe(DOCUMENTED_CONTRACT);
  const { create, validate, token } = documentedContract('json');
  for (const operation of [create, validate]) {
    expect(operation).toMatchObject({ encoding: 'json', contentType: 'application/json' });
  }
  expect(token).toBe(DOCUMENTED_CONTRACT.token);
});
