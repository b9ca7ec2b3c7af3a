import { expect, test } from 'vitest';
import { MARKETS, usualDelimiter, usualLanguage } from '../../src/request/markets.ts';

// The comma is the decimal sign of these, and Switzerland separates by semicolon although it is not.
const BY_SEMICOLON = 'PT ES DE AT CH AR CL CO EC ZA AO CV'.split(' ');

test.each(MARKETS.map((market) => [market.code, market] as const))(
  'the spreadsheets of %s separate as usual there',
  (code, market) => {
    expect(usualDelimiter(market)).toBe(BY_SEMICOLON.includes(code) ? ';' : ',');
  },
);

test('a market of several languages has no usual one', () => {
  const several = MARKETS.filter((market) => usualLanguage(market) === null).map(({ code }) => code);
  expect(several).toEqual(['CH', 'CA']);
  expect(MARKETS.map(usualLanguage).slice(0, 4)).toEqual(['pt', 'es', 'de', 'de']);
});
