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

  test('is too little where even its oldest record is missing and there were others before', async () => {
    expect(await putBack(serverThatKnows(0).query, 1, TIMELINE, recentOf(45_000))).toMatchObject({ isWhole: false });
    // All that it ever recorded is missing, and all of that is known.
    expect(await putBack(serverThatKnows(0).query, 1, TIMELINE, recentOf(100))).toMatchObject({ isWhole: true });
  });
});
