import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { type Event, eventsIn, only } from '../helpers/events.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

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
    expect(only(events, 'plan')).toMatchObject([
      { rows: 13, ready: 11, invalid: 1, repeated: 1, files: [{ file: 'leads.csv', rows: 13 }] },
    ]);
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

  test('tells why a run stopped, and of the rows that were not tried; the next run is added to the file', async ({
    partner,
  }) => {
    partner.write('leads.csv', leadsCsv(6).replaceAll(/^(L-[0-2]),PT/gm, '$1,FR'));
    const stopped = await bulk(partner, 'leads.csv', '--max-errors', '3', '--events', 'events.ndjson');
    const first = eventsOf(partner);
    expect(told(first)).toEqual(written(partner));
    expect(only(first, 'end')).toMatchObject([{ exitCode: stopped.code, summary: { failed: 3, invalid: 3 } }]);
    expect(only(first, 'end')[0]?.error?.reason).toMatch(/^rows\./);
    await bulk(partner, 'leads.csv', '--events', 'events.ndjson');
    const both = eventsOf(partner);
    expect(both.slice(0, first.length)).toEqual(first);
    expect(told(both.slice(first.length))).toEqual(written(partner));
  });

  test('tells of refusals of the service, and of what became of the rows after them', async ({ partner, sandbox }) => {
    partner.write('leads.csv', leadsCsv(60));
    sandbox.setInstructions([{ on: 'create', fault: '429', ms: 100, times: 2 }]);
    await bulk(partner, 'leads.csv', '--events', 'events.ndjson');
    const events = eventsOf(partner);
    expect(only(events, 'refused').map(({ http }) => http)).toEqual([429, 429]);
    expect(told(events)).toEqual(written(partner));
    // A doubt of an earlier run that stays one: no pass tells of it.
    partner.write('leads.csv', leadsCsv(62));
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 61' } }]);
    for (const name of ['first', 'second']) {
      await bulk(partner, 'leads.csv', '--in-doubt', 'park', '--events', name);
      expect(told(eventsOf(partner, name))).toEqual(written(partner));
    }
    expect(told(eventsOf(partner, 'second'))[62]).toBe('unknown');
  });

  test('goes to standard output, and then nothing else does', async ({ partner }) => {
    partner.write('leads.csv', leadsCsv(2));
    const { stdout, stderr, code } = await bulk(partner, 'leads.csv', '--events', '-');
    expect([code, eventsIn(stdout).at(-1)?.event]).toEqual([0, 'end']);
    expect(stderr).toContain('Done: 2 rows');
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

  test('has a place of its own, and replaces nothing', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(1));
    for (const flags of [
      ['-', '--json'],
      ['-', '--results', '-'],
      ['x.html', '--report', 'x.html'],
      ['e', '--dry-run'],
    ]) {
      const refused = await bulk(partner, leads, '--events', ...flags);
      expect([flags, refused.code]).toEqual([flags, 2]);
      expect(refused.stderr + refused.stdout).toContain('cannot be used together');
    }
    const kept = await bulk(partner, leads, '--events', leads, '--json');
    expect(documentOf(kept)).toMatchObject({ error: { reason: 'output.not-replaced' } });
    expect(readFileSync(leads, 'utf8')).toBe(leadsCsv(1));
    const nowhere = await bulk(partner, leads, '--events', 'no/folder/e', '--json');
    expect(documentOf(nowhere)).toMatchObject({ error: { reason: 'output.unwritable' } });
    expect(existsSync(join(partner.work, 'leads.results.csv'))).toBe(false);
    expect((await statsOf(sandbox)).created).toBe(0);
  });

  test('--on-end gets the end on standard input, stopped early or not, and changes no exit code', async ({
    partner,
  }) => {
    partner.write('leads.csv', leadsCsv(4).replaceAll(/^(L-[0-1]),PT/gm, '$1,FR'));
    const path = (name: string) => join(partner.work, name);
    const hook = (name: string) => `cat > '${path(name)}'; echo from the command; exit 3`;
    const ended = await bulk(partner, 'leads.csv', '--on-end', hook('whole'), '--json');
    expect(ended.code).toBe(3);
    expect(documentOf(ended)).toMatchObject({ created: 2, invalid: 2 });
    expect(ended.stderr).toContain('from the command');
    expect(ended.stderr).toMatch(/--on-end ended with exit code 3/);
    const [whole, ...more] = only(eventsIn(partner.read('whole')), 'end');
    expect([whole, more]).toMatchObject([{ exitCode: 3, error: null, summary: { created: 2, invalid: 2 } }, []]);
    partner.write('more.csv', leadsCsv(6).replaceAll(/^(L-[45]),PT/gm, '$1,FR'));
    const early = `cat > '${path('early')}'; tail -n 1 '${path('e')}' > '${path('last')}'`;
    const stopped = await bulk(partner, 'more.csv', '--max-errors', '2', '--events', path('e'), '--on-end', early);
    expect(stopped.stderr).not.toContain('--on-end');
    for (const name of ['early', 'last']) {
      const [end] = only(eventsIn(partner.read(name)), 'end');
      expect(end).toMatchObject({ exitCode: stopped.code, error: { reason: expect.stringMatching(/^rows\./) } });
    }
    await bulk(partner, 'none.csv', '--on-end', `cat > '${path('failed')}'`);
    expect(only(eventsIn(partner.read('failed')), 'end')).toMatchObject([{ exitCode: 2, summary: null }]);
    // What is printed to be run next may be kept, and the command may contain a password.
    const [{ next }, cut] = [documentOf(ended), stopped.stdout];
    expect([next, cut.includes('srq bulk'), cut.includes('on-end')]).toEqual([
      'srq bulk --rate max leads.results.csv --json',
      true,
      false,
    ]);
    const results = await bulk(partner, 'leads.csv', '--on-end', 'true', '--results', 'more.csv');
    expect([results.code, results.stderr.includes('on-end')]).toEqual([2, false]);
    const deaf = await bulk(partner, 'leads.csv', '--on-end', 'true');
    expect([deaf.code, deaf.stderr.includes('--on-end')]).toEqual([3, false]);
    expect((await bulk(partner, 'leads.csv', '--on-end', 'true', '--dry-run')).code).toBe(2);
  });

  test('tells of an error before anything is sent', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(1));
    const ended = await bulk(partner, leads, '--plan', '0'.repeat(32), '--events', 'events.ndjson');
    const events = eventsOf(partner);
    expect(events.map(({ event }) => event)).toEqual(['plan', 'end']);
    expect(events[1]).toMatchObject({ exitCode: ended.code, error: { reason: 'plan.differs' }, summary: null });
  });
});
