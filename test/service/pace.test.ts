import { describe, expect, it } from 'vitest';
import { Pace, type PaceOptions } from '../../src/service/pacing/pace.ts';
import type { RateAnswer } from '../../src/service/pacing/permits.ts';
import { atMostAtOnce, fixedWindow, queueing, tokenBucket, unlimited } from '../helpers/hidden-servers.ts';
import { type Figures, type HiddenServer, type Import, seeded, sendRows } from '../helpers/virtual-server.ts';

const SEEDS = [1, 2, 3, 4, 5];
const WORK_MS = 80;
const MEAN_WORK_MS = 0.95 * WORK_MS;
const MEAN_NETWORK_MS = 25;

interface Bounds {
  readonly requests: number;
  readonly idealPerSecond: number;
  readonly speed: number;
  readonly rejected?: number;
  readonly shed?: number;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
}

function run(
  server: (random: () => number) => HiddenServer,
  seed: number,
  requests: number,
  more: Partial<PaceOptions & Import> = {},
): Figures {
  const random = seeded(seed);
  const pace = new Pace({ rate: 'auto', concurrency: 16, random, ...more });
  return sendRows({ pace, server: server(random), requests, random, ...more });
}

/** Runs five seeds and holds the worst of them against the bounds. */
function hold(name: string, server: (random: () => number) => HiddenServer, bounds: Bounds): void {
  const { requests, idealPerSecond, timeoutMs = 10_000, concurrency = 16 } = bounds;
  const runs = SEEDS.map((seed) => run(server, seed, requests, { concurrency, timeoutMs }));
  const rejected = Math.max(...runs.map((figures) => figures.throttled / figures.sent));
  const shed = Math.max(...runs.map((figures) => figures.shed / figures.sent));
  const timedOut = Math.max(...runs.map((figures) => figures.timedOut));
  const speed = Math.min(...runs.map((figures) => figures.taken / (figures.elapsedMs / 1000) / idealPerSecond));
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  const said = `${name}: rejected ${percent(rejected)}, shed ${percent(shed)}, timed out ${timedOut}, speed ${percent(speed)} of the ideal (worst of five seeds)`;
  if (process.env['PACE_FIGURES']) process.stderr.write(`${said}\n`);
  expect(rejected, said).toBeLessThanOrEqual(bounds.rejected ?? 0);
  expect(shed, said).toBeLessThanOrEqual(bounds.shed ?? 0);
  expect(timedOut, said).toBe(0);
  expect(speed, said).toBeGreaterThanOrEqual(bounds.speed);
}

const retryAfter = (resetMs: number, refused: boolean): Record<string, string> =>
  refused ? { 'retry-after': String(Math.ceil(resetMs / 1000)) } : {};

