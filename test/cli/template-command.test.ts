import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exampleCsv, exampleJson, template } from '../../src/commands/template/run.ts';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { findMarket, MARKETS, type Market } from '../../src/request/markets.ts';
import { contextOf } from '../helpers/command-context.ts';
import { readTable, scratchFile } from '../helpers/read-table.ts';
import { User } from '../helpers/user.ts';

function marketOf(code: string): Market {
  const market = findMarket(code);
  if (!market) throw new Error(`no market ${code}`);
  return market;
}

describe('The example of a market', () => {
  test.each(MARKETS)('$code: every column is recognised and every row is fine, as CSV and as JSON', async (market) => {
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
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.map((request) => request?.ref)).toEqual([1, 2, 3].map((at) => `${market.code}-00${at}`));
    expect(seen[0]?.[0]?.params).toMatchObject({ country: market.code, lang: market.languages[0] });
  });

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

  test('has a language where the market has several, and a postal code where it has any', () => {
    const columnsOf = (lines: string) => lines.split('\r\n', 1)[0]?.split(/[,;]/) ?? [];
    for (const market of MARKETS) {
      const columns = columnsOf(exampleCsv(market));
      const has = [/^(?:Language|Idioma|Sprache)$/, /^(?:Postal code|Código postal|Postleitzahl)$/].map((name) =>
        columns.some((each) => name.test(each)),
      );
      expect([market.code, ...has]).toEqual([market.code, market.languages.length > 1, market.postalCode !== null]);
    }
    const placeIn = (code: string) => exampleJson(marketOf(code))[0]?.['location'];
    expect([placeIn('AO'), placeIn('PT')]).toEqual(['Luanda', '1200-109 Lisboa']);
  });
});

describe('srq template', () => {
  async function written(format: 'csv' | 'json', output?: string, code = 'PT', options: object = {}) {
    const of = contextOf({ options });
    const path = output === undefined || output === '-' ? output : join(of.home, output);
    const named = path === undefined ? {} : { output: path };
    const run = () => template(of.context, format, { market: code, ...named });
    return { ...of, path: path ?? '', run, told: () => of.stdout() };
  }

  test.each(['csv', 'json'] as const)('prints what it would write, also for -: %s', async (format) => {
    const file = await written(format, `a b.${format}`);
    expect(await file.run()).toBe(0);
    expect(file.told()).toBe(`Written: ${file.path}. Try it: srq bulk '${file.path}' --sandbox\n`);
    for (const output of [undefined, '-']) {
      const printed = await written(format, output);
      expect([await printed.run(), printed.told()]).toEqual([0, readFileSync(file.path, 'utf8')]);
    }
    const program = await written(format, undefined, 'gb', { json: true });
    await program.run();
    expect(JSON.parse(program.told())).toMatchObject({ format, market: 'UK', output: null });
  });

  test('writes JSON that a person can read', async () => {
    const { run, told } = await written('json');
    await run();
    expect(told()).toMatch(/^\[\n {2}\{\n {4}"ref": "PT-001",\n {4}"country": "PT",\n/);
  });

  test('replaces no file, and says why it cannot write one', async () => {
    const mine = await written('csv', 'mine.csv');
    writeFileSync(mine.path, 'mine');
    const refused = { reason: 'output.not-replaced', hint: 'Name another file: --output FILE' };
    await expect(mine.run()).rejects.toMatchObject({ ...refused, message: `${mine.path} already exists.` });
    expect(readFileSync(mine.path, 'utf8')).toBe('mine');
    const nowhere = await written('csv', 'none/a.csv');
    const message = `${nowhere.path} cannot be written (ENOENT).`;
    await expect(nowhere.run()).rejects.toMatchObject({ ...refused, message });
  });

  test('is CSV or JSON, of Portugal if no market is named', async () => {
    const user = new User();
    for (const [format, begins] of [
      ['csv', '\ufeffReferência;'],
      ['json', '['],
    ] as const) {
      const { code, stdout } = await user.run('template', format);
      expect([code, stdout.startsWith(begins)]).toEqual([0, true]);
    }
    expect((await user.run('template', 'pdf')).told).toContain('One of: csv, json.');
  });

  test.each([
    ['PTT', '"PTT" is not one of the markets. Did you mean PT?'],
    ['ptt', '"ptt" is not one of the markets. Did you mean PT?'],
    ['Atlantis', '"Atlantis" is not one of the markets.'],
  ])('names the market that may be meant by %j, and writes nothing', async (code, message) => {
    const { run, path } = await written('csv', 'a.csv', code);
    await expect(run()).rejects.toMatchObject({
      ...{ reason: 'market.unknown', message },
      hint: expect.stringMatching(/^The markets are: PT, ES, .*, AO, CV$/),
    });
    expect(existsSync(path)).toBe(false);
  });
});
