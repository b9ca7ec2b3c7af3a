import { expect, test } from 'vitest';
import { metricsPage, type WorkerView } from '../../src/commands/work/metrics.ts';
import { WorkerStats } from '../../src/commands/work/worker-stats.ts';
import { noCounts } from '../../src/request/log/status.ts';
import { Scrape } from '../helpers/metrics.ts';

const { ready: _, invalid: __, ...ENDED } = noCounts();
const STARTING: WorkerView = {
  version: '1.2.3',
  state: 'starting',
  endedCounts: ENDED,
  inHand: 0,
  oldestMs: null,
  depth: null,
  standing: null,
  pace: null,
  reason: null,
  refusals: { 429: 0, 503: 0 },
  pauses: { refusal: 0, breaker: 0 },
};

const scrapeOf = async (view: WorkerView) => new Scrape((await metricsPage(view)).text);

const AT_WORK: WorkerView = {
  ...STARTING,
  state: 'working',
  endedCounts: { ...ENDED, created: 7, rejected: 2 },
  inHand: 5,
  oldestMs: 61_500,
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
    srq_pace_bound_requests_per_second: 25,
    srq_pause_remaining_seconds: 2.5,
  };
  for (const [name, value] of Object.entries(alone)) expect([name, page.value(name)]).toEqual([name, value]);
});

test('a scrape has no rate while no limit is known, because it only doubles until then', async () => {
  const page = await scrapeOf({ ...AT_WORK, pace: { ratePerSecond: 88_056.7, boundPerSecond: null, pausedMs: 0 } });
  for (const name of ['srq_pace_requests_per_second', 'srq_pace_bound_requests_per_second'])
    expect([name, page.value(name)]).toEqual([name, Number.POSITIVE_INFINITY]);
});

test('what a process does not have is left out of a scrape: a 0 would say that it stands still', async () => {
  const page = await scrapeOf(STARTING);
  expect(page.names.sort()).toEqual([
    'srq_build_info',
    'srq_pauses_total',
    'srq_refused_responses_total',
    'srq_rows_in_hand',
    'srq_rows_total',
    'srq_state',
  ]);
});

/** What a worker counts, on a clock that is turned by hand. */
function workerAt(nowMs: number) {
  const clock = { nowMs };
  const silent = { say: () => {}, warn: () => {} };
  const context = { clock: { monotonicMs: () => clock.nowMs }, reporter: silent, version: '1.2.3' };
  const events = { noted: () => {} };
  return { clock, stats: new WorkerStats(context as never, events as never) };
}

test('a burst of refusals is one pause, and one that begins after its end is the next pause', async () => {
  const { clock, stats } = workerAt(0);
  const scrape = () => scrapeOf(stats);
  expect((await scrape()).by('srq_pauses_total')).toEqual({ refusal: 0, breaker: 0 });
  expect((await scrape()).by('srq_refused_responses_total')).toEqual({ 429: 0, 503: 0 });
  stats.refused(429, 1_000);
  clock.nowMs = 400;
  stats.refused(429, 0);
  // A later answer asks for a longer pause, which goes on until 2400.
  stats.refused(503, 2_000);
  clock.nowMs = 2_399;
  stats.breakerOpened(1);
  expect((await scrape()).by('srq_pauses_total')).toEqual({ refusal: 1, breaker: 0 });
  clock.nowMs = 2_400;
  stats.refused(503, 0);
  stats.breakerOpened(30_000);
  const page = await scrape();
  expect(page.by('srq_pauses_total')).toEqual({ refusal: 1, breaker: 1 });
  expect(page.by('srq_refused_responses_total')).toEqual({ 429: 2, 503: 2 });
});
