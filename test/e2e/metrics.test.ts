import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { metricsIn, promtool, promtoolIsMissing, Scrape } from '../helpers/metrics.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast } from '../helpers/sandbox-view.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const BOARD = 'docs/ops/grafana-dashboard.json';
const ALERTS = 'docs/ops/prometheus-alerts.yaml';
/** What stands in {@link leadsCsv} about people. */
const PERSONAL = /Exemplo|example\.com|912345678|Pintar|Lisboa/;
const PATIENT = { timeout: 60_000, interval: 100 };

const BOTH =
  'build_info state pace_requests_per_second pause_remaining_seconds breaker_pauses_total refused_responses_total';
const OF_ONE = {
  work: 'rows_total rows_in_hand queue_oldest_age_seconds queue_rows store_held store_unknown_rows',
};

/** The metrics of a command. Dashboards read them, so their names stay. */
function listed(command: 'work'): string[] {
  return `${BOTH} ${OF_ONE[command]}`
    .split(' ')
    .map((name) => `srq_${name}`)
    .sort();
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

  test('The metrics of a worker are what the service and the summary say', async ({ desk, openSandbox }) => {
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
    const flags = ['--rate', '50', '--concurrency', '4', '--json'];
    const running = desk.start(['work', ...flags, '--health-port', String(port)]);

    // While it works.
    await createdAtLeast(sandbox, 2, running);
    await expect
      .poll(async () => (await Scrape.of(port)).value('srq_queue_oldest_age_seconds'), PATIENT)
      .toBeGreaterThan(7200);
    const early = await Scrape.of(port);
    expect(early.by('srq_state')).toMatchObject({ working: 1, idle: 0, 'waiting-for-database': 0 });
    expect(early.value('srq_rows_in_hand')).toBeGreaterThan(0);
    expect(early.value('srq_pace_requests_per_second')).toBeLessThanOrEqual(50);
    sandbox.setLatency(0);

    // When all is done. The two whose answers were lost have left the queue as unknown.
    await expect.poll(async () => (await Scrape.of(port)).by('srq_rows_total')['created'], PATIENT).toBe(28);
    await expect.poll(async () => (await Scrape.of(port)).by('srq_state')['idle'], PATIENT).toBe(1);
    // These are looked up every ten seconds, one after the other.
    const looked = ['srq_queue_oldest_age_seconds', 'srq_queue_rows', 'srq_store_unknown_rows', 'srq_store_held'];
    const valuesOf = (scrape: Scrape) => looked.map((name) => scrape.value(name));
    await expect.poll(async () => valuesOf(await Scrape.of(port)), PATIENT).toEqual([0, 0, 2, 0]);
    const late = await Scrape.of(port);
    expect(late.by('srq_rows_total')['unknown']).toBe(2);
    expect(late.value('srq_rows_in_hand')).toBe(0);
    expect(late.by('srq_refused_responses_total')).toEqual({ 429: 1, 503: 0 });
    expect(late.value('srq_breaker_pauses_total')).toBe(0);
    expect(late.value('srq_pause_remaining_seconds')).toBe(0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(late.by('srq_build_info')).toEqual({ [version]: 1 });

    running.process.kill('SIGTERM');
    const ended = await running.ended;
    expect(documentOf(ended)).toMatchObject(late.by('srq_rows_total'));

    // What the pages name is there, and what is there they name.
    expect(late.names.sort()).toEqual(listed('work'));
    const named = [...metricsIn(BOARD), ...metricsIn(ALERTS)];
    expect(named.filter((name) => !late.names.includes(name))).toEqual([]);
    expectLinted(late);
    expect(late.text).not.toMatch(PERSONAL);
  });
});
