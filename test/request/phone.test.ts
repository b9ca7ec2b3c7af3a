import { createRequire } from 'node:module';
import {
  type CountryCode,
  getExampleNumber,
  parsePhoneNumberFromString,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { describe, expect, it } from 'vitest';
import { findMarket, MARKETS } from '../../src/request/lead/markets.ts';
import { likelyE164, parsePhone } from '../../src/request/lead/phone.ts';
import fc from '../helpers/fast-check.ts';

const examples = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');
const market = (code: string) => findMarket(code);
const read = (cell: string, code = 'PT') => parsePhone(cell, market(code));

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
  it.each(MARKETS)('$code: its example landline in national and international form', (each) => {
    const e164 = LANDLINES[each.code] ?? '';
    const number = parsePhoneNumberWithError(e164);
    for (const form of [number.formatNational(), number.formatInternational(), number.nationalNumber, e164]) {
      expect([form, parsePhone(form, each)]).toEqual([form, { e164, error: null, warning: null }]);
    }
  });

  it.each(MARKETS)('$code: its example mobile in national and international form', (each) => {
    const example = getExampleNumber(each.iso as CountryCode, examples);
    const plain = { e164: example?.number, error: null, warning: null };
    expect(parsePhone(example?.formatNational() ?? '', each)).toEqual(plain);
    expect(parsePhone(example?.formatInternational() ?? '', each)).toEqual(plain);
    expect(parsePhone(example?.nationalNumber ?? '', each)).toEqual(plain);
  });
});

describe('without a look at the rules of its country', () => {
  it.each(MARKETS)(
    '$code: a landline in international form, or without its first zero, is as likely as it is',
    (each) => {
      const e164 = LANDLINES[each.code] ?? '';
      const number = parsePhoneNumberWithError(e164);
      for (const form of [number.formatInternational(), number.nationalNumber, e164, e164.replace('+', '00')]) {
        expect([form, likelyE164(form, each)]).toEqual([form, e164]);
      }
    },
  );

  // Else a lead could be taken for another one that was created.
  it('a guess that is a valid number is the one of the cell, or the cell holds none', () => {
    const inFront = fc.constantFrom(
      '',
      '0',
      '00',
      '+',
      '1',
      '01',
      '044',
      '15',
      '9',
      'code',
      '+code',
      '00code',
      '+code (0)',
    );
    let valid = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...MARKETS),
        inFront,
        fc.stringMatching(/^[ .-]?\d{2,11}$/),
        fc.constantFrom('', '', '.0', ',00'),
        (each, prefix, digits, fraction) => {
          const usual = getExampleNumber(each.iso as CountryCode, examples)?.nationalNumber ?? '';
          for (const number of [digits, usual.slice(0, -digits.length) + digits]) {
            const cell = prefix.replace('code', each.callingCode) + number + fraction;
            const likely = likelyE164(cell, each);
            if (parsePhone(likely, each).e164 !== likely) continue;
            valid += 1;
            expect([cell, likely, null]).toContain(parsePhone(cell, each).e164);
          }
        },
      ),
      { numRuns: 3000 },
    );
    expect(valid).toBeGreaterThan(300);
  });

  it.each(['44 20 7946 0958', '0044 20 7946 0958', '912 345 678'])('%s without a market is sent as it is', (cell) => {
    expect(likelyE164(cell, undefined)).toBe(cell);
    expect(parsePhone(cell, undefined).e164).toBeNull();
  });

  it('a number with its trunk zero loses that', () => {
    expect(likelyE164('030 123456', market('DE'))).toBe('+4930123456');
  });
});

describe('what surrounds a number', () => {
  it.each([
    'p:+351912345678',
    'tel:+351-912-345-678',
    '="+351912345678"',
    "'+351912345678",
    '\u202a+351 912 345 678\u202c',
    '+３５１９１２３４５６７８',
    '00351912345678',
  ])('%s is read', (cell) => {
    expect(read(cell)).toEqual({ e164: '+351912345678', error: null, warning: null });
  });

  it('a (0) after the country code and the old Mexican 1 are repaired with a warning', () => {
    expect(read('+351 (0)912 345 678')).toMatchObject({
      e164: '+351912345678',
      warning: 'phone.trunk-zero',
    });
    expect(read('+52 1 222 123 4567', 'MX')).toMatchObject({
      e164: '+522221234567',
      warning: 'phone.old-mexican',
    });
  });
});

describe('a number that was exported as a decimal', () => {
  it.each([
    ['DE', '1712345678.0', '+491712345678'],
    ['DE', '3012345678.0', '+493012345678'],
    ['DE', '+491712345678.0', '+491712345678'],
    ['DE', '01712345678,0', '+491712345678'],
    ['AT', '6641234567.0', '+436641234567'],
    ['NZ', '211234567.0', '+64211234567'],
    ['PT', '912345678.00', '+351912345678'],
  ])('in %s, %s is %s without its fraction', (code, cell, e164) => {
    for (const written of [cell, `p:${cell}`, `="${cell}"`]) {
      expect([written, read(written, code)]).toEqual([written, { e164, error: null, warning: null }]);
      expect([written, likelyE164(written, market(code))]).toEqual([written, e164]);
    }
  });

  it.each(['030 1234567.0', '030.1234567', '0171.2345678', '1712345678.'])('%s has marks, and no fraction', (cell) => {
    expect(read(cell, 'DE').e164).toBe(`+49${cell.replace(/\D/g, '').replace(/^0/, '')}`);
  });
});

