import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentsOf } from '../helpers/run-srq.ts';

describe.concurrent('with --json the last line is the error', () => {
  test('with --json the error is the last line, also after thousands of rows', async ({ partner }) => {
    partner.write('leads.csv', `${leadsCsv(5_000)}L-x,"a quotation without its end\n`);
    const exported = await partner.call('export', 'leads.csv', '--json');
    expect(exported.code).toBe(2);
    expect(documentsOf(exported).at(-1)).toMatchObject({ error: { code: 'input' } });
    const known = { key: 'a'.repeat(64), at: '2026-11-20T08:00:00.000Z', run: 'r', row: 1, ref: null };
    const record = JSON.stringify({ ...known, event: 'created', ids: {}, http: 200, ms: 5 });
    const log = partner.write('damaged.ndjson', `${record}\nnothing\n${record}\n`);
    const listed = await partner.call('log', '--json', '--log', log);
    expect(listed.code).toBe(9);
    expect(documentsOf(listed).at(-1)).toMatchObject({ error: { code: 'log' } });
  });
});
