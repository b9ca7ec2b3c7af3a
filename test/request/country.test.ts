import { describe, expect, it } from 'vitest';
import { MARKETS, parseMarket } from '../../src/request/lead/markets.ts';

describe('every market', () => {
  it.each(MARKETS)('the country $code is found by its codes and by its name in the languages of columns', (market) => {
    const names = ['en', 'pt', 'es', 'de', 'fr', 'it', 'ca', 'nl', 'pl', 'sv', 'da', 'nb', 'fi'].map(
      (language) => new Intl.DisplayNames([language], { type: 'region' }).of(market.iso) ?? '',
    );
    for (const text of [market.code, market.iso.toLowerCase(), market.name, ...names]) {
      expect(parseMarket(text), text).toBe(market);
      expect(parseMarket(` ${text.toUpperCase()} `), text).toBe(market);
    }
  });
});
