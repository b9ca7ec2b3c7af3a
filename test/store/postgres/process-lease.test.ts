import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/store/postgres/database.ts';
import { ProcessLease } from '../../../src/store/postgres/process-lease.ts';
import { keyOf } from '../../doors/log.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';
import { VirtualClock } from '../../helpers/virtual-clock.ts';

const ID = 17;
const SINCE = '2026-11-21 03:40:00+00';
const BEAT = 'update srq.worker set seen_at';
const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** What the server of a test knows and does. */
interface Scene {
  /** The processes that are waited for, or null. */
  missing: readonly string[] | null;
  isAway: boolean;
  /** Whether the server has the entry of the process, and whether that can be made again. */
  hasEntry: boolean;
  canEnter: boolean;
  nowMs: number;
  answerMs: number;
  newestId: number | null;
  /** How many of the numbers that the server gives out next belong to others. */
  taken: number;
  /** The number of the process if the server has entered it before, or null. */
  ownId: number | null;
  /** The server has the records up to this id. */
  knowsUpTo: number;
  late: number;
}

function sceneOf(changed: Partial<Scene> = {}) {
  const scene: Scene = {
    ...{ missing: null, isAway: false, hasEntry: true, canEnter: true, nowMs: 5_000_000, answerMs: 0, newestId: null },
    ...{ knowsUpTo: Number.POSITIVE_INFINITY, late: 0, taken: 0, ownId: null },
    ...changed,
  };
  const clock = new VirtualClock();
  const told: string[] = [];
  const beats: number[] = [];
  const answer = async ({ text, values }: Asked): Promise<object[]> => {
    if (scene.isAway) throw away();
    if (text.includes('srq.join_timeline')) return [{ since: SINCE }];
    if (text.includes('srq.settle_timeline'))
      return [{ settled: scene.missing === null, missing: scene.missing ?? [] }];
    if (text.startsWith('insert into srq.worker (run')) {
      if (scene.ownId !== null) return [];
      scene.taken -= 1;
      return scene.taken < 0 ? [{ id: ID }] : [];
    }
    if (text.startsWith('update srq.worker set holder')) return scene.ownId === null ? [] : [{ id: scene.ownId }];
    if (text.startsWith('insert into srq.worker (id')) {
      scene.hasEntry = scene.canEnter;
      return scene.canEnter ? [{ id: ID }] : [];
    }
    if (text.includes(BEAT)) {
      beats.push(clock.monotonicMs());
      if (scene.answerMs > 0) await clock.sleep(scene.answerMs);
      return scene.hasEntry ? [{ now_ms: scene.nowMs, newest_id: scene.newestId }] : [];
    }
    if (text.startsWith('select 1 from srq.record')) return Number(values[0]) <= scene.knowsUpTo ? [{}] : [];
    if (text.includes('srq.put_back')) {
      const records = JSON.parse(String(values[3])) as { id: number; entry: number }[];
      const lost = records.filter(({ id }) => id > scene.knowsUpTo);
      return lost.map(({ entry }, at) => ({ entry, id: 1_000 + entry, is_late: at < scene.late }));
    }
    return [];
  };
  const database = scriptedDatabase(answer);
  const connecting: Database = {
    ...database,
    connect: async (options) => {
      if (scene.isAway) throw away();
      return database.connect(options);
    },
  };
  const acquire = () =>
    ProcessLease.acquire(connecting, { run: 'run', holder: 'holder', clock, warn: (message) => told.push(message) });
  const pass = (ms: number) => clock.until(clock.sleep(ms));
  const texts = (at: number) =>
    (database.sessions[at]?.asked ?? []).map(({ text }) => text.trim().split('(')[0]?.trim());
  return { scene, clock, told, beats, database, acquire, pass, texts };
}

const record = (entry: number) =>
  ({
    ...{ id: entry + 100, entry, key: keyOf(1), state: 'sending', event: 'sending', at: '2026-11-21T03:39:00.123Z' },
    ...{ row: entry, ref: null, ids: {}, http: null, ms: null, message: null, raw: null, by: null, again: false },
  }) as Parameters<ProcessLease['records']['add']>[0];

