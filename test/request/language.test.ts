import { expect, it } from 'vitest';
import { MARKETS, parseLanguage, usualLanguage } from '../../src/request/lead/markets.ts';

it.each([
  ['pt', 'pt'],
  ['PT_pt', 'pt-PT'],
  ['de-at', 'de-AT'],
  ['Português', 'pt'],
  ['Deutsch', 'de'],
  ['allemand', 'de'],
])('%s is %s', (text, code) => {
  expect(parseLanguage(text)).toEqual({ code, known: true });
});

it.each(['xx', 'klingonisch-foo', '??'])('%s is given back, not known', (text) => {
  expect(parseLanguage(text)).toEqual({ code: text, known: false });
});

it('only markets of one language have a usual one', () => {
  const without = MARKETS.filter((market) => usualLanguage(market) === null);
  expect(without.map(({ code }) => code)).toEqual(['CH', 'CA']);
});
