import { createRequire } from 'node:module';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { expect, it } from 'vitest';
import { findMarket, MARKETS, type Market } from '../../src/request/lead/markets.ts';
import { plainE164 } from '../../src/request/lead/phone.ts';
import fc from '../helpers/fast-check.ts';

const examples = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');
const plain = (cell: string, code: string) => plainE164(cell, findMarket(code) as Market);

const SHARED = ['CA', 'DO'];
const OWN = MARKETS.filter(({ code }) => !SHARED.includes(code));

it.each(OWN)('an example mobile of $code is plain, with its country code or without', ({ code, iso, callingCode }) => {
  const e164 = `+${callingCode}${examples[iso]}`;
  expect([plain(e164, code), plain(examples[iso], code)]).toEqual([e164, e164]);
});

it('a cell that is plain holds the number that libphonenumber finds in it', () => {
  const inFront = ['', '0', '00', '15', '183', '1800', '+code', '+code0', 'code', '+code1115', '01115', '0011'];
  let found = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...MARKETS),
      fc.constantFrom(...inFront),
      fc.nat(4),
      fc.stringMatching(/^[ ().-]{0,2}\d{3,12}[ ().-]{0,2}\d?$/),
      (market, prefix, usual, digits) => {
        const cell = prefix.replace('code', market.callingCode) + examples[market.iso].slice(0, usual) + digits;
        const e164 = plainE164(cell, market);
        if (e164 === null) return;
        found += 1;
        const number = parsePhoneNumberFromString(cell, { defaultCountry: market.iso as CountryCode, extract: false });
        expect([cell, number?.number, number?.isValid(), number?.ext]).toEqual([cell, e164, true, undefined]);
        expect(number?.countryCallingCode).toBe(market.callingCode);
      },
    ),
    { numRuns: 20_000 },
  );
  expect(found).toBeGreaterThan(500);
});
