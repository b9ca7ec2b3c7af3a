import { describe, expect, test } from 'vitest';
import { WorkerStats } from '../../src/commands/work/worker-stats.ts';
import { painter } from '../../src/report/output.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { LoggedState, Status } from '../../src/request/status.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const NOTHING = { created: 0, duplicate: 0, repeated: 0, rejected: 0, failed: 0, unknown: 0 };
const PLAIN = painter(false);

type Ended = Parameters<WorkerStats['ended']>;

function statsOf() {
  const clock = new VirtualClock();
  const notes: unknown[] = [];
  const warnings: string[] = [];
  const events: unknown[] = [];
  const scene: { exception: 'stopping' | 'waiting-for-database' | null } = { exception: null };
  const reporter = {
    warn: (message: string) => void warnings.push(message),
    note: (event: string, fields: object, text: (paint: typeof PLAIN) => string) =>
      void notes.push([event, fields, text(PLAIN)]),
  };
  const told = {
    row: (...all: unknown[]) => void events.push(['row', ...all]),
    refused: (...all: unknown[]) => void events.push(['refused', ...all]),
    breakerOpened: (...all: unknown[]) => void events.push(['breaker', ...all]),
  };
  const stats = new WorkerStats(reporter as never, told as never, { clock, version: '1.2.3' }, () => scene.exception);
  const taken = (changes: object = {}) =>
    ({ key: KEY, row: 7, isUnreadable: false, ...changes }) as unknown as Ended[0];
  const end = (status: Status, is: Ended[2]['is'] = 'done', more: object = {}, ofTaken: object = {}) => {
    stats.began();
    const result = { status, http: 201, ids: {} };
    stats.ended(taken(ofTaken), { result, isFromLog: false, unrecorded: false, ...more } as never, { is } as never);
    return result;
  };
  return { clock, stats, scene, notes, warnings, events, taken, end };
}

describe('The state of a worker', () => {
  test('is that it starts, has nothing to do, or works, unless it stops or waits for the database', () => {
    const { stats, scene } = statsOf();
    const states: string[] = [];
    const look = () => states.push(`${stats.health.state} ${stats.health.inFlight}`);
    scene.exception = 'stopping';
    look();
    scene.exception = null;
    stats.opened();
    look();
    stats.began();
    look();
    stats.began();
    look();
    scene.exception = 'waiting-for-database';
    look();
    scene.exception = null;
    stats.gaveBack({ key: KEY } as never);
    stats.gaveBack({ key: KEY } as never);
    look();
    expect(states).toEqual(['starting 0', 'idle 0', 'working 1', 'working 2', 'waiting-for-database 2', 'idle 0']);
    expect(stats.view.state).toBe('idle');
  });

  test('is told with its time, since when, and why it ends', async () => {
    const { clock, stats, notes } = statsOf();
    await clock.until(clock.sleep(61_000));
    const since = '1970-01-01T00:00:00.000Z';
    expect(stats.health).toMatchObject({ at: '1970-01-01T00:01:01.000Z', since, reason: null });
    stats.ending(new SrqError('service.failed', 'Away\u0007.'));
    expect(stats.health.reason).toBe('Away\u0007.');
    expect(notes).toEqual([['ending', { code: 'service', reason: 'Away\u0007.' }, 'Ending: Away\\u{7}.']]);
  });
});

