import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { metricsIn, promtool, promtoolIsMissing, Scrape } from '../helpers/metrics.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency } from '../helpers/sandbox-view.ts';
import { creates, send } from '../sandbox/sandbox-client.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const BOARD = 'docs/ops/grafana-dashboard.json';
const ALERTS = 'docs/ops/prometheus-alerts.yaml';
/** What stands in {@link leadsCsv} about people. */
const PERSONAL = /Exemplo|example\.com|912345678|Pintar|Lisboa/;
const PATIENT = { timeout: 60_000, interval: 100 };

/** The metrics that the page lists for a command. */
function listed(command: 'work' | 'bulk'): string[] {
  const rows = readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(srq_\w+)` \|[^|]*\| (\S+) \|/gm);
  return [...rows].flatMap(([, name = '', of = '']) => (['both', `\`${command}\``].includes(of) ? [name] : [])).sort();
}

function expectLinted({ text }: Scrape): void {
  if (promtoolIsMissing === null) expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, said: '' });
}

describe.skipIf(postgresIsMissing !== null)(`The metrics of a worker${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  test('are what the service and the summary say', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    const url = await server.database();
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    await desk.call('enqueue', desk.write('leads.csv', leadsCsv(30)));
    await server.query(url, "update srq.waiting set since = since - interval '2 hours'");
    const on = (at: number) => ({ on: 'create' as const, match: { request_text: `Pintar a sala ${at}` } });
    sandbox.setInstructions([
      { ...on(3), fault: '429', times: 1 },
      { ...on(9), fault: 'reset-after' },
      { ...on(12), fault: 'reset-before' },
    ]);
    const port = await freePort();
    const flags = ['--rate', '50', '--concurrency', '4', '--log-format', 'json', '--json'];
    const running = desk.start(['work', ...flags, '--health-port', String(port)]);

    // While it works.
    await createdAtLeast(sandbox, 2, running);
    await expect
      .poll(async () => (await Scrape.of(port)).value('srq_queue_oldest_age_seconds'), PATIENT)
      .toBeGreaterThan(7200);
    const early = await Scrape.of(port);
    expect(early.by('srq_state')).toMatchObject({ working: 1, idle: 0, 'waiting-for-database': 0 });
    expect(early.value('srq_rows_in_hand')).toBeGreaterThan(0);
    expect(early.value('srq_requests_in_flight')).toBeGreaterThan(0);
    expect(early.value('srq_pace_bound_requests_per_second')).toBeGreaterThan(0);
    expect(early.value('srq_pace_requests_per_second')).toBeLessThanOrEqual(50);
    await setLatency(sandbox, 0);

    // When all is done. The two whose answers were lost have left the queue as unknown.
    await expect.poll(async () => (await Scrape.of(port)).by('srq_rows_total')['created'], PATIENT).toBe(28);
    await expect.poll(async () => (await Scrape.of(port)).by('srq_state')['idle'], PATIENT).toBe(1);
    // The age is looked up every ten seconds.
    await expect.poll(async () => (await Scrape.of(port)).value('srq_queue_oldest_age_seconds'), PATIENT).toBe(0);
    const late = await Scrape.of(port);
    expect(late.by('srq_rows_total')['unknown']).toBe(2);
    for (const name of ['srq_rows_in_hand', 'srq_requests_in_flight', 'srq_requests_waiting'])
      expect([name, late.value(name)]).toEqual([name, 0]);
    expect(late.by('srq_refused_responses_total')).toEqual({ 429: 1, 503: 0 });
    expect(late.by('srq_pauses_total')).toEqual({ refusal: 1, breaker: 0 });
    expect(late.value('srq_pause_remaining_seconds')).toBe(0);
    const tokens = sandbox.requests().filter(({ operation }) => operation === 'token');
    expect(late.value('srq_tokens_fetched_total')).toBe(tokens.length);
    // Each try has an intent of its own, and each row an outcome; the first three are unknown before it is known.
    expect(late.by('srq_store_duration_seconds_count')).toMatchObject({
      intent: creates(sandbox).length,
      outcome: 33,
    });
    expect(late.by('srq_store_duration_seconds_sum')['take']).toBeGreaterThan(0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(late.by('srq_build_info')).toEqual({ [version]: 1 });

    running.process.kill('SIGTERM');
    const ended = await running.ended;
    const summary = documentOf(ended);
    expect(summary).toMatchObject(late.by('srq_rows_total'));
    expect(late.value('srq_rows_put_back_total')).toBe(summary['again']);

    // What the pages name is there, and what is there they name.
    expect(late.names.sort()).toEqual(listed('work'));
    const named = [...metricsIn(BOARD), ...metricsIn(ALERTS)];
    expect(named.filter((name) => !late.names.includes(name) && name !== 'srq_import_rows')).toEqual([]);
    expectLinted(late);
    expect(late.text).not.toMatch(PERSONAL);

    // The lines of the log name the run, which is the one of the summary.
    const lines = ended.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ event }) => event === 'request').length).toBeGreaterThanOrEqual(30);
    expect(new Set(lines.map(({ run }) => run))).toEqual(new Set([summary['run']]));
  });

  test('tell of a store that is away, without waiting for it', async ({ desk, sandbox }) => {
    const url = await server.database();
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    const port = await freePort();
    const running = desk.start(['work', '--health-port', String(port)]);
    await running.until(/Working for/);
    await expect.poll(async () => (await Scrape.of(port)).by('srq_state')['idle'], PATIENT).toBe(1);
    server.down();
    await expect
      .poll(async () => (await Scrape.of(port)).by('srq_state'), PATIENT)
      .toMatchObject({ 'waiting-for-database': 1, idle: 0 });
    server.up();
    await expect.poll(async () => (await Scrape.of(port)).by('srq_state')['idle'], PATIENT).toBe(1);
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBe(143);
  });
});

describe('The metrics of an import', () => {
  test('count its rows as the summary does', async ({ desk }) => {
    const port = await freePort();
    const leads = desk.write('leads.csv', `${leadsCsv(12)}PT,Ana Exemplo,nonsense,,Lisboa,Pintar\n`);
    const running = desk.start([
      'bulk',
      leads,
      '--sandbox',
      '--keep',
      '--yes',
      '--json',
      '--health-port',
      String(port),
    ]);
    await running.until(/stays open/);
    const scrape = await Scrape.of(port);
    const rows = scrape.by('srq_import_rows');
    expect(rows).toMatchObject({ created: 12, invalid: 1, ready: 0 });
    // The first three rows are unknown until validate has shown that they were taken.
    expect(scrape.by('srq_store_duration_seconds_count')).toEqual({ intent: 12, outcome: 15 });
    expect(scrape.value('srq_tokens_fetched_total')).toBe(1);
    expect(scrape.value('srq_pace_requests_per_second')).toBe(Number.POSITIVE_INFINITY);
    expect(scrape.names.sort()).toEqual(listed('bulk'));
    expect(metricsIn(BOARD)).toContain('srq_import_rows');
    expectLinted(scrape);
    expect(scrape.text).not.toMatch(PERSONAL);
    expect((await send('GET', `http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    running.process.kill('SIGINT');
    const { ready: _, ...counted } = rows;
    expect(documentOf(await running.ended)).toMatchObject(counted);
  });

  test('are not served at a port that is taken, and nothing is sent then', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(1));
    const port = new URL(sandbox.baseUrl).port;
    const ended = await partner.run('bulk', leads, '--yes', '--json', '--health-port', port);
    expect(documentOf(ended)).toMatchObject({ error: { reason: 'port.unavailable' } });
    expect([ended.code, creates(sandbox)]).toEqual([2, []]);
  });
});
