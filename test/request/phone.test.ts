import { createRequire } from 'node:module';
import {
  type CountryCode,
  getExampleNumber,
  parsePhoneNumberFromString,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { describe, expect, it } from 'vitest';
import { MARKETS } from '../../src/request/lead/markets.ts';
import { parsePhone } from '../../src/request/lead/phone.ts';
import fc from '../helpers/fast-check.ts';

const examples = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');

/** The fixed-line examples of libphonenumber's metadata, which libphonenumber-js leaves out. */
const LANDLINES: Readonly<Record<string, string>> = {
  PT: '+351212345678',
  ES: '+34810123456',
  DE: '+4930123456',
  AT: '+431234567890',
  CH: '+41212345678',
  IE: '+3532212345',
  UK: '+441212345678',
  CA: '+15062345678',
  MX: '+522001234567',
  AR: '+541123456789',
  CL: '+56600123456',
  CO: '+576012345678',
  PE: '+5111234567',
  EC: '+59322123456',
  DO: '+18092345678',
  AU: '+61212345678',
  NZ: '+6432345678',
  SG: '+6561234567',
  IN: '+917410410123',
  ZA: '+27101234567',
  AO: '+244222123456',
  CV: '+2382211234',
};

describe('every market', () => {
  it.each(MARKETS)('an example landline of $code is read in national and international form', (each) => {
    const e164 = LANDLINES[each.code] ?? '';
    const number = parsePhoneNumberWithError(e164);
    for (const form of [number.formatNational(), number.formatInternational(), number.nationalNumber, e164]) {
      expect([form, parsePhone(form, each)]).toEqual([form, { e164, error: null, warning: null }]);
    }
  });

  it.each(MARKETS)('an example mobile of $code is read in national and international form', (each) => {
    const example = getExampleNumber(each.iso as CountryCode, examples);
    const plain = { e164: example?.number, error: null, warning: null };
    expect(parsePhone(example?.formatNational() ?? '', each)).toEqual(plain);
    expect(parsePhone(example?.formatInternational() ?? '', each)).toEqual(plain);
    expect(parsePhone(example?.nationalNumber ?? '', each)).toEqual(plain);
  });
});

describe('a number without its plus', () => {
  /** No market's own numbers are that long; only patterns that leave a length open are. */
  const LONGEST_NATIONAL = 11;

  it.each(MARKETS)('no number of $code without its plus becomes another number, however it is written', (each) => {
    const types = (metadata.countries[each.iso as CountryCode] as unknown as [string, string[]][][])[11] ?? [];
    let numbers = 0;
    for (const [pattern] of types.slice(0, 2)) {
      if (!pattern) continue;
      for (const digits of fc.sample(fc.stringMatching(new RegExp(`^(?:${pattern})$`)), { numRuns: 150, seed: 1 })) {
        const number = parsePhoneNumberFromString(`+${each.callingCode}${digits}`);
        if (!number?.isValid() || number.nationalNumber !== digits || digits.length > LONGEST_NATIONAL) continue;
        numbers += 1;
        const written = [number.number.slice(1), digits, `00${number.number.slice(1)}`, number.formatInternational()];
        for (const cell of written) {
          const { e164, error } = parsePhone(cell, each);
          expect([cell, error === 'phone.two-ways' ? number.number : e164]).toEqual([cell, number.number]);
        }
      }
    }
    expect(numbers).toBeGreaterThan(100);
  });
});