describe('A process that lives', () => {
  test('shows it every five seconds, on one connection, and no more once it has left', async () => {
    const { acquire, database, beats, pass, clock } = sceneOf();
    const lease = await acquire();
    await pass(24_999);
    expect(beats).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
    await pass(1);
    await pass(1);
    expect(beats.at(-1)).toBe(25_000);
    await clock.until(lease.release());
    await pass(20_000);
    expect(beats).toHaveLength(6);
    const [session] = database.sessions;
    expect(session?.asked.at(-1)).toEqual({
      text: 'update srq.worker set left_at = clock_timestamp() where id = $1',
      values: [ID],
    });
    expect([database.sessions.length, session?.isClosed()]).toEqual([1, true]);
  });
});

describe('A process whose server was replaced', () => {
  const replaced = async (changed: Partial<Scene>, count = 5) => {
    const all = sceneOf();
    const lease = await all.acquire();
    for (let entry = 1; entry <= count; entry += 1) lease.records.add(record(entry));
    Object.assign(all.scene, changed);
    all.database.timeline = 2;
    all.database.sessions[0]?.cut();
    await all.pass(1);
    const asked = (text: string) =>
      (all.database.sessions[1]?.asked ?? []).filter((each) => each.text.includes(text)).map(({ values }) => values);
    return { ...all, lease, asked };
  };

  test('puts back what is missing there, says so, and has no number given out twice', async () => {
    const { told, asked, database, lease, clock } = await replaced({ knowsUpTo: 102 });
    expect(told).toEqual([`The store ${database.shown} had lost 3 records of this process; they were put back.`]);
    expect(asked('generate_series')).toEqual([[105]]);
    expect(asked('srq.put_back').map((values) => values.slice(0, 3))).toEqual([[ID, 105, SINCE]]);
    expect(asked('set timeline')).toEqual([[ID, 2]]);
    expect(database.joined).toEqual([1, 2]);
    expect(() => lease.requireHeld()).not.toThrow();
    await clock.until(lease.release());
  });

  test('says how many of them others have begun again', async () => {
    const { told, database, lease, clock } = await replaced({ knowsUpTo: 102, late: 1 });
    expect(told).toEqual([
      `The store ${database.shown} had lost 3 records of this process; they were put back. 1 of them are of requests that others have begun again meanwhile.`,
    ]);
    await clock.until(lease.release());
  });

  test('says nothing where nothing is missing', async () => {
    const { told, asked, lease, clock } = await replaced({});
    expect([told, asked('srq.put_back'), asked('set timeline')]).toEqual([[], [], [[ID, 2]]]);
    await clock.until(lease.release());
  });

  test('does not count as whole where it has forgotten what is missing', async () => {
    const { told, asked, lease, clock } = await replaced({ knowsUpTo: 102 }, 25_000);
    expect(told).toEqual([
      expect.stringMatching(
        /had lost 20000 records .*Older ones are missing as well, and this process knows them no more\.$/,
      ),
    ]);
    expect(asked('set timeline')).toEqual([]);
    await clock.until(lease.release());
  });

  test('waits for the others that lived, a second at a time, and says once for whom', async () => {
    const { told, scene, lease, database, pass, beats, clock, asked } = await replaced({ missing: ['srq work on b'] });
    const waited = /It waits for what these processes know: srq work on b\./;
    expect(() => lease.requireHeld()).toThrow(waited);
    expect(told).toEqual([]);
    const before = beats.length;
    await pass(3_000);
    expect(told).toEqual([expect.stringMatching(waited)]);
    // Meanwhile it shows that it lives.
    expect(beats.length - before).toBeGreaterThanOrEqual(2);
    expect(asked('srq.settle_timeline').length).toBeGreaterThanOrEqual(3);
    expect(asked('srq.settle_timeline').length).toBeLessThanOrEqual(5);
    expect(() => lease.requireHeld()).toThrow(waited);
    expect(database.joined).toEqual([1]);
    scene.missing = null;
    await pass(1_001);
    expect(() => lease.requireHeld()).not.toThrow();
    expect([told.length, database.joined]).toEqual([1, [1, 2]]);
    await clock.until(lease.release());
  });
});