it.each(['07443 464011;', '07443464011,', '+447443464011 ; '])('%s is read without the marks behind it', (cell) => {
  expect(read(cell, 'UK')).toEqual({ e164: '+447443464011', error: null, warning: 'phone.trailing-mark' });
  expect(likelyE164(cell, market('UK'))).toBe('+447443464011');
});

it('a mark behind two numbers, or behind none, makes neither of them one', () => {
  expect(read('07443464011; 07443464012;', 'UK')).toMatchObject({ e164: null, error: 'phone.two-numbers' });
  expect(read('0744;', 'UK')).toMatchObject({ e164: null, error: 'phone.too-short' });
  expect(read(';', 'UK')).toMatchObject({ e164: null, error: 'phone.not-a-number' });
});

describe('a number without its plus', () => {
  const noPlus = (e164: string | null) => ({ e164, error: null, warning: 'phone.no-plus' });

  it.each([
    ['PT', '351912345678', '+351912345678'],
    ['PT', '(351) 912 345 678', '+351912345678'],
    ['DE', '4915123456789', '+4915123456789'],
    ['DE', '49 30 12345678', '+493012345678'],
    ['AT', '436641234567', '+436641234567'],
    ['IN', '919123456789', '+919123456789'],
  ])('%s %s is not given a second country code', (code, cell, e164) => {
    expect(read(cell, code)).toEqual(noPlus(e164));
    expect(likelyE164(cell, market(code))).toBe(e164);
  });

  it('that is one within the country as well is refused, and with either sign it is what that says', () => {
    expect(read('4934708045', 'DE')).toMatchObject({ e164: null, error: 'phone.two-ways' });
    expect(read('04934708045', 'DE')).toEqual({ e164: '+494934708045', error: null, warning: null });
    expect(read('+4934708045', 'DE')).toEqual({ e164: '+4934708045', error: null, warning: null });
  });

  it('that begins with another digit of the code, or with the 1 that is dialled at home too, is as it was', () => {
    expect(read('9123456789', 'IN')).toEqual({ e164: '+919123456789', error: null, warning: null });
    expect(read('1 506 234 5678', 'CA')).toEqual({ e164: '+15062345678', error: null, warning: null });
  });

  it('but with 00 is the number of its market, also where another prefix leads abroad', () => {
    expect(read('0057 301 0000000', 'CO')).toEqual({ e164: '+573010000000', error: null, warning: null });
    expect(read('0065 6123 4567', 'SG')).toEqual({ e164: '+6561234567', error: null, warning: null });
  });

  /** No market's own numbers are that long; only patterns that leave a length open are. */
  const LONGEST_NATIONAL = 11;

  it.each(MARKETS)(
    '$code: of many mobiles and landlines none becomes another number, however it is written',
    (each) => {
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
    },
  );
});

describe('a number with a second extension behind a slash', () => {
  it.each([
    ['030 123456/57', 'DE'],
    ['030/123456/57', 'DE'],
    ['+49 30 123456 / 57', 'DE'],
    ['0049 30 1234567/-58', 'DE'],
    ['01 5123456/12', 'AT'],
    ['030 123456/57/58', 'DE'],
    ['912345678/9', 'PT'],
  ])('%s in %s is two', (cell, code) => {
    expect(read(cell, code)).toMatchObject({ e164: null, error: 'phone.two-numbers' });
  });

  it.each([
    ['0221/12345', 'DE', '+4922112345'],
    ['02203/1234', 'DE', '+4922031234'],
    ['+49 33203/1234', 'DE', '+49332031234'],
    ['0171 123/4567', 'DE', '+491711234567'],
    ['0171/1234/567', 'DE', '+491711234567'],
    ['0664/123/4567', 'AT', '+436641234567'],
    ['212 345/678', 'PT', '+351212345678'],
    ['020 7946/0958', 'UK', '+442079460958'],
  ])('%s in %s is one number with a slash within it', (cell, code, e164) => {
    expect(read(cell, code)).toEqual({ e164, error: null, warning: null });
  });
});

describe('what is no number', () => {
  it.each([
    ['3,51912E+11', 'PT', 'scientific', undefined],
    ['3.51912E+11', 'PT', 'scientific', undefined],
    ['912345678 / 913456789', 'PT', 'two-numbers', undefined],
    ['912345678 ou 913456789', 'PT', 'two-numbers', undefined],
    ['12345', 'PT', 'too-short', 'PT'],
    ['91234567', 'PT', 'too-short', 'PT'],
    ['9123456789', 'PT', 'too-long', 'PT'],
    // German numbers have 3 to 15 digits, and those of mobile phones 11: ten are too few for this one.
    ['0151 1000000', 'DE', 'too-short', 'DE'],
    ['0151 100000000', 'DE', 'too-long', 'DE'],
    ['020 7946 095', 'UK', 'too-short', 'UK'],
    ['+34 61234567', 'PT', 'too-short', 'ES'],
    ['812345678', 'PT', 'invalid', 'PT'],
    ['+999 1234567', 'PT', 'country-code', 'PT'],
    ['n/a', 'PT', 'not-a-number', 'PT'],
    ['9'.repeat(1000), 'PT', 'too-long', 'PT'],
  ])('%s in %s', (cell, code, why, country) => {
    expect(read(cell, code)).toEqual({ e164: null, error: `phone.${why}`, warning: null, country });
  });
});

it('a number of another country passes with a warning, also where countries share a code', () => {
  expect(read('+34612345678').warning).toBe('phone.foreign');
  expect(read('+12015550123', 'CA').warning).toBe('phone.foreign');
  expect(parsePhone('+34612345678', undefined)).toEqual({ e164: '+34612345678', error: null, warning: null });
});
