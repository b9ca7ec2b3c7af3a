import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/request/outcome.ts';
import type { Clock } from '../../../src/request/ports.ts';
import type { LoggedState } from '../../../src/request/status.ts';
import { PostgresLog } from '../../../src/store/postgres/postgres-log.ts';
import { CREATED, failureOf, keyOf, subjectOf } from '../../helpers/log-subjects.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';
import { VirtualClock } from '../../helpers/virtual-clock.ts';

const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** The parameters of `srq.append`, in their order. */
const PARAMETERS = [
  ...['worker', 'since', 'keys', 'entries', 'events', 'seen', 'next', 'nextLicensed', 'rows', 'refs', 'markets'],
  ...['ids', 'http', 'ms', 'messages', 'raws', 'by', 'again'],
] as const;
type Appended = Readonly<Record<(typeof PARAMETERS)[number], readonly unknown[]>>;

/** A server on which the process has the number 17, and that records what it is told to. */
async function logOf() {
  const clock = new VirtualClock();
  const refused = new Map<unknown, LoggedState>();
  const scene = { isAway: false, losesAnswers: 0, newestId: 0, pauseMs: 100, refused };
  const appended: Appended[] = [];
  const underWay: { readonly key: string; readonly worker: number }[] = [];
  const living = new Set<number>();
  const answer = ({ text, values }: Asked): object[] => {
    if (scene.isAway) throw away();
    if (text.startsWith('insert into srq.worker')) return [{ id: 17 }];
    if (text.includes('update srq.worker set seen_at')) return [{ now_ms: 5_000_000, newest_id: scene.newestId }];
    if (text.includes('r.event = ') && text.includes('s.worker')) {
      return underWay.filter(({ key }) => (values[0] as string[]).includes(key));
    }
    if (text.includes('pg_postmaster_start_time')) {
      return (values[2] as number[]).filter((id) => living.has(id)).map((id) => ({ id }));
    }
    if (!text.includes('srq.append')) return [];
    const now = Object.fromEntries(PARAMETERS.map((name, at) => [name, values[at]])) as unknown as Appended;
    appended.push(now);
    if (scene.losesAnswers > 0) {
      scene.losesAnswers -= 1;
      throw away();
    }
    return now.keys.map((key, at) => {
      const state = refused.get(key);
      if (state) return { key, recorded: false, state, record: '1' };
      scene.newestId += 1;
      return { key, recorded: true, state: now.next[at], record: String(scene.newestId) };
    });
  };
  const database = scriptedDatabase(answer, {
    retryWhileAway: async (work, stop) => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (stop.aborted) throw error;
          await clock.sleep(scene.pauseMs, stop);
        }
      }
    },
  });
  const stopping = new AbortController();
  const functions: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  const options = { run: 'run', holder: 'holder', clock: functions, warn: () => {}, stopping: stopping.signal };
  const log = await PostgresLog.open(database, options);
  return { log, clock, scene, appended, underWay, living, database, stopping };
}