describe('against services whose limits it cannot see, the pace', () => {
  it('the pace finds a token bucket of 20 a second', () =>
    hold('bucket 20/s', (random) => tokenBucket(20, 20, WORK_MS, random), {
      requests: 3_000,
      idealPerSecond: 20,
      rejected: 0.01,
      speed: 0.85,
    }));

  it('the pace finds 60 a minute', () =>
    hold('60 a minute', (random) => fixedWindow({ limit: 60, windowMs: 60_000, workMs: WORK_MS }, random), {
      requests: 600,
      idealPerSecond: 1,
      rejected: 0.05,
      speed: 0.7,
    }));

  it('the pace finds 600 a minute, told by Retry-After', () =>
    hold(
      '600 a minute, Retry-After',
      (random) => fixedWindow({ limit: 600, windowMs: 60_000, workMs: WORK_MS, headers: retryAfter }, random),
      { requests: 6_000, idealPerSecond: 10, rejected: 0.01, speed: 0.85 },
    ));

  it('the pace finds that at most 8 may be in flight', () =>
    hold('at most 8 at once', (random) => atMostAtOnce(8, WORK_MS, random), {
      requests: 12_000,
      idealPerSecond: 8_000 / (MEAN_WORK_MS + MEAN_NETWORK_MS),
      rejected: 0.01,
      speed: 0.7,
    }));

  it('the pace keeps a queue of 30 a second busy and short', () =>
    hold('queue 30/s', (random) => queueing(30, random), { requests: 5_000, idealPerSecond: 30, speed: 0.85 }));

  it('the pace never lets a queue of 1 a second grow into its 10 s timeout', () =>
    hold('queue 1/s', (random) => queueing(1, random), { requests: 400, idealPerSecond: 1, speed: 0.85 }));

  it('the pace hardly provokes a 503 above 40 a second', () =>
    hold('503 above 40/s', (random) => tokenBucket(40, 20, WORK_MS, random, 503), {
      requests: 6_000,
      idealPerSecond: 40,
      shed: 0.005,
      speed: 0.85,
      concurrency: 32,
    }));

  it('the pace hardly provokes a 503 above 16 at once', () =>
    hold('503 above 16 at once', (random) => atMostAtOnce(16, 200, random, 503), {
      requests: 12_000,
      idealPerSecond: 16_000 / (0.95 * 200 + MEAN_NETWORK_MS),
      shed: 0.005,
      speed: 0.85,
      concurrency: 32,
    }));

  it.each([20_000, 60_000, 600_000])('the pace is soon as fast as before an outage of %i ms, told by 503', (downMs) => {
    for (const seed of SEEDS) {
      const [random, upMs] = [seeded(seed), 15_000 + downMs];
      let [whileDown, firstMs, hundredthMs, after] = [0, 0, 0, 0];
      const server: HiddenServer = {
        arrive: (nowMs) => {
          const isDown = nowMs > 15_000 && nowMs < upMs;
          whileDown += isDown ? 1 : 0;
          if (nowMs >= upMs) after += 1;
          if (after === 1) firstMs = nowMs;
          if (after === 100) hundredthMs = nowMs;
          return { status: isDown ? 503 : 200, atMs: nowMs + WORK_MS };
        },
      };
      const pace = new Pace({ rate: 'auto', concurrency: 16, random });
      sendRows({ pace, server, requests: 5_000, random });
      expect(whileDown).toBeLessThan(60);
      expect(firstMs - upMs).toBeLessThan(61_000);
      expect(hundredthMs - firstMs).toBeLessThan(3_000);
      expect(pace.learned()?.ratePerSecond).toBeGreaterThan(100);
    }
  });

  it.each([
    [50, 1.4, 1.1],
    [200, 1.2, 1.1],
  ])('the pace soon finds that there is no limit: 1,000 answers of %i ms', (workMs, first, later) => {
    const server = (): HiddenServer => ({ arrive: (nowMs) => ({ status: 200, atMs: nowMs + workMs }) });
    const idealMs = (1_000 * workMs) / 16;
    const random = seeded(1);
    const pace = new Pace({ rate: 'auto', concurrency: 16, random });
    const { elapsedMs } = sendRows({ pace, server: server(), requests: 1_000, random, networkMs: 0.5 });
    expect(elapsedMs / idealMs).toBeLessThan(first);
    const next = run(server, 1, 1_000, { networkMs: 0.5, learned: pace.learned() });
    expect(next.elapsedMs / idealMs).toBeLessThan(later);
  });

  it.each([1, 20, 100])('the pace is soon at a limit of 20 a second after a burst of %i', (burst) => {
    const random = seeded(1);
    const figures = run(() => tokenBucket(20, burst, 50, random), 1, 1_000);
    expect(figures.throttled / figures.sent).toBeLessThan(0.03);
    const learned = { ratePerSecond: 20, concurrency: 16, limited: true };
    const next = run(() => tokenBucket(20, burst, 50, random), 1, 1_000, { learned });
    expect(next.throttled / next.sent).toBeLessThan(0.005);
  });

  it('the pace does not hold back long where there is no limit', () => {
    const quick = (requests: number) =>
      run((random) => unlimited(2, random), 1, requests, { networkMs: 0.5 }).elapsedMs;
    expect(quick(1_000)).toBeLessThan(1_200);
    expect(quick(10_000)).toBeLessThan(4_000);
  });

  it('the pace starts at once where the last run met no limit, and as after a cut where it met one', () => {
    const fast = { ratePerSecond: 4_000, concurrency: 16, limited: false };
    const quick = run((random) => unlimited(2, random), 1, 1_000, { networkMs: 0.5, learned: fast });
    expect(quick.elapsedMs).toBeLessThan(1_000);
    const known = { ratePerSecond: 20, concurrency: 16, limited: true };
    const bucket = run((random) => tokenBucket(20, 20, WORK_MS, random), 1, 1_000, { learned: known });
    expect(bucket.throttled).toBeLessThanOrEqual(4);
    expect(bucket.elapsedMs).toBeLessThan(60_000);
  });

  it('the pace does not flood a slow queue though the last run was fast', () => {
    const fast = { ratePerSecond: 4_000, concurrency: 16, limited: false };
    const figures = run((random) => queueing(1, random), 1, 200, { timeoutMs: 10_000, learned: fast });
    expect(figures).toMatchObject({ timedOut: 0, taken: 200 });
    expect(figures.slowestMs).toBeLessThan(4_000);
  });

  it('the pace gives its places back to a service that has become slower for good', () => {
    const slower = (random: () => number): HiddenServer => {
      const [before, after] = [unlimited(50, random), unlimited(400, random)];
      return { arrive: (nowMs) => (nowMs < 20_000 ? before : after).arrive(nowMs) };
    };
    expect(run(slower, 1, 6_000).elapsedMs).toBeLessThan(200_000);
  });

  it('the pace does not stop at refusals that have nothing to do with the rate', () => {
    const fickle = (random: () => number): HiddenServer => ({
      arrive: (nowMs) => (random() < 0.02 ? { status: 429, atMs: nowMs } : { status: 200, atMs: nowMs + WORK_MS }),
    });
    expect(run(fickle, 1, 2_000).elapsedMs / 60_000).toBeLessThan(30);
  });
});

