import { expect, test } from 'vitest';
import {
  AUDIO_PARAMETER,
  CATEGORY_PARAMETER,
  DOCUMENTED_PARAMETERS,
  FORM_CONTENT_TYPE,
  JSON_CONTENT_TYPE,
  PATHS,
} from '../../src/request/contract/wire.ts';
import { MARKETS } from '../../src/request/lead/markets.ts';

// Written out from the API's document and taken from nowhere in the code: client and sandbox share these words, so a
// slip in them would pass every test between the two.

test('the three paths are those of the API document', () => {
  expect(PATHS).toEqual({
    token: '/oauth/token',
    create: '/v1/request/create',
    validate: '/v1/request/validate',
  });
});

test('the parameters are the seven of the reference example, in its order', () => {
  expect(DOCUMENTED_PARAMETERS.join(' ')).toBe('country lang location fullname email phone request_text');
});

test('category and audio go by the names that srq says it assumes', () => {
  expect([CATEGORY_PARAMETER, AUDIO_PARAMETER]).toEqual(['category', 'audio']);
});

test('the content types are the stated form encoding and the JSON of the example', () => {
  expect([FORM_CONTENT_TYPE, JSON_CONTENT_TYPE]).toEqual(['application/x-www-form-urlencoded', 'application/json']);
});

test('the markets are the 22 of the API document, in its order', () => {
  const codes = 'PT, ES, DE, AT, CH, IE, UK, CA, MX, AR, CL, CO, PE, EC, DO, AU, NZ, SG, IN, ZA, AO, CV';
  expect(MARKETS.map((market) => market.code).join(', ')).toBe(codes);
  expect(MARKETS).toHaveLength(22);
});
