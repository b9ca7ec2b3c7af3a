import { statSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { exampleCsv } from '../../src/commands/template/run.ts';
import { MARKETS } from '../../src/request/markets.ts';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

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
