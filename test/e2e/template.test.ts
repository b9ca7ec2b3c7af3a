import { describe, expect } from 'vitest';
import { exampleCsv } from '../../src/commands/template/run.ts';
import { MARKETS } from '../../src/request/lead/markets.ts';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('the sandbox takes every row', () => {
  test.for(MARKETS)('of the example of $code', async (market, { partner }) => {
    const file = partner.write(`${market.code}.csv`, exampleCsv(market));
    const ended = await partner.call('bulk', file, '--rate', 'max', '--strict', '--json');
    expect([ended.code, documentOf(ended)]).toMatchObject([0, { rows: 3, created: 3 }]);
  });
});
