import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('with --json stdout is exactly one document', () => {
  test('where a file or a log is found to be damaged after thousands of rows', async ({ partner }) => {
    partner.write('leads.csv', `${leadsCsv(15_000)}L-x,"a quotation without its end\n`);
    const exported = await partner.call('export', 'leads.csv', '--json');
    expect(exported.code).toBe(2);
    expect(documentOf(exported)).toMatchObject({ error: { code: 'input' } });
    expect(partner.files().filter((name) => name.startsWith('temp/'))).toEqual([]);
    const known = { key: 'a'.repeat(64), at: '2026-11-20T08:00:00.000Z', run: 'r', row: 1, ref: null };
    const record = JSON.stringify({ ...known, event: 'created', ids: {}, http: 200, ms: 5 });
    const log = partner.write('damaged.ndjson', `${record}\nnothing\n${record}\n`);
    const listed = await partner.call('log', '--json', '--log', log);
    expect(listed.code).toBe(9);
    expect(documentOf(listed)).toMatchObject({ error: { code: 'log' } });
  });
});
