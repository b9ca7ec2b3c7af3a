import { expect, test } from 'vitest';
import * as wire from '../../src/request/contract/wire.ts';
import { MARKETS } from '../../src/request/lead/markets.ts';

// Written out from the API's document and taken from nowhere in the code: client and sandbox share these words, so a
// slip in them would pass every test between the two.
test('paths, content types, parameters and markets are those of the API document, in its order', () => {
  expect(wire.PATHS).toEqual({ token: '/oauth/token', create: '/v1/request/create', validate: '/v1/request/validate' });
  expect(wire.FORM_CONTENT_TYPE).toBe('application/x-www-form-urlencoded');
  expect(wire.JSON_CONTENT_TYPE).toBe('application/json');
  expect(wire.DOCUMENTED_PARAMETERS.join(' ')).toBe('country lang location fullname email phone request_text');
  // Of these two the document says nothing: srq says that it assumes them.
  expect([wire.CATEGORY_PARAMETER, wire.AUDIO_PARAMETER]).toEqual(['category', 'audio']);
  const codes = 'PT, ES, DE, AT, CH, IE, UK, CA, MX, AR, CL, CO, PE, EC, DO, AU, NZ, SG, IN, ZA, AO, CV';
  expect(MARKETS.map((market) => market.code).join(', ')).toBe(codes);
});
