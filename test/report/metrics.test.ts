import { expect, test } from 'vitest';
import { Metrics, type ProcessView } from '../../src/report/metrics.ts';
import { noCounts } from '../../src/request/status.ts';
import { Scrape } from '../helpers/metrics.ts';

const STARTING: ProcessView = { version: '1.2.3', state: 'starting', worker: null, imported: null, connection: null };

/** The metrics of a process on a clock that is turned by hand. */
function metricsOf(view: ProcessView = STARTING) {
  const clock = { nowMs: 0 };
  const metrics = new Metrics(() => view, {
    monotonicMs: () => clock.nowMs,
    nowMs: () => clock.nowMs,
    sleep: () => Promise.resolve(),
  });
  return { clock, metrics, scrape: async () => new Scrape((await metrics.page()).text) };
}

const AT_WORK: ProcessView = {
  version: '1.2.3',
  state: 'working',
  worker: {
    ended: { created: 7, rejected: 2 },
    putBack: 3,
    reclaimed: 4,
    inHand: 5,
    oldestMs: 61_500,
  },
  imported: { ...noCounts(), created: 7, ready: 90 },
  connection: {
    inFlight: 6,
    waiting: 8,
    tokensFetched: 9,
    pace: { ratePerSecond: 12.5, boundPerSecond: null, pausedMs: 2_500 },
  },
};

test('a scrape tells the state of the process, each value once and in the unit of its name', async () => {
  const page = await metricsOf(AT_WORK).scrape();
  expect(page.by('srq_build_info')).toEqual({ '1.2.3': 1 });
  expect(page.by('srq_state')).toEqual({
    starting: 0,
    working: 1,
    idle: 0,
    'waiting-for-database': 0,
    stopping: 0,
  });
  expect(page.by('srq_rows_total')).toEqual({ created: 7, rejected: 2 });
  expect(page.by('srq_import_rows')).toEqual({ ...noCounts(), created: 7, ready: 90 });
  const alone = {
    srq_queue_oldest_age_seconds: 61.5,
    srq_rows_put_back_total: 3,
    srq_rows_reclaimed_total: 4,
    srq_rows_in_hand: 5,
    srq_requests_in_flight: 6,
    srq_requests_waiting: 8,
    srq_tokens_fetched_total: 9,
    srq_pace_requests_per_second: 12.5,
    srq_pace_bound_requests_per_second: Number.POSITIVE_INFINITY,
    srq_pause_remaining_seconds: 2.5,
  };
  for (const [name, value] of Object.entries(alone)) expect([name, page.value(name)]).toEqual([name, value]);
});

test('what a process does not have is left out of a scrape: a 0 would say that it stands still', async () => {
  const page = await metricsOf().scrape();
  expect(page.names.sort()).toEqual(['srq_build_info', 'srq_pauses_total', 'srq_refused_responses_total', 'srq_state']);
  const unpaced = await metricsOf({
    ...STARTING,
    connection: { inFlight: 0, waiting: 0, tokensFetched: 0, pace: null },
  }).scrape();
  expect(unpaced.value('srq_requests_in_flight')).toBe(0);
  expect(unpaced.names.filter((name) => /pace|pause_/.test(name))).toEqual([]);
});

test('two scrapes tell the same counts: they are read, not added up', async () => {
  const { scrape } = metricsOf(AT_WORK);
  const [first, second] = [await scrape(), await scrape()];
  expect(second.text).toBe(first.text);
});

test('a burst of refusals is one pause, and one that begins after its end is the next', async () => {
  const { clock, metrics, scrape } = metricsOf();
  expect((await scrape()).by('srq_pauses_total')).toEqual({ refusal: 0, breaker: 0 });
  expect((await scrape()).by('srq_refused_responses_total')).toEqual({ 429: 0, 503: 0 });
  metrics.refused(429, 1_000);
  clock.nowMs = 400;
  metrics.refused(429, 0);
  // A later answer asks for a longer pause, which goes on until 2400.
  metrics.refused(503, 2_000);
  clock.nowMs = 2_399;
  metrics.breakerOpened(1);
  expect((await scrape()).by('srq_pauses_total')).toEqual({ refusal: 1, breaker: 0 });
  clock.nowMs = 2_400;
  metrics.refused(503, 0);
  metrics.breakerOpened(30_000);
  const page = await scrape();
  expect(page.by('srq_pauses_total')).toEqual({ refusal: 1, breaker: 1 });
  expect(page.by('srq_refused_responses_total')).toEqual({ 429: 2, 503: 2 });
});