describe('Records of a process', () => {
  test('are written a thousand at a time, and those of one request one after the other', async () => {
    const { log, appended } = await logOf();
    const asked = Array.from({ length: 2_500 }, (_, row) => log.sending(subjectOf(row), 'none'));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
    expect(appended.map(({ keys }) => keys.length)).toEqual([1_000, 1_000, 500]);
    appended.length = 0;
    await Promise.all([log.sending(subjectOf(1), 'sending'), log.outcome(subjectOf(1), CREATED)]);
    expect(appended.map(({ events }) => events)).toEqual([['sending'], ['created']]);
  });

  test('have the number of the process, and numbers of their own', async () => {
    const { log, appended } = await logOf();
    await Promise.all([log.sending(subjectOf(1), 'none'), log.sending(subjectOf(2), 'none')]);
    await log.outcome(subjectOf(1), CREATED);
    expect(appended.map(({ worker, entries }) => [worker, entries])).toEqual([
      [17, [1, 2]],
      [17, [3]],
    ]);
    expect(log.worker.records.all.map(({ entry, id, state }) => [entry, id, state])).toEqual([
      [1, 1, 'sending'],
      [2, 2, 'sending'],
      [3, 3, 'created'],
    ]);
  });

  test('say what they are of, and what became of it', async () => {
    const { log, appended } = await logOf();
    const outcome: Outcome = { ...CREATED, message: 'a\0b', raw: 'c\0d', ms: 87.4 };
    await log.outcome({ ...subjectOf(1), ref: 'x\0y', market: 'PT' }, outcome, { again: true, seen: 'sending' });
    await log.outcome(subjectOf(2), { ...CREATED, ids: {}, http: null, ms: null }, { by: 'validate' });
    await log.licence(subjectOf(3), 'unknown', 'person');
    await log.licence(subjectOf(3), 'unknown', 'person', { again: true });
    await log.sending(subjectOf(4), 'licensed', { again: true, by: 'idempotency' });
    await log.sending(subjectOf(5), 'none', { wireForm: 'its form' });
    const told = appended.map((now) => Object.fromEntries(PARAMETERS.slice(4).map((name) => [name, now[name][0]])));
    const nothing = {
      markets: null,
      ids: null,
      http: null,
      ms: null,
      messages: null,
      raws: null,
      by: null,
      again: false,
    };
    expect(told).toEqual([
      {
        ...{ events: 'created', seen: 'sending', next: 'created', nextLicensed: 'created', rows: 1, refs: 'x\uFFFDy' },
        ...{ markets: 'PT', ids: JSON.stringify(CREATED.ids), http: 201, ms: 87, messages: 'a\uFFFDb' },
        ...{ raws: 'c\uFFFDd', by: null, again: true },
      },
      {
        ...{ ...nothing, events: 'created', seen: null, next: 'created', nextLicensed: 'created', rows: 2 },
        ...{ refs: 'lead-2', by: 'validate' },
      },
      {
        ...{ ...nothing, events: 'licence', seen: 'unknown', next: 'licensed', nextLicensed: 'licensed', rows: 3 },
        ...{ refs: 'lead-3', by: 'person' },
      },
      {
        ...{ ...nothing, events: 'licence', seen: 'unknown', next: 'licensed', nextLicensed: 'licensed', rows: 3 },
        ...{ refs: 'lead-3', by: 'person', again: true },
      },
      {
        ...{ ...nothing, events: 'sending', seen: 'licensed', next: 'parked', nextLicensed: 'parked', rows: 4 },
        ...{ refs: 'lead-4', by: 'idempotency', again: true },
      },
      {
        ...{ ...nothing, events: 'sending', seen: 'none', next: 'sending', nextLicensed: 'parked', rows: 5 },
        ...{ refs: 'lead-5', by: 'form its form' },
      },
    ]);
  });

  test('are remembered as they were written, by the time of the server', async () => {
    const { log } = await logOf();
    const outcome = { ...CREATED, message: 'a\0b', raw: 'c\0d', ms: 87.4 };
    await log.outcome({ ...subjectOf(1), ref: 'x\0y' }, outcome, { again: true, by: 'validate' });
    await log.sending(subjectOf(2), 'none', { wireForm: 'its form' });
    expect(log.worker.records.all).toEqual([
      {
        ...{ id: 1, entry: 1, state: 'created', event: 'created', by: 'validate', again: true, key: keyOf(1), row: 1 },
        ...{ at: new Date(5_000_000).toISOString(), ref: 'x\uFFFDy', ids: CREATED.ids, http: 201, ms: 87 },
        ...{ message: 'a\uFFFDb', raw: 'c\uFFFDd' },
      },
      {
        ...{ id: 2, entry: 2, state: 'sending', event: 'sending', by: 'form its form', again: false, key: keyOf(2) },
        ...{ at: new Date(5_000_000).toISOString(), row: 2, ref: 'lead-2', ids: {}, http: null, ms: null },
        ...{ message: null, raw: null },
      },
    ]);
  });

  test.each([
    [2 ** 31 - 2, 2 ** 31 - 2],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, 2 ** 31 - 1],
    [1e15, 2 ** 31 - 1],
    [0, 0],
    [0.5, 1],
  ])('of %s milliseconds say %s, as the table can keep no more', async (ms, kept) => {
    const { log, appended } = await logOf();
    await log.outcome(subjectOf(1), { ...CREATED, ms });
    expect(appended[0]?.ms).toEqual([kept]);
  });

  test.each([
    [1_999, 87],
    [2_000, 2_087],
    [60_000, 60_087],
  ])('whose writing has to wait for %s ms say that they took %s: a short wait is not counted', async (pauseMs, ms) => {
    const { log, scene, clock, appended } = await logOf();
    Object.assign(scene, { losesAnswers: 1, pauseMs });
    expect(await clock.until(log.outcome(subjectOf(1), CREATED))).toBe(true);
    expect([appended.map((now) => now.ms), log.worker.records.all[0]?.ms]).toEqual([[[87], [ms]], ms]);
  });

  test('tell what the store has where it refuses them, and count as unknown where it says nothing', async () => {
    const { log, scene } = await logOf();
    scene.refused.set(keyOf(1), 'created');
    expect(await log.sending(subjectOf(1), 'none')).toBe(false);
    expect([log.lookup(keyOf(1)), log.worker.records.all]).toEqual(['created', []]);
    scene.refused.clear();
    expect(await log.sending(subjectOf(2), 'none')).toBe(true);
    expect(log.lookup(keyOf(2))).toBe('sending');
  });

  test('whose answer was lost are looked for behind what was known when they were first sent', async () => {
    const { log, scene, clock, appended } = await logOf();
    await log.sending(subjectOf(1), 'none');
    scene.losesAnswers = 3;
    const sent = log.sending(subjectOf(2), 'none');
    log.worker.records.sawId(50);
    expect(await clock.until(sent)).toBe(true);
    expect(appended.map(({ since }) => since)).toEqual([null, null, 50, 50, 50]);
    await log.sending(subjectOf(3), 'none');
    expect(appended.at(-1)?.since).toBeNull();
  });

  test('are not sent while others cannot see that the process lives', async () => {
    const { log, database, clock, scene, appended } = await logOf();
    scene.isAway = true;
    database.sessions[0]?.cut();
    const sent = log.sending(subjectOf(1), 'none');
    await clock.until(clock.sleep(150));
    expect(database.asked.some(({ text }) => text.includes('srq.append'))).toBe(false);
    scene.isAway = false;
    expect(await clock.until(sent)).toBe(true);
    expect(appended).toHaveLength(1);
  });
});

