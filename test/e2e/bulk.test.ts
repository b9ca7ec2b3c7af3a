import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.run('bulk', '--rate', 'max', ...args);
const needs = (sandbox: Parameters<typeof creates>[0]) => creates(sandbox).map(({ params }) => params['request_text']);

describe.concurrent('bulk', () => {
  test('sends every row, accounts for it on stdout and talks on stderr', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(5));
    const ended = await bulk(partner, leads);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/5\s+created/);
    expect(ended.stdout).toContain(join(partner.work, 'leads.results.csv'));
    expect(ended.stderr).toContain('Columns');
    expect(ended.stderr).toContain('5 ready');
    expect(needs(sandbox).sort()).toEqual([0, 1, 2, 3, 4].map((at) => `Pintar a sala ${at}`));
  });

  test('sends nothing twice, and says that all was there already', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(4));
    await bulk(partner, leads);
    const again = await bulk(partner, leads, '--json');
    expect(again.code).toBe(0);
    expect(documentOf(again)).toMatchObject({ rows: 4, created: 0, repeated: 4, next: null });
    expect(creates(sandbox)).toHaveLength(4);
    // Rows sorted or added do not change which requests they are.
    const [header = '', ...rows] = leadsCsv(6).trim().split('\n');
    const shuffled = partner.write('shuffled.csv', [header, ...rows.reverse(), ''].join('\n'));
    expect(documentOf(await bulk(partner, shuffled, '--json'))).toMatchObject({ created: 2, repeated: 4 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 6, doubled: 0 });
  });

  test('reads standard input', async ({ partner, sandbox }) => {
    const { ended } = partner.start(['bulk', '-', '--rate', 'max', '--json'], { stdin: leadsCsv(3) });
    expect(documentOf(await ended)).toMatchObject({ created: 3 });
    expect(creates(sandbox)).toHaveLength(3);
    expect(partner.files().filter((name) => name.startsWith('temp/'))).toEqual([]);
  });
});