test('an operation of the log is timed whether it succeeds or fails, and its result and error stay what they are', async () => {
  const { clock, metrics, scrape } = metricsOf();
  const log = {
    name: 'log',
    async outcome(ms: number) {
      clock.nowMs += ms;
      return `${this.name} after ${ms}`;
    },
    async intent(ms: number) {
      clock.nowMs += ms;
      throw new Error('the disk is full');
    },
    async read() {
      clock.nowMs += 5_000;
      return this.name;
    },
  };
  const timed = metrics.timed(log, { outcome: 'outcome', intent: 'intent' });
  expect(timed.name).toBe('log');
  expect(await timed.outcome(20)).toBe('log after 20');
  await expect(timed.intent(3_000)).rejects.toThrow('the disk is full');
  expect(await timed.read()).toBe('log');
  const page = await scrape();
  const of = (operation: string, le: string) =>
    page.value(`srq_store_duration_seconds_bucket{le="${le}",operation="${operation}"}`);
  expect([of('outcome', '0.01'), of('outcome', '0.025'), of('outcome', '+Inf')]).toEqual([0, 1, 1]);
  expect([of('intent', '2.5'), of('intent', '5')]).toEqual([0, 1]);
  expect(page.value('srq_store_duration_seconds_sum{operation="intent"}')).toBe(3);
  expect(page.text).not.toContain('operation="read"');
});

test('every state of a process is one of the scrape, the one that it is in as 1', async () => {
  for (const state of ['starting', 'working', 'idle', 'waiting-for-database', 'stopping'] as const) {
    const states = (await metricsOf({ ...STARTING, state }).scrape()).by('srq_state');
    expect(states).toEqual({
      ...{ starting: 0, working: 0, idle: 0, 'waiting-for-database': 0, stopping: 0 },
      [state]: 1,
    });
  }
});

test('a part that is there without its numbers yet has no sample: not even a 0', async () => {
  const worker = { ...(AT_WORK.worker as NonNullable<ProcessView['worker']>), ended: {}, oldestMs: null };
  const page = await metricsOf({ ...STARTING, worker }).scrape();
  expect([page.by('srq_rows_total'), page.by('srq_queue_oldest_age_seconds')]).toEqual([{}, {}]);
  expect(page.value('srq_rows_in_hand')).toBe(5);
});

test('a pace without a limit is infinite, and a pause that is over is 0', async () => {
  const pace = { ratePerSecond: null, boundPerSecond: 30, pausedMs: 0 };
  const page = await metricsOf({
    ...STARTING,
    connection: { inFlight: 0, waiting: 0, tokensFetched: 0, pace },
  }).scrape();
  expect(page.value('srq_pace_requests_per_second')).toBe(Number.POSITIVE_INFINITY);
  expect(page.value('srq_pace_bound_requests_per_second')).toBe(30);
  expect(page.value('srq_pause_remaining_seconds')).toBe(0);
});

test('durations are told by the bounds between a millisecond and half a minute', async () => {
  const { clock, metrics, scrape } = metricsOf();
  const port = {
    async take(ms: number) {
      clock.nowMs += ms;
    },
  };
  const timed = metrics.timed(port, { take: 'take' });
  const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];
  for (const ms of boundsMs) await timed.take(ms);
  await timed.take(30_001);
  const page = await scrape();
  const of = (le: string) => page.value(`srq_store_duration_seconds_bucket{le="${le}",operation="take"}`);
  expect(boundsMs.map((ms) => of(String(ms / 1_000)))).toEqual(boundsMs.map((_, at) => at + 1));
  expect(of('+Inf')).toBe(15);
});

test('a shorter pause does not end a longer one that goes on, but may outlast it', async () => {
  const { clock, metrics, scrape } = metricsOf();
  metrics.breakerOpened(1_000);
  clock.nowMs = 500;
  // A shorter one does not end the one that goes on.
  metrics.refused(429, 100);
  clock.nowMs = 999;
  metrics.refused(429, 100);
  expect((await scrape()).by('srq_pauses_total')).toEqual({ refusal: 0, breaker: 1 });
  clock.nowMs = 1_099;
  metrics.refused(429, 1);
  expect((await scrape()).by('srq_pauses_total')).toEqual({ refusal: 1, breaker: 1 });
});

test('a scrape says what it is, so that Prometheus reads it', async () => {
  const { metrics } = metricsOf();
  expect((await metrics.page()).type).toMatch(/^text\/plain; version=0\.0\.4/);
});