describe('What a worker did', () => {
  test('is counted by what became of each request: ended, or put back', () => {
    const { stats, end, taken } = statsOf();
    for (const status of ['created', 'created', 'duplicate', 'rejected', 'failed', 'unknown', 'repeated'] as const)
      end(status);
    for (const is of ['back', 'later', 'moved'] as const) end('failed', is);
    stats.began();
    stats.gaveBack(taken());
    stats.reclaimed(2);
    stats.reclaimed(3);
    const ended = { ...NOTHING, created: 2, duplicate: 1, rejected: 1, failed: 1, unknown: 1, repeated: 1 };
    expect([stats.endedCounts, stats.again]).toEqual([ended, 4]);
    expect(stats.view).toEqual({
      ...{ version: '1.2.3', state: 'starting', imported: null, connection: null },
      worker: { ended, putBack: 4, reclaimed: 5, inHand: 0, oldestMs: null },
    });
  });

  test('is noted for each request, by what comes next', () => {
    const { notes, events, end } = statsOf();
    const results = (['done', 'back', 'later', 'moved'] as const).map((is) =>
      end('failed', is, { isFromLog: is === 'back' }),
    );
    const fields = { key: KEY, row: 7, status: 'failed', http: 201 };
    expect(notes).toEqual([
      ['request', { ...fields, isFromLog: false, next: 'done' }, '0123456789ab failed'],
      ['request', { ...fields, isFromLog: true, next: 'back' }, '0123456789ab failed, given back'],
      ['request', { ...fields, isFromLog: false, next: 'later' }, '0123456789ab failed, again later'],
      ['request', { ...fields, isFromLog: false, next: 'moved' }, '0123456789ab failed, on to the next step'],
    ]);
    expect(events).toEqual(results.map((result) => ['row', null, result]));
  });

  test('is told of a row that was told as created and is unknown now', () => {
    const { events, warnings, end } = statsOf();
    const alsoUnknown = { row: 3, key: 'other', status: 'unknown', message: 'It got the same.' };
    const result = end('unknown', 'done', { alsoUnknown });
    expect(events).toEqual([
      ['row', null, result],
      ['row', null, alsoUnknown],
    ]);
    expect(warnings).toEqual(['Row 3 (key other) is unknown now. It got the same.']);
  });

  test('is noted of what it gives back, and takes back from others', () => {
    const { stats, notes, taken } = statsOf();
    stats.gaveBack(taken());
    stats.reclaimed(3);
    expect(notes).toEqual([
      ['given-back', { key: KEY, row: 7 }, '0123456789ab given back'],
      ['reclaimed', { count: 3 }, '3 taken back from workers that have ended or stopped.'],
    ]);
  });

  test('that the log does not have is told with all that is known of it', () => {
    const { end, warnings } = statsOf();
    end('created');
    expect(warnings).toEqual([]);
    end('created', 'done', { unrecorded: true });
    expect(warnings).toEqual(['Not in the log: {"status":"created","http":201,"ids":{}}']);
  });

  test.each<[Status, Ended[2]['is'], string | null]>([
    [
      'unknown',
      'done',
      `It may have been sent: look it up at the service, then: srq resolve ${KEY} --created [ID] or --not-created`,
    ],
    ['failed', 'done', 'Queue its file again to send it: srq enqueue FILE'],
    ['created', 'done', 'The log has it as created, so nothing is left to do.'],
    ['failed', 'later', null],
  ])('with a row that cannot be read, which is %s and %s, is told with what a person can do', (status, is, next) => {
    const { end, warnings } = statsOf();
    end(status, is, {}, { isUnreadable: true });
    const what = `What the queue held of row 7 (key ${KEY}) cannot be read, and was taken off the queue.`;
    expect(warnings).toEqual(next === null ? [] : [`${what} ${next}`]);
  });

  test('is counted anew at its end where it was unknown and somebody else knows more', async () => {
    const { stats, end } = statsOf();
    for (const digit of ['a', 'b', 'c', 'd']) end('unknown', digit === 'd' ? 'later' : 'done', {}, { key: digit });
    end('created', 'done', {}, { key: 'e' });
    const states: Record<string, LoggedState> = { a: 'created', b: 'licensed', c: 'sending' };
    const fetched: string[][] = [];
    let isFetched = false;
    const log = {
      prefetch: async (keys: readonly string[]) => {
        fetched.push([...keys]);
        await Promise.resolve();
        isFetched = true;
      },
      lookup: (key: string) => (isFetched ? (states[key] ?? 'none') : 'rejected'),
    };
    await stats.recount(log as never);
    const now = { ...NOTHING, created: 2, failed: 1, unknown: 1 };
    expect([fetched, stats.endedCounts]).toEqual([[['a', 'b', 'c']], now]);
    await stats.recount(log as never);
    expect([fetched[1], stats.endedCounts]).toEqual([[], now]);
  });
});

