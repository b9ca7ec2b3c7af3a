import { describe, expect } from 'vitest';
import { MARKETS } from '../doors/read.ts';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** Where spreadsheets separate cells by semicolons, because the comma is in their numbers. */
const WITH_SEMICOLONS = ['PT', 'ES', 'DE', 'AT', 'CH', 'AR', 'CL', 'CO', 'AO', 'CV'];
const WITH_COMMAS = ['UK', 'IE', 'CA', 'MX', 'AU', 'NZ', 'SG', 'IN'];

describe.concurrent('the example is one of a spreadsheet, and the sandbox takes every row of it', () => {
  test.for(MARKETS)('the sandbox takes every row of the example for $code', async ({ code }, { partner }) => {
    const text = (await partner.call('template', 'csv', '--market', code)).stdout;
    const [header = ''] = text.split('\r\n');
    if (WITH_SEMICOLONS.includes(code)) expect(header.split(';').length).toBeGreaterThan(6);
    if (WITH_COMMAS.includes(code)) expect(header.split(',').length).toBeGreaterThan(6);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    const ended = await partner.call('bulk', partner.write(`${code}.csv`, text), '--rate', 'max', '--json');
    expect([ended.code, documentOf(ended)]).toMatchObject([0, { rows: 3, created: 3 }]);
  });
});
