import { describe, expect, it } from 'vitest';
import { MARKETS, postalCodeWarning } from '../../src/request/lead/markets.ts';
import { cpuMs } from '../helpers/cpu-time.ts';

const warning = (code: string, text: string) => {
  const market = MARKETS.find((each) => each.code === code);
  if (!market) throw new Error(code);
  return postalCodeWarning(text, market);
};

describe('the postal codes of a market', () => {
  it.each(MARKETS.map((market) => [market.code, market] as const))(
    'the example postal code of %s passes, another form does not',
    (_, market) => {
      const example = market.postalCode?.[0] ?? null;
      if (market.code === 'AO') expect([example, postalCodeWarning('anything', market)]).toEqual([null, null]);
      else {
        expect(postalCodeWarning(` ${example?.toLowerCase()} `, market)).toBeNull();
        expect(postalCodeWarning('not a code', market)).toContain(`one of ${market.name} (${example})`);
      }
    },
  );

  it('a long cell is checked as a postal code in no time', () => {
    expect(cpuMs(() => expect(warning('UK', `${'A '.repeat(500_000)}1`)).not.toBeNull(), 500)).toBeLessThan(5_000);
  });
});
