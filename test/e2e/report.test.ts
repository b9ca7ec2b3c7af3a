import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);
const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');
/** What a page draws. */
const dataOf = (page: string) =>
  JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(page)?.[1] ?? '');
const MIXED = `${leadsCsv(3)}X-1,FR,Rita Exemplo,rita@example.com,,Paris,Obras\n`;

describe.concurrent('report', () => {
  test('the page of bulk has every row, its market and the settings, and nothing personal', async ({ partner }) => {
    const leads = partner.write('leads.csv', MIXED);
    const ended = await bulk(partner, leads, '--set', 'category=Segredo', '--report', 'run.html', '--json');
    expect(documentOf(ended)).toMatchObject({ created: 3, invalid: 1 });
    expect(ended.stderr).toContain('Report: run.html');
    const page = partner.read('run.html');
    const { rows } = dataOf(page);
    const listed = rows.map(({ row, ref }: { row: number; ref: string }) => `${row} ${ref}`);
    expect(listed).toEqual(['4 X-1', '1 L-0', '2 L-1', '3 L-2']);
    for (const shown of [
      'Import of leads.csv',
      'Finished',
      '"market":"PT"',
      '--concurrency',
      '["--rate","max"]',
      'X-1',
    ])
      expect(page).toContain(shown);
    for (const personal of ['Ana', 'Rita', 'example.com', '912345678', 'Pintar', 'Paris', 'Segredo', '"FR"'])
      expect(page).not.toContain(personal);
    expect(statSync(join(partner.work, 'run.html')).mode & 0o777).toBe(0o600);
  });

  test('neither the page nor the log shows what a finding quotes; the results file does', async ({ partner }) => {
    const [header = '', row = ''] = leadsCsv(1).split('\n');
    const values = ['Atlantis', 'xyzzy!', '12 34 56 7', 'no.body@', '98765'];
    const [country, lang, phone, email, code] = values;
    const bad = `${header},lang,postcode\n${row},,\nX-1,${country},Rita,,,Paris,Obras,,\n`;
    const more = `X-2,PT,Rita,,${phone},Paris,Obras,,\nX-3,PT,Rita,${email},912345678,Paris,Obras,${lang},${code}\n`;
    const leads = partner.write('leads.csv', bad + more);
    await bulk(partner, leads, '--report', 'run.html', '--json');
    const results = partner.read('leads.results.csv');
    for (const value of [country, phone, email]) expect(results).toContain(`""${value}"" `);
    const page = partner.read('run.html');
    expect(page).toContain('is not one of the markets');
    const log = readFileSync(logOf(partner), 'utf8');
    expect(values.filter((value) => page.includes(value) || log.includes(value))).toEqual([]);
  });

  test('the page shows no name of a recording that is missing', async ({ partner }) => {
    const [header, row] = leadsCsv(1).split('\n');
    const leads = partner.write('leads.csv', `${header},audio_file\n${row},Rita Exemplo.mp3\n`);
    expect(documentOf(await bulk(partner, leads, '--report', 'run.html', '--json'))).toMatchObject({ invalid: 1 });
    expect(partner.read('run.html')).toContain('There is no recording …');
    expect(partner.read('run.html')).not.toContain('Rita');
  });

  test('the page is written from the log at any time, of the last import or another', async ({ partner }) => {
    await bulk(partner, partner.write('first.csv', leadsCsv(2)));
    await bulk(partner, partner.write('leads.csv', MIXED));
    const last = documentOf(await partner.call('report', '-o', 'run.html', '--json'));
    expect(last).toMatchObject({ rows: 4, created: 1, repeated: 2, invalid: 1, listed: 1, report: 'run.html' });
    const firstRun = String(partner.records()[0]?.['run']);
    const first = documentOf(await partner.call('report', '--run', firstRun.slice(0, 8), '-o', 'run.html', '--json'));
    expect(first).toMatchObject({ run: firstRun, rows: 2, created: 2 });
    expect(partner.read('run.html')).toContain('Import of first.csv');
    const all = documentOf(await partner.call('report', '--run', 'all', '-o', 'run.html', '--json'));
    expect(all).toMatchObject({ run: null, created: 3 });
    // A run of another command is found by its records.
    const { run } = documentOf(await partner.call('create', ...requestFor('Pintar'), '--json'));
    const one = documentOf(await partner.call('report', '--run', String(run), '-o', 'run.html', '--json'));
    expect(one).toMatchObject({ run, rows: 1, created: 1 });
    const unknown = await partner.call('report', '--run', 'nobody', '-o', 'run.html');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('leads.csv') });
  });

  test('the page can be written during the run, and says that it has no end', async ({ partner, openSandbox }) => {
    partner.use(await openSandbox({ latencyMs: 1_000 }));
    const leads = partner.write('leads.csv', leadsCsv(30));
    const running = partner.start(['bulk', leads, '--rate', 'max', '--concurrency', '1']);
    while (!existsSync(logOf(partner)) || !readFileSync(logOf(partner), 'utf8').includes('"created"'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    const told = documentOf(await partner.call('report', '-o', 'run.html', '--json'));
    expect(told).toMatchObject({ rows: 30, created: expect.any(Number), failed: 0 });
    expect(told['ready']).toBeGreaterThan(0);
    expect(partner.read('run.html')).toContain('No end recorded');
    running.process.kill('SIGKILL');
    await running.ended;
  });

  test('the page shows what was refused, where the run paused and what is unknown', async ({ partner, sandbox }) => {
    sandbox.setInstructions([
      { on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 7' } },
      { on: 'create', fault: '429', match: { request_text: 'Pintar a sala 12' }, times: 2 },
    ]);
    const leads = partner.write('leads.csv', leadsCsv(20));
    const ended = documentOf(await bulk(partner, leads, '--in-doubt', 'park', '--report', 'run.html', '--json'));
    const page = partner.read('run.html');
    expect(Number(ended['unknown'])).toBeGreaterThan(0);
    const { resolve, course } = dataOf(page);
    expect(resolve).toBe('srq resolve');
    const sum = (numbers: number[]) => numbers.reduce((before, number) => before + number, 0);
    expect(sum(course.slowed)).toBeGreaterThan(0);
  });
});
