import { expect, test } from 'vitest';
import { metricsPage, type WorkerView } from '../../src/commands/work/metrics.ts';
import { workerStats } from '../../src/commands/work/worker-stats.ts';
import { noCounts } from '../../src/request/log/status.ts';
import { Scrape } from '../helpers/metrics.ts';

const { ready: _, invalid: __, ...ENDED } = noCounts();
const STARTING: WorkerView = {
  version: '1.2.3',
  state: 'starting',
  endedCounts: ENDED,
  inHand: 0,
  depth: null,
  standing: null,
  pace: null,
  reason: null,
  refusals: { 429: 0, 503: 0 },
  breakerPauses: 0,
};

const scrapeOf = async (view: WorkerView) => new Scrape((await metricsPage(view)).text);

const AT_WORK: WorkerView = {
  ...STARTING,
  state: 'working',
  endedCounts: { ...ENDED, created: 7, rejected: 2 },
  inHand: 5,
  depth: { total: 40, ready: 40, waiting: 0, inWork: 0, oldestMs: 61_500 },
  standing: { unknown: 2, held: 'lost' },
  pace: { ratePerSecond: 12.5, boundPerSecond: 25, pausedMs: 2_500 },
};

test('a scrape has the state of the process, each value once and in the unit of its name', async () => {
  const page = await scrapeOf(AT_WORK);
  expect(page.by('srq_build_info')).toEqual({ '1.2.3': 1 });
  expect(page.by('srq_state')).toEqual({
    starting: 0,
    working: 1,
    idle: 0,
    'waiting-for-database': 0,
    stopping: 0,
  });
  expect(page.by('srq_rows_total')).toMatchObject({ created: 7, rejected: 2 });
  const alone = {
    srq_queue_oldest_age_seconds: 61.5,
    srq_queue_rows: 40,
    srq_store_unknown_rows: 2,
    srq_store_held: 1,
    srq_rows_in_hand: 5,
    srq_pace_requests_per_second: 12.5,
    srq_pause_remaining_seconds: 2.5,
  };
  for (const [name, value] of Object.entries(alone)) expect([name, page.value(name)]).toEqual([name, value]);
});

test('a scrape has no rate while no limit is known, because it only doubles until then', async () => {
  const page = await scrapeOf({ ...AT_WORK, pace: { ratePerSecond: 88_056.7, boundPerSecond: null, pausedMs: 0 } });
  expect(page.value('srq_pace_requests_per_second')).toBe(Number.POSITIVE_INFINITY);
});

test('what a process does not have is left out of a scrape: a 0 would say that it stands still', async () => {
  const page = await scrapeOf(STARTING);
  expect(page.names.sort()).toEqual([
    'srq_breaker_pauses_total',
    'srq_build_info',
    'srq_refused_responses_total',
    'srq_rows_in_hand',
    'srq_rows_total',
    'srq_state',
  ]);
});

test('a worker counts the answers that refuse it, and the pauses of the breaker', async () => {
  const silent = { say: () => {}, warn: () => {} };
  const stats = workerStats({ reporter: silent, version: '1.2.3' } as never, { noted: () => {} } as never);
  expect((await scrapeOf(stats)).by('srq_refused_responses_total')).toEqual({ 429: 0, 503: 0 });
  stats.refused(429, 1_000);
  stats.refused(503, 0);
  stats.breakerOpened(30_000);
  const page = await scrapeOf(stats);
  expect(page.value('srq_breaker_pauses_total')).toBe(1);
  expect(page.by('srq_refused_responses_total')).toEqual({ 429: 1, 503: 1 });
});
