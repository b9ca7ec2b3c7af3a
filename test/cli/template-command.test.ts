import { describe, expect, test } from 'vitest';
import { exampleCsv } from '../../src/commands/template/run.ts';
import { findMarket, MARKETS, type Market } from '../../src/request/lead/markets.ts';

function marketOf(code: string): Market {
  const market = findMarket(code);
  if (!market) throw new Error(`no market ${code}`);
  return market;
}

describe('The example of a market', () => {
  test('is written as a spreadsheet of the market writes it', () => {
    const csvOf = (code: string) => exampleCsv(marketOf(code));
    for (const code of ['PT', 'ES', 'DE', 'AT', 'CH', 'AR', 'CL', 'CO', 'AO', 'CV']) {
      expect(csvOf(code).split('\r\n')[0]?.match(/;/g)?.length).toBeGreaterThan(5);
    }
    for (const code of ['UK', 'IE', 'CA', 'MX', 'AU', 'NZ', 'SG', 'IN']) {
      expect(csvOf(code).split('\r\n')[0]?.match(/,/g)?.length).toBeGreaterThan(5);
    }
    expect(csvOf('PT')).toMatch(/^\uFEFFReferência;Nome completo;.*22,5 m²/s);
    expect(csvOf('UK')).toMatch(/22\.5 m²/);
    for (const text of MARKETS.map(({ code }) => csvOf(code))) expect(text).not.toMatch(/[^\r]\n/);
  });
});