const ok: RateAnswer = { kind: 'ok', pauseMs: null };
const refused: RateAnswer = { kind: 'throttled', pauseMs: null };
const half = () => 0.5;

/** A pace that has so many requests in flight at time 0, to be answered in the test. */
function inFlight(count: number, rate: PaceOptions['rate'] = 'max') {
  const pace = new Pace({ rate, concurrency: 16, random: half });
  return { pace, tickets: Array.from({ length: count }, () => pace.sent(0, 'create')) };
}

describe('the pace', () => {
  it.each<[string, Partial<PaceOptions>, string[]]>([
    ['does not space the first three requests while no limit is known', {}, ['now', 'now', 'now', 'later']],
    [
      'spaces them where a limit is known',
      { learned: { ratePerSecond: 5, concurrency: 16, limited: true } },
      ['now', 'later', 'later', 'later'],
    ],
    ['spaces them where the user has set a rate', { rate: 10 }, ['now', 'later', 'later', 'later']],
  ])('the pace %s', (_, options, admissions) => {
    const pace = new Pace({ rate: 'auto', concurrency: 16, random: () => 0, ...options });
    const asked = admissions.map(() => {
      const { is } = pace.ask(20);
      pace.answered(pace.sent(20, 'create'), 20, ok);
      return is;
    });
    expect(asked).toEqual(admissions);
  });

  it('the pace sends one request first after a pause, and the others only when it was taken', () => {
    const { pace, tickets } = inFlight(1);
    for (const ticket of tickets) pace.answered(ticket, 0, refused);
    expect(pace.ask(1_500)).toEqual({ is: 'now' });
    const probe = pace.sent(1_500, 'create');
    expect(pace.ask(1_500)).toEqual({ is: 'after-answer' });
    pace.answered(probe, 1_600, ok);
    expect(pace.ask(1_600)).toEqual({ is: 'now' });
  });

  it('the pace waits as long as Retry-After says and a little longer', () => {
    const { pace, tickets } = inFlight(1);
    for (const ticket of tickets) pace.answered(ticket, 0, { ...refused, pauseMs: 20_000 });
    expect(pace.ask(0)).toEqual({ is: 'later', waitMs: 21_000 });
  });

  it('the pace is never cut short by a shorter pause', () => {
    const { pace, tickets } = inFlight(3);
    const pauses = [{ ...refused, pauseMs: 30_000 }, { ...ok, pauseMs: 5_000 }, refused];
    for (const [index, ticket] of tickets.entries()) pace.answered(ticket, 0, pauses[index] ?? ok);
    pace.hold(0, 10_000);
    expect(pace.pausedMs(0)).toBe(31_500);
  });

  it('the pace backs off by itself where Retry-After: 0 is no help', () => {
    const { pace, tickets } = inFlight(1);
    for (const ticket of tickets) pace.answered(ticket, 0, { ...refused, pauseMs: 0 });
    pace.answered(pace.sent(100, 'create'), 100, { ...refused, pauseMs: 0 });
    expect(pace.pausedMs(100)).toBeGreaterThanOrEqual(750);
  });

  it('the pace asks to stop where the pause is over 15 minutes, and not at 15', () => {
    const asked = (pauseMs: number) => {
      const { pace, tickets } = inFlight(1);
      for (const ticket of tickets) pace.answered(ticket, 0, { ...refused, pauseMs });
      return pace.ask(0).is;
    };
    expect([asked(900_000), asked(901_000)]).toEqual(['later', 'too-late']);
  });

  it('the pace spaces a given rate evenly and never exceeds it', () => {
    const figures = run((random) => unlimited(20, random), 1, 500, { rate: 10 });
    expect(figures.elapsedMs).toBeGreaterThan(49_800);
    expect(figures.elapsedMs).toBeLessThan(50_500);
    const pace = new Pace({ rate: 10, concurrency: 16, random: half });
    pace.answered(pace.sent(60_000, 'create'), 60_020, ok);
    expect(pace.ask(60_020)).toEqual({ is: 'later', waitMs: 70 });
  });

  it('the pace "max" is as fast as the places allow', () => {
    const figures = run(() => ({ arrive: (nowMs) => ({ status: 200, atMs: nowMs + 80 }) }), 1, 1_600, { rate: 'max' });
    expect(figures.elapsedMs).toBeLessThan(11_500);
    expect(figures.mostInFlight).toBe(16);
  });

  it('the pace takes a late silence for overload, and a quick one for a cut line', () => {
    const rateAfter = (silentMs: number) => {
      const { pace, tickets } = inFlight(1, 100);
      for (const ticket of tickets) pace.answered(ticket, silentMs, { ...ok, kind: 'unanswered' });
      return pace.pace(0).ratePerSecond;
    };
    expect([rateAfter(40), rateAfter(10_000)]).toEqual([100, 70]);
  });

  it('the pace learns nothing of the service from what srq did not send, however late that was', () => {
    const { pace, tickets } = inFlight(1, 100);
    for (const ticket of tickets) pace.answered(ticket, 60_000, { ...ok, kind: 'unsent' });
    expect(pace.pace(0).ratePerSecond).toBe(100);
    pace.answered(pace.sent(60_000, 'create'), 60_000, refused);
    const probe = pace.sent(70_000, 'create');
    expect(pace.ask(70_000)).toEqual({ is: 'after-answer' });
    // It was no probe, so that the next one is.
    pace.answered(probe, 80_000, { ...ok, kind: 'unsent' });
    expect(pace.ask(80_000)).toEqual({ is: 'now' });
  });

  it('the pace learns nothing from a rate that somebody chose', () => {
    expect(inFlight(1, 5).pace.learned()).toBeNull();
    expect(inFlight(1, 'auto').pace.learned()).toEqual({ ratePerSecond: 10, concurrency: 16, limited: false });
  });

  it('the pace goes on at half the rate when told to', () => {
    const { pace } = inFlight(1, 100);
    pace.slowDown(0.5);
    expect(pace.pace(0).ratePerSecond).toBe(50);
  });
});