describe('The end of a log', () => {
  const left = (asked: readonly Asked[]) => asked.filter(({ text }) => text.includes('set left_at = clock')).length;

  test('comes once, after what was asked for before, and takes nothing more', async () => {
    const { log, database, clock, appended } = await logOf();
    const asked = [1, 2, 3].map((row) => log.sending(subjectOf(row), 'none'));
    await clock.until(log.close());
    expect(appended[0]?.keys).toHaveLength(3);
    expect(await Promise.all(asked)).toEqual([true, true, true]);
    expect(left(database.asked)).toBe(1);
    await log.close();
    expect([left(database.asked), database.sessions.map(({ isClosed }) => isClosed())]).toEqual([1, [true]]);
    expect(await failureOf(log.outcome(subjectOf(1), CREATED))).toMatchObject({
      reason: 'log.closed',
      message: `The log ${database.shown} was closed.`,
    });
  });

  test.each([
    ['the run was told to end', 'stop'],
    ['the log was closed', 'close'],
  ] as const)('while the store is away is waited for five seconds after %s', async (_, how) => {
    const { log, scene, clock, stopping } = await logOf();
    scene.isAway = true;
    await clock.until(clock.sleep(60_000));
    const ends: string[] = [];
    const followed = (name: string, promise: Promise<unknown>) =>
      promise
        .catch(() => {})
        .then(() => {
          ends.push(name);
        });
    const both = [
      followed('write', log.outcome(subjectOf(1), CREATED)),
      followed('look', log.prefetch([keyOf(2)])),
      followed('ask', log.mayBeUnderWay(keyOf(3))),
    ];
    await clock.until(clock.sleep(10_000));
    if (how === 'stop') stopping.abort();
    else both.push(log.close());
    await clock.until(clock.sleep(4_999));
    expect(ends).toEqual([]);
    await clock.until(clock.sleep(1));
    await clock.until(Promise.all(both));
    expect(ends.sort()).toEqual(['ask', 'look', 'write']);
    expect(clock.monotonicMs()).toBe(75_000);
  });
});

test('a request is under way where its last record is an intent of a process that lives', async () => {
  const { log, underWay, living, database } = await logOf();
  underWay.push({ key: keyOf(1), worker: 3 }, { key: keyOf(2), worker: 4 }, { key: keyOf(3), worker: 3 });
  living.add(3);
  const asked = [1, 2, 3, 5].map((row) => log.mayBeUnderWay(keyOf(row)));
  expect(await Promise.all(asked)).toEqual([true, false, true, false]);
  const looked = database.asked.filter(({ text }) => text.includes('pg_postmaster_start_time'));
  expect(looked.map(({ values }) => values[2])).toEqual([[3, 4]]);
});
