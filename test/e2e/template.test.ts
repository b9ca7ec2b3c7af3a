import { statSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { exampleCsv, exampleJson } from '../../src/commands/template/run.ts';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { MARKETS } from '../../src/request/markets.ts';
import { test } from '../helpers/desk.ts';
import { readTable, scratchFile } from '../helpers/read-table.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

describe('the example of a market', () => {
  test.for(MARKETS)('$code: every column is recognised and every row is fine, as CSV and as JSON', async (market) => {
    const seen = [];
    for (const [content, ending] of [
      [exampleCsv(market), 'csv'],
      [JSON.stringify(exampleJson(market)), 'json'],
    ] as const) {
      const { table, rows } = await readTable(scratchFile(content, ending));
      const mapping = planMapping(table.columns, { map: {}, set: {}, join: {} });
      expect([mapping.ignored, mapping.warnings, table.notes]).toEqual([[], [], []]);
      const checked = rows.map((row) => checkRequest(mapRow(row, mapping), mapping));
      expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
      seen.push(checked.map(({ request }) => request));
    }
    expect(seen[0]).toHaveLength(3);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.[0]?.params).toMatchObject({ country: market.code, lang: market.languages[0] });
  });

  test('is written as a spreadsheet of the market writes it', () => {
    const csvOf = (code: string) => {
      const market = MARKETS.find((each) => each.code === code);
      return market ? exampleCsv(market) : '';
    };
    for (const code of ['PT', 'ES', 'DE', 'AT', 'CH', 'AR', 'CL', 'CO', 'AO', 'CV']) {
      expect(csvOf(code).split('\r\n')[0]?.match(/;/g)?.length).toBeGreaterThan(5);
    }
    for (const code of ['UK', 'IE', 'CA', 'MX', 'AU', 'NZ', 'SG', 'IN']) {
      expect(csvOf(code).split('\r\n')[0]?.match(/,/g)?.length).toBeGreaterThan(5);
    }
    expect(csvOf('PT')).toMatch(/^\uFEFFReferência;Nome completo;.*22,5 m²/s);
    expect(csvOf('UK')).toMatch(/22\.5 m²/);
    expect(csvOf('AO')).not.toContain('Código postal');
    expect(csvOf('CH')).toContain('Sprache');
    for (const text of MARKETS.map(({ code }) => csvOf(code))) expect(text).not.toMatch(/[^\r]\n/);
  });
});

describe.concurrent('the sandbox takes every row', () => {
  test.for(MARKETS)('of the example of $code', async (market, { partner }) => {
    const file = partner.write(`${market.code}.csv`, exampleCsv(market));
    const ended = await partner.call('bulk', file, '--rate', 'max', '--strict', '--json');
    expect([ended.code, documentOf(ended)]).toMatchObject([0, { rows: 3, created: 3 }]);
  });
});

describe.concurrent('srq template', () => {
  test('writes a file that the sandbox takes whole, in the form of every kind of market', async ({
    partner,
    sandbox,
  }) => {
    let created = 0;
    for (const [format, market] of [
      ['csv', 'PT'],
      ['csv', 'CH'],
      ['csv', 'AO'],
      ['json', 'UK'],
    ] as const) {
      const file = `${market}.${format}`;
      const written = await partner.call('template', format, '--market', market.toLowerCase(), '--output', file);
      expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`srq bulk ${file}`)]);
      const ended = await partner.call('bulk', file, '--rate', 'max', '--strict', '--json');
      expect(documentOf(ended)).toMatchObject({ rows: 3, created: 3 });
      created += 3;
    }
    expect(creates(sandbox)).toHaveLength(created);
  });

  test('prints to standard output exactly what it would write', async ({ desk }) => {
    await desk.call('template', 'csv', '--market', 'DE', '--output', 'de.csv');
    expect((await desk.call('template', 'csv', '--market', 'DE')).stdout).toBe(desk.read('de.csv'));
    const json = await desk.call('template', 'json');
    expect(JSON.parse(json.stdout)).toHaveLength(3);
    expect(documentOf(await desk.call('template', 'csv', '--json'))).toMatchObject({ format: 'csv', market: 'PT' });
  });

  test('never takes the place of a file that is there', async ({ desk }) => {
    const path = desk.write('mine.csv', 'a,b\n1,2\n');
    const before = statSync(path).mtimeMs;
    const ended = await desk.call('template', 'csv', '--output', 'mine.csv');
    expect([ended.code, statSync(path).mtimeMs]).toEqual([2, before]);
    expect(ended.stderr).toContain('already exists');
  });

  test('names the market that was meant', async ({ desk }) => {
    const ended = await desk.call('template', 'csv', '--market', 'PTT');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('Did you mean PT?');
    expect((await desk.call('template', 'pdf')).code).toBe(2);
  });
});