describe('What the service does', () => {
  test.each([
    [0, 'The service answered 429.'],
    [1, 'The service answered 429; nobody sends for 1 s.'],
    [1_000.4, 'The service answered 429; nobody sends for 2 s.'],
    [2_000, 'The service answered 429; nobody sends for 2 s.'],
  ])('is told: a refusal with a pause of %d ms', (pauseMs, text) => {
    const { stats, notes, events } = statsOf();
    const metered: unknown[] = [];
    stats.metrics = { refused: (...all: unknown[]) => metered.push(all) } as never;
    stats.refused(429, pauseMs);
    expect(notes).toEqual([['refused', { http: 429, pauseMs: Math.round(pauseMs) }, text]]);
    expect([events, metered]).toEqual([[['refused', 429, pauseMs]], [[429, pauseMs]]]);
  });

  test('is told where too much is unknown, with metrics and without', () => {
    const { stats, notes, events } = statsOf();
    stats.breakerOpened(2_400);
    const metered: unknown[] = [];
    stats.metrics = { breakerOpened: (pauseMs: number) => metered.push(pauseMs) } as never;
    stats.breakerOpened(60_000);
    stats.metrics = null;
    stats.refused(503, 0);
    expect(notes.slice(0, 2)).toEqual([
      ['breaker', { pauseMs: 2_400 }, 'Too many unknown outcomes: nobody sends for 2 s.'],
      ['breaker', { pauseMs: 60_000 }, 'Too many unknown outcomes: nobody sends for 60 s.'],
    ]);
    expect([events.slice(0, 2), metered]).toEqual([
      [
        ['breaker', 2_400],
        ['breaker', 60_000],
      ],
      [60_000],
    ]);
  });

  test('is part of the view once there is a connection', () => {
    const { stats } = statsOf();
    stats.connection = { view: () => 'of the connection' } as never;
    expect(stats.view.connection).toBe('of the connection');
  });
});

describe('How long the oldest rows wait', () => {
  test('is looked up every ten seconds until the worker stops, and grows between two looks', async () => {
    const { clock, stats } = statsOf();
    const stopping = new AbortController();
    const ages = [5_000, null, 700, 0];
    const looks: number[] = [];
    const oldest = async () => {
      looks.push(clock.monotonicMs());
      const found = ages[looks.length - 1];
      if (looks.length === ages.length) stopping.abort();
      if (found == null) throw new Error('The store is away.');
      return found;
    };
    const seen: unknown[] = [];
    const look = () => seen.push([clock.monotonicMs(), stats.view.worker?.oldestMs]);
    expect(stats.view.worker?.oldestMs).toBeNull();
    const looking = stats.lookAtOldest({ oldest } as never, stopping.signal);
    const passing = (async () => {
      for (const ms of [1, 9_998, 2, 10_000, 10_000]) {
        await clock.sleep(ms);
        look();
      }
    })();
    await clock.until(Promise.all([looking, passing]));
    expect(looks).toEqual([0, 10_000, 20_000, 30_000]);
    expect(seen).toEqual([
      [1, 5_001],
      [9_999, 14_999],
      // A look that failed leaves what was seen before.
      [10_001, 15_001],
      [20_001, 701],
      // Where nothing waits, nothing grows.
      [30_001, 0],
    ]);
  });

  test('is not looked up by a worker that is stopping', async () => {
    const { stats } = statsOf();
    const oldest = () => Promise.reject(new Error('looked'));
    await stats.lookAtOldest({ oldest } as never, AbortSignal.abort());
    expect(stats.view.worker?.oldestMs).toBeNull();
  });
});
