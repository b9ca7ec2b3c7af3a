import { describe, expect, test } from 'vitest';
import type { LoggedState } from '../../../src/request/log/status.ts';
import type { LogRecord } from '../../../src/request/ports.ts';
import {
  followRecords,
  LogLookup,
  readAllRecords,
  readLatest,
  readRequests,
} from '../../../src/store/postgres/read-log.ts';
import { keyOf } from '../../doors/log.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';
import { VirtualClock } from '../../helpers/virtual-clock.ts';

/** A row of the table of records, as the server tells it. */
const rowOf = (id: number, changed: object = {}) => ({
  ...{ id: String(id), key: keyOf(id), event: 'created', at: '2026-11-21T03:39:00.123Z', run: 'run' },
  ...{ ids: null, details: { row: id } },
  ...changed,
});

async function all<Item, End>(items: AsyncGenerator<Item, End>): Promise<{ items: Item[]; end: End }> {
  const found: Item[] = [];
  for (;;) {
    const next = await items.next();
    if (next.done) return { items: found, end: next.value };
    found.push(next.value);
  }
}

describe('What a process looks up', () => {
  /** A server that knows the states of some requests. */
  const lookupOf = (states: Readonly<Record<string, LoggedState>> = {}) => {
    let nowMs = 0;
    const known = new Map(Object.entries(states));
    const asked: (readonly string[])[] = [];
    const database = scriptedDatabase(({ values }: Asked) => {
      const keys = values[0] as string[];
      asked.push(keys);
      return keys.flatMap((key) => {
        const state = known.get(key);
        return state ? [{ ...rowOf(1), key, state }] : [];
      });
    });
    const lookup = new LogLookup(database.query, () => nowMs);
    const pass = (ms: number) => {
      nowMs += ms;
    };
    return { lookup, asked, known, pass };
  };

  test('is not asked again for ten seconds where it is not there, and always where it is', async () => {
    const { lookup, asked, known, pass } = lookupOf({ a: 'failed' });
    await lookup.prefetch(['a', 'c']);
    pass(9_999);
    await lookup.prefetch(['a', 'c']);
    pass(1);
    known.set('c', 'sending');
    await lookup.prefetch(['c']);
    await lookup.prefetch([]);
    expect(asked).toEqual([['a', 'c'], ['a'], ['c']]);
    expect(lookup.states.get('c')).toBe('sending');
  });

  test('is kept while 50,000 others are looked up, and forgotten after 100,000', () => {
    const { lookup } = lookupOf();
    lookup.states.set('first', 'created');
    const others = (count: number, name: string) => {
      for (let at = 0; at < count; at += 1) lookup.states.set(`${name} ${at}`, 'failed');
    };
    others(50_000, 'one');
    expect(lookup.states.get('first')).toBe('created');
    others(49_998, 'two');
    expect(lookup.states.get('first')).toBe('created');
    others(1, 'three');
    expect(lookup.states.get('first')).toBe('none');
    expect(lookup.states.get('one 49999')).toBe('failed');
  });
});

/** A server that reads a table by a cursor. */
function tableOf(rows: readonly object[]) {
  let at = 0;
  return scriptedDatabase(({ text }: Asked) => {
    if (text.startsWith('declare')) at = 0;
    const count = Number(/^fetch (\d+)/.exec(text)?.[1] ?? 0);
    at += count;
    return rows.slice(at - count, at);
  });
}

describe('The log in a store', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      rowOf(at + 1, { is_last: at % 2 === 0, known_key: keyOf(at + 1), state: 'created' }),
    );

  test.each([0, 1, 1_999, 2_000, 2_001, 4_000, 4_500])('is read to its end, also with %s records', async (count) => {
    const database = tableOf(many(count));
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const rowsOf = (records: readonly LogRecord[]) => records.map(({ row }) => row);
    expect(rowsOf((await all(readLatest(database))).items)).toEqual(numbers);
    expect(rowsOf((await all(readLatest(database, 'desc'))).items)).toEqual(numbers);
    const { items } = await all(readAllRecords(database));
    expect(items.map(({ record, request, isLast }) => [record.row, request, isLast])).toEqual(
      numbers.map((number) => [number, number - 1, number % 2 === 1]),
    );
    const requests = (await all(readRequests(database))).items;
    expect(requests.map(({ state, record }) => [state, record.row])).toEqual(numbers.map((row) => ['created', row]));
  });
});

describe('Who follows the log', () => {
  /** A server to which records are added, and a reader that follows it. */
  const followed = (from: { readonly end: number; readonly missing: number[] }, first: readonly number[] = []) => {
    const clock = new VirtualClock();
    const visible = new Set(first);
    const asked: { readonly atMs: number; readonly end: unknown; readonly missing: unknown }[] = [];
    const database = scriptedDatabase(({ text, values: [end, missing] }: Asked) => {
      if (text.includes('generate_series')) return [from];
      if (text.startsWith('fetch')) return [rowOf(2)];
      if (missing === undefined) return [];
      asked.push({ atMs: clock.monotonicMs(), end, missing });
      const wanted = [...visible].filter((id) => id > Number(end) || (missing as number[]).includes(id));
      return wanted.toSorted((one, other) => one - other).map((id) => rowOf(id));
    });
    const stop = new AbortController();
    const told: (number | null)[] = [];
    const reading = (async () => {
      for await (const each of followRecords(database, clock, stop.signal)) told.push(each?.row ?? null);
    })();
    const pass = (ms: number) => clock.until(clock.sleep(ms));
    const end = async () => {
      stop.abort();
      await reading;
    };
    return { visible, asked, told, pass, end };
  };

  test('is told of a record that becomes visible after its successors, once', async () => {
    const { visible, asked, told, pass, end } = followed({ end: 5, missing: [3] }, [6, 9]);
    await pass(1);
    expect(told).toEqual([2, null, 6, 9]);
    await pass(500);
    expect(asked.at(-1)).toMatchObject({ end: 9, missing: [3, 7, 8] });
    visible.add(3).add(8);
    await pass(500);
    expect(told).toEqual([2, null, 6, 9, 3, 8]);
    await pass(500);
    expect(asked.at(-1)).toMatchObject({ end: 9, missing: [7] });
    visible.add(7).add(11);
    await pass(500);
    expect(told).toEqual([2, null, 6, 9, 3, 8, 7, 11]);
    await pass(500);
    expect(asked.at(-1)).toMatchObject({ end: 11, missing: [10] });
    await end();
  });

  test('waits for such a record for a minute, in which its statement has certainly ended', async () => {
    const { asked, pass, end } = followed({ end: 5, missing: [3] }, [7]);
    await pass(60_001);
    expect(asked.at(-1)).toMatchObject({ atMs: 60_000, missing: [3, 6] });
    await pass(500);
    expect(asked.at(-1)).toMatchObject({ atMs: 60_500, missing: [3, 6] });
    await pass(500);
    expect(asked.at(-1)).toMatchObject({ atMs: 61_000, missing: [] });
    await end();
  });
});
