import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { parse } from 'yaml';
import { test } from './helpers/desk.ts';
import { leadsCsv } from './helpers/leads.ts';
import { promtool, promtoolIsMissing } from './helpers/metrics.ts';
import { startProgram } from './helpers/run-srq.ts';
import { statsOf } from './helpers/sandbox-view.ts';

const UNITS = ['docs/ops/srq-import.service', 'docs/ops/srq-import.timer'];
const [SERVICE = '', TIMER = ''] = UNITS.map((path) => readFileSync(path, 'utf8'));
const CRON = readFileSync('docs/ops/srq-import.cron', 'utf8');

/** What the examples have a shell do. */
const COMMANDS: readonly [name: string, command: string][] = [
  ['srq-import.service', /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(SERVICE)?.[1] ?? ''],
  ['srq-import.cron', /^(?:\S+ ){5}srq (cd .*)$/m.exec(CRON)?.[1] ?? ''],
];
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('The examples in docs/ops', () => {
  test.skipIf(!hasSystemd)('The examples in docs/ops are understood by systemd (needs systemd-analyze)', () => {
    // It ends with 0 where it does not know a key; it says so all the same.
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...UNITS.map((path) => resolve(path))], {
      encoding: 'utf8',
    });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });

  test('The examples in docs/ops consist of sections, settings and comments', () => {
    for (const line of `${SERVICE}${TIMER}`.split('\n')) expect(line).toMatch(/^(?:#.*|\[\w+\]|[A-Z][A-Za-z]+=.*|)$/);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(SERVICE) ?? [];
    expect(Number(seconds)).toBeGreaterThan(130);
    // V8 writes code into memory.
    expect(SERVICE).not.toContain('MemoryDenyWriteExecute');
  });

  test.for(COMMANDS)('The example in docs/ops imports each file once: %s', async ([, command], { desk, sandbox }) => {
    // A live service is asked about, and nobody is there to answer.
    expect(command).toContain(' --yes ');
    desk.use(sandbox);
    mkdirSync(join(desk.folder, 'bin'));
    symlinkSync(inject('srqProgram'), join(desk.folder, 'bin/srq'));
    const PATH = `${join(desk.folder, 'bin')}:${process.env['PATH']}`;
    desk.write('leads.csv', leadsCsv(3));
    const here = command.replace('/var/lib/srq/inbox', desk.work);
    for (const created of [3, 3]) {
      const ended = await startProgram(['sh', '-c', here], { cwd: desk.work, env: { ...desk.env, PATH } }).ended;
      expect(ended).toMatchObject({ code: 0 });
      expect(await statsOf(sandbox)).toMatchObject({ created, doubled: 0 });
    }
  });
});

const why = promtoolIsMissing === null ? '' : ` (skipped: ${promtoolIsMissing})`;
const ALERTS = 'docs/ops/prometheus-alerts.yaml';
const BOARD = JSON.parse(readFileSync('docs/ops/grafana-dashboard.json', 'utf8'));

/** A sum of rates as the alerts see it: `count` more in each minute. */
const growing = (count: number) => `0+${count}x60`;
const steady = (value: number) => `${value}x60`;
/** Series of an hour, by the alert that they are to raise, and such that are harmless. */
const RAISED: Readonly<Record<string, readonly [series: string, values: string][]>> = {
  SrqNoWorker: [],
  SrqStoreAway: [['srq_state{state="waiting-for-database",instance="w1"}', steady(1)]],
  SrqQueueStuck: [
    ['srq_queue_oldest_age_seconds', steady(1000)],
    ['srq_rows_total{status="created"}', steady(50)],
  ],
  SrqRowsExpireSoon: [['srq_queue_oldest_age_seconds', steady(26 * 86_400)]],
  SrqStoreHeld: [['srq_store_held', steady(1)]],
  SrqRowsUnknown: [['srq_store_unknown_rows', steady(3)]],
  SrqRowsNotTaken: [
    ['srq_rows_total{status="created"}', growing(80)],
    ['srq_rows_total{status="rejected"}', growing(20)],
  ],
  SrqBreakerOpened: [['srq_breaker_pauses_total', '0x50 1x10']],
  SrqRefusedOften: [
    ['srq_refused_responses_total{code="429"}', growing(10)],
    ['srq_rows_total{status="created"}', growing(100)],
  ],
};
const WELL: readonly [series: string, values: string][] = [
  ['srq_build_info', steady(1)],
  ['srq_state{state="working",instance="w1"}', steady(1)],
  ['srq_state{state="waiting-for-database",instance="w1"}', steady(0)],
  ['srq_rows_total{status="created"}', growing(95)],
  ['srq_rows_total{status="rejected"}', growing(5)],
  ['srq_rows_total{status="unknown"}', steady(3)],
  ['srq_queue_oldest_age_seconds', steady(1000)],
  ['srq_store_held', steady(0)],
  ['srq_store_unknown_rows', steady(0)],
  ['srq_breaker_pauses_total', steady(1)],
  ['srq_refused_responses_total{code="429"}', growing(1)],
];

describe('The alerts and the dashboard in docs/ops', () => {
  const rules: { alert: string; for?: string; annotations: object }[] = parse(readFileSync(ALERTS, 'utf8')).groups[0]
    .rules;
  const expressions: string[] = BOARD.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );

  test('Each alert in docs/ops says what is wrong and what to do', () => {
    expect(rules.map(({ alert }) => alert)).toEqual(Object.keys(RAISED));
    for (const { annotations } of rules)
      expect(annotations).toEqual({ summary: expect.stringMatching(/\.$/), description: expect.any(String) });
  });

  test.skipIf(promtoolIsMissing !== null)(`The alerts in docs/ops are understood by Prometheus${why}`, ({ desk }) => {
    expect(promtool(['check', 'rules', ALERTS])).toMatchObject({ status: 0 });
    const asked = expressions.map((expr) => expr.replace('$__rate_interval', '1m').replace('$instance', '.*'));
    const records = asked.map((expr, at) => ({ record: `panel:${at}`, expr }));
    const board = desk.write('board.json', JSON.stringify({ groups: [{ name: 'board', rules: records }] }));
    expect(promtool(['check', 'rules', '--lint=none', board])).toMatchObject({ status: 0 });
    const [, scraping = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/scripts.md', 'utf8')) ?? [];
    expect(scraping).toContain('job_name: srq');
    expect(promtool(['check', 'config', desk.write('prometheus.yml', scraping)])).toMatchObject({ status: 0 });
  });

  test.skipIf(promtoolIsMissing !== null)(
    `Each alert in docs/ops fires when it is time, and none while all is well${why}`,
    ({ desk }) => {
      const seriesOf = (all: readonly (readonly [string, string])[]) =>
        all.map(([series, values]) => ({ series, values }));
      const at = { eval_time: '58m' };
      const cases = Object.entries(RAISED).flatMap(([alertname, series]) => [
        {
          interval: '1m',
          input_series: seriesOf(series),
          promql_expr_test: [
            {
              ...at,
              expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"})`,
              exp_samples: [{ labels: '{}', value: 1 }],
            },
          ],
        },
      ]);
      const well = {
        interval: '1m',
        input_series: seriesOf(WELL),
        promql_expr_test: [{ ...at, expr: 'ALERTS', exp_samples: [] }],
      };
      const tests = JSON.stringify({
        rule_files: [resolve(ALERTS)],
        evaluation_interval: '1m',
        tests: [...cases, well],
      });
      expect(promtool(['test', 'rules', desk.write('tests.json', tests)])).toMatchObject({ status: 0 });
    },
  );
});
