import { describe, expect, test } from 'vitest';
import type { Query } from '../../../src/store/postgres/database.ts';
import { RecentRecords } from '../../../src/store/postgres/recent-records.ts';
import { putBack } from '../../../src/store/postgres/timeline.ts';
import { keyOf } from '../../helpers/log-subjects.ts';

const KEY = keyOf(1);
const record = (entry: number) => ({
  ...{ id: entry + 100, entry, key: KEY, state: 'sending', event: 'sending', at: '2026-11-21T03:39:00.123Z' },
  ...{ row: entry, ref: null, ids: {}, http: null, ms: null, message: null, raw: null, by: null, again: false },
});
const recentOf = (count: number) => {
  const recent = new RecentRecords();
  for (let entry = 1; entry <= count; entry += 1) recent.add(record(entry) as Parameters<typeof recent.add>[0]);
  return recent;
};
const TIMELINE = { number: 2, since: '2026-11-21 03:40:00+00' };

/** A server that knows the records up to an id, and takes all that are put back. */
function serverThatKnows(newest: number) {
  const asked: string[] = [];
  const query = async (text: string, values: readonly unknown[] = []) => {
    asked.push(text);
    if (text.startsWith('select 1 from srq.record')) return Number(values[0]) <= newest ? [{}] : [];
    if (!text.includes('srq.put_back')) return [{ since: TIMELINE.since }];
    const records = JSON.parse(String(values[3])) as { id: number; entry: number }[];
    const lost = records.filter(({ id }) => id > newest);
    return lost.map(({ entry }) => ({ entry, id: entry + 1_000_000, is_late: entry % 1000 === 0 }));
  };
  return { query: query as Query, asked };
}

describe('What a process remembers of its records', () => {
  test('is the newest of them, in bounded memory', () => {
    const recent = recentOf(45_000);
    expect(recent.all.length).toBeLessThan(25_000);
    expect(recent.all.length).toBeGreaterThanOrEqual(20_000);
    expect(recent.all.at(-1)).toMatchObject({ entry: 45_000 });
    expect([recent.isWhole, recent.newestId]).toEqual([false, 45_100]);
    expect(recentOf(5).isWhole).toBe(true);
  });

  test('is all of them below 25,000, and then the newest 20,000', () => {
    const recent = recentOf(24_999);
    expect([recent.all.length, recent.isWhole]).toEqual([24_999, true]);
    recent.add(record(25_000) as Parameters<typeof recent.add>[0]);
    expect([recent.all.length, recent.isWhole]).toEqual([20_000, false]);
    expect(recent.all[0]).toMatchObject({ entry: 5_001 });
  });

  test('includes the largest id that it has seen, of whomever', () => {
    const recent = new RecentRecords();
    expect(recent.newestId).toBe(0);
    recent.sawId(7);
    recent.sawId(5);
    expect(recent.newestId).toBe(7);
    recent.add(record(1) as Parameters<typeof recent.add>[0]);
    expect(recent.newestId).toBe(101);
    recent.renumber(new Map([[1, 300]]));
    expect([recent.newestId, recent.all[0]?.id]).toEqual([300, 300]);
    recent.renumber(new Map([[2, 200]]));
    expect([recent.newestId, recent.all[0]?.id]).toEqual([300, 300]);
  });

  test('costs one look where the server knows the newest', async () => {
    const { query, asked } = serverThatKnows(200);
    expect(await putBack(query, 1, TIMELINE, recentOf(100))).toEqual({ records: 0, late: 0, isWhole: true });
    expect(asked).toHaveLength(1);
    expect(await putBack(query, 1, TIMELINE, new RecentRecords())).toMatchObject({ records: 0, isWhole: true });
  });

  test('is put back where the server lacks it, once', async () => {
    const recent = recentOf(5_000);
    expect(await putBack(serverThatKnows(600).query, 1, TIMELINE, recent)).toEqual({
      records: 4_500,
      late: 5,
      isWhole: true,
    });
    expect(recent.all.at(-1)).toMatchObject({ entry: 5_000, id: 1_005_000 });
    expect(recent.newestId).toBe(1_005_000);
  });

  test('is put back some at a time, above all ids that it knows, on a timeline that has lost something', async () => {
    const asked: [string, readonly unknown[]][] = [];
    const { query } = serverThatKnows(100);
    const recording = async (text: string, values: readonly unknown[] = []) => {
      asked.push([text, values]);
      return query(text, values);
    };
    const recent = recentOf(4_001);
    recent.sawId(9_000);
    expect(await putBack(recording as Query, 17, TIMELINE, recent)).toEqual({ records: 4_001, late: 4, isWhole: true });
    const [, joined, ...written] = asked;
    expect(joined).toEqual([expect.stringContaining('srq.join_timeline'), [TIMELINE.number, true]]);
    const groups = written.map(([, [worker, newest, since, records]]) => [
      ...[worker, newest, since],
      (JSON.parse(String(records)) as unknown[]).length,
    ]);
    // Ids that were given out for the first ones are not given out again.
    expect(groups).toEqual([
      [17, 9_000, TIMELINE.since, 2_000],
      [17, 9_000, TIMELINE.since, 2_000],
      [17, 9_000, TIMELINE.since, 1],
    ]);
    const one = recentOf(2_000);
    asked.length = 0;
    await putBack(recording as Query, 17, TIMELINE, one);
    expect(asked.filter(([text]) => text.includes('srq.put_back'))).toHaveLength(1);
  });

  test('is put back also where only the last one is missing', async () => {
    const recent = recentOf(10);
    expect(await putBack(serverThatKnows(109).query, 1, TIMELINE, recent)).toMatchObject({ records: 1 });
    expect(recent.all.map(({ id }) => id)).toEqual([101, 102, 103, 104, 105, 106, 107, 108, 109, 1_000_010]);
    expect(await putBack(serverThatKnows(0).query, 1, TIMELINE, recentOf(1))).toMatchObject({ records: 1 });
  });

  test('is enough where the server knows the oldest that is kept, though others were dropped', async () => {
    const recent = recentOf(25_000);
    expect(await putBack(serverThatKnows(5_101).query, 1, TIMELINE, recent)).toMatchObject({
      records: 19_999,
      isWhole: true,
    });
    expect(await putBack(serverThatKnows(5_100).query, 1, TIMELINE, recentOf(25_000))).toMatchObject({
      records: 20_000,
      isWhole: false,
    });
  });

  test('is too little where even its oldest record is missing and there were others before', async () => {
    expect(await putBack(serverThatKnows(0).query, 1, TIMELINE, recentOf(45_000))).toMatchObject({ isWhole: false });
    // All that it ever recorded is missing, and all of that is known.
    expect(await putBack(serverThatKnows(0).query, 1, TIMELINE, recentOf(100))).toMatchObject({ isWhole: true });
  });
});
