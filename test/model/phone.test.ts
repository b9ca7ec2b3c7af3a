import { createRequire } from 'node:module';
import { type CountryCode, getExampleNumber } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { findMarket, MARKETS } from '../../src/model/markets.ts';
import { parsePhone } from '../../src/model/phone.ts';

const examples = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');
const market = (code: string) => findMarket(code);
const read = (cell: string, code = 'PT') => parsePhone(cell, market(code));

describe('every market', () => {
  it.each(MARKETS)('$code: its example mobile in national and international form', (each) => {
    const example = getExampleNumber(each.iso as CountryCode, examples);
    const plain = { e164: example?.number, error: null, warning: null };
    expect(parsePhone(example?.formatNational() ?? '', each)).toEqual(plain);
    expect(parsePhone(example?.formatInternational() ?? '', each)).toEqual(plain);
    expect(parsePhone(example?.nationalNumber ?? '', each)).toEqual(plain);
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
    '351912345678',
  ])('%s is read', (cell) => {
    expect(read(cell)).toEqual({ e164: '+351912345678', error: null, warning: null });
  });

  it('a (0) after the country code and the old Mexican 1 are repaired with a warning', () => {
    expect(read('+351 (0)912 345 678')).toMatchObject({
      e164: '+351912345678',
      warning: expect.stringContaining('(0)'),
    });
    expect(read('+52 1 222 123 4567', 'MX')).toMatchObject({
      e164: '+522221234567',
      warning: expect.stringContaining('+52'),
    });
  });
});

describe('what is no number', () => {
  it.each([
    ['3,51912E+11', 'scientific'],
    ['3.51912E+11', 'scientific'],
    ['912345678 / 913456789', 'more than one'],
    ['912345678 ou 913456789', 'more than one'],
    ['12345', 'not a telephone number'],
    ['n/a', 'not a telephone number'],
    ['9'.repeat(1000), 'too long'],
  ])('%s', (cell, why) => {
    expect(read(cell)).toEqual({ e164: null, error: expect.stringContaining(why), warning: null });
  });
});

it('a number of another country passes with a warning, also where countries share a code', () => {
  expect(read('+34612345678').warning).toContain('another country');
  expect(read('+12015550123', 'CA').warning).toContain('another country');
  expect(parsePhone('+34612345678', undefined)).toEqual({ e164: '+34612345678', error: null, warning: null });
});
