import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { type Event, eventsIn, only } from '../helpers/events.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

const eventsOf = (desk: Desk, name = 'events.ndjson') => eventsIn(desk.read(name));

/** What the last event of each row says, as the results file has it. */
function told(events: readonly Event[]): Record<number, string> {
  return Object.fromEntries(only(events, 'row').map(({ row, status }) => [row, status]));
}

/** The statuses of a results file, by the numbers of the rows. */
function written(desk: Desk, name = 'leads.results.csv'): Record<number, string> {
  const [header = '', ...rows] = desk.read(name).trim().split(/\r?\n/);
  const at = header.split(',').indexOf('srq_status');
  return Object.fromEntries(rows.map((row, index) => [index + 1, row.split(',')[at] ?? '']));
}

const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);

describe.concurrent('bulk --events', () => {
  test('tells of the plan, every row as the results file has it, and the end; never of a lead', async ({ partner }) => {
    const csv = leadsCsv(12).replace(/^(L-4),PT/m, '$1,FR');
    const [, first = ''] = csv.split('\n');
    partner.write('leads.csv', `${csv.trimEnd()}\n${first}\n`);
    const ended = await bulk(partner, 'leads.csv', '--events', 'events.ndjson', '--json');
    const document = documentOf(ended);
    const events = eventsOf(partner);
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(['plan', 'end']);
    expect(new Set(events.map(({ run }) => run))).toEqual(new Set([document['run']]));
    expect(only(events, 'plan')).toMatchObject([{ file: 'leads.csv', rows: 13, ready: 11, invalid: 1, repeated: 1 }]);
    expect(told(events)).toEqual(written(partner));
    expect(only(events, 'row')).toHaveLength(13);
    expect(only(events, 'progress').at(-1)).toMatchObject({ pass: 'sending', done: 11, total: 11, created: 11 });
    // Apart from the one at the end, progress is told at most once a second.
    const times = only(events, 'progress').map(({ at }) => Date.parse(at));
    const gaps = times.slice(1, -1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps.filter((ms) => ms < 900)).toEqual([]);
    const { rows, created, invalid, repeated } = document;
    expect(only(events, 'end')).toMatchObject([
      { exitCode: ended.code, error: null, summary: { rows, created, invalid, repeated } },
    ]);
    const identified = only(events, 'row').filter(({ ids }) => Object.keys(ids).length > 0);
    expect(identified.map(({ status }) => status).sort()).toEqual([...Array(11).fill('created'), 'repeated']);
    const cells = csv.split('\n').slice(1).join(',').split(',');
    const text = partner.read('events.ndjson');
    expect(cells.filter((cell) => cell.length > 5 && text.includes(cell))).toEqual([]);
    expect(statSync(join(partner.work, 'events.ndjson')).mode & 0o777).toBe(0o600);
  });

  test('is closed to others, also where they could read the file before', async ({ partner }) => {
    partner.write('leads.csv', leadsCsv(1));
    const mode = () => statSync(join(partner.work, 'events.ndjson')).mode & 0o777;
    await bulk(partner, 'leads.csv', '--events', 'events.ndjson');
    expect(mode()).toBe(0o600);
    chmodSync(join(partner.work, 'events.ndjson'), 0o644);
    await bulk(partner, 'leads.csv', '--events', 'events.ndjson');
    expect([mode(), only(eventsOf(partner), 'end').length]).toEqual([0o600, 2]);
  });
});
