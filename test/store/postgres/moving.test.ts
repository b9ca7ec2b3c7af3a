import { describe, expect, test } from 'vitest';
import type { RecordedNote } from '../../../src/request/log-store.ts';
import type { LogRecord } from '../../../src/request/ports.ts';
import {
  type KnownRequest,
  knowsFileLog,
  noteFileLog,
  replacedRecords,
  takeOver,
  takeOverNotes,
} from '../../../src/store/postgres/moving.ts';
import { keyOf } from '../../helpers/log-subjects.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

const AT = '2026-11-21T03:39:00.123Z';
const requestOf = (row: number, changed: Partial<LogRecord> = {}): KnownRequest => ({
  state: 'unknown',
  record: {
    ...{ key: keyOf(row), event: 'unknown', at: AT, run: 'one', row, ref: null, ids: {}, http: null, ms: null },
    ...{ message: null, raw: null, by: null, again: false },
    ...changed,
  },
});

describe('Requests of another log', () => {
  const taken = async (requests: readonly KnownRequest[], answer: object[] = [{ learned: 7 }]) => {
    const { query, asked } = scriptedDatabase(() => answer);
    const learned = await takeOver(query, requests);
    const [runs, rows] = asked[0]?.values ?? [];
    return { learned, runs, rows: JSON.parse(String(rows)) as Record<string, unknown>[] };
  };

  test('are taken over with all that is known of them, as a store keeps it', async () => {
    const whole = {
      ...{ ref: 'x\0y', message: 'a\0b', raw: 'c\0d', ids: { request_id: '1' }, http: 201, ms: 87.6, again: true },
      ...{ market: 'PT', wireForm: 'its form' },
    };
    const { rows, learned } = await taken([requestOf(1, whole), requestOf(2, { by: 'person', ms: 0.4 })]);
    expect(learned).toBe(7);
    expect(rows[0]).toMatchObject({
      ...{ key: keyOf(1), state: 'unknown', event: 'unknown', at: AT, run: 'one', row: 1, market: 'PT', again: true },
      ...{ ref: 'x\uFFFDy', message: 'a\uFFFDb', raw: 'c\uFFFDd', ids: { request_id: '1' }, http: 201, ms: 88 },
      by: 'form its form',
    });
    expect(rows[1]).toMatchObject({ by: 'person', ref: null, message: null, raw: null, ms: 0 });
    expect(rows[1]).not.toHaveProperty('ids');
    expect((await taken([requestOf(1)])).rows[0]).toMatchObject({ ms: null, by: null });
  });

  test('name each of their runs once', async () => {
    const requests = [requestOf(1), requestOf(2, { run: 'two' }), requestOf(3)];
    expect((await taken(requests)).runs).toEqual(['one', 'two']);
  });

  test('have taught the store nothing where it does not say so', async () => {
    expect((await taken([requestOf(1)], [])).learned).toBe(0);
  });
});

test('notes are taken over of runs of which the store has none, in their order', async () => {
  const note = (run: string, stopped: string): RecordedNote => ({ run, at: AT, event: 'end', stopped });
  const { query, asked } = scriptedDatabase(({ text }: Asked) => (text.startsWith('select') ? [{ run: 'known' }] : []));
  await takeOverNotes(query, [note('a', '1'), note('known', '2'), note('b', '3'), note('a', '4')]);
  expect(asked.map(({ values }) => values)).toEqual([
    [['a', 'known', 'b']],
    [['a', 'b', 'a'], [AT, AT, AT], ['1', '3', '4'].map((stopped) => JSON.stringify({ event: 'end', stopped }))],
  ]);
});

describe('Records that a later one has replaced', () => {
  const BEFORE = new Date('2026-10-01T00:00:00.000Z');
  const counted = async (ends: object[], deletes: boolean) => {
    let count = 0;
    const database = scriptedDatabase(({ text }: Asked) => {
      if (text.startsWith('select min(id)')) return ends;
      count += 1;
      return [{ count }];
    });
    const counts: number[] = [];
    for await (const some of replacedRecords(database, BEFORE, deletes)) counts.push(some);
    const [, ...statements] = database.asked;
    return { counts, statements, ranges: statements.map(({ values }) => values) };
  };

  test('are gone through from the oldest to the newest, 50,000 ids at a time', async () => {
    const at = BEFORE.toISOString();
    const { counts, ranges } = await counted([{ oldest: 11, newest: 100_011 }], true);
    expect(ranges).toEqual([
      [11, 50_011, at],
      [50_011, 100_011, at],
      [100_011, 150_011, at],
    ]);
    expect(counts).toEqual([1, 2, 3]);
    expect((await counted([{ oldest: 11, newest: 50_010 }], true)).ranges).toEqual([[11, 50_011, at]]);
    expect((await counted([{ oldest: 5, newest: 5 }], true)).ranges).toEqual([[5, 50_005, at]]);
  });

  test('are deleted only where that is asked for', async () => {
    for (const deletes of [true, false]) {
      const { statements } = await counted([{ oldest: 1, newest: 2 }], deletes);
      expect(statements.map(({ text }) => /delete/.test(text))).toEqual([deletes]);
    }
  });

  test('are none in a log without records', async () => {
    const { counts } = await counted([{ oldest: null, newest: null }], true);
    expect(counts.length).toBeLessThanOrEqual(1);
  });
});

test('a log in a file is known where the store says so, and only there', async () => {
  const file = { log: 'a'.repeat(32), newestKey: keyOf(1) };
  for (const [rows, known] of [
    [[{ known: true }], true],
    [[{ known: false }], false],
    [[{ known: null }], false],
    [[], false],
  ] as const) {
    const { query, asked } = scriptedDatabase(() => rows);
    expect(await knowsFileLog(query, file)).toBe(known);
    expect(asked.map(({ values }) => values)).toEqual([[file.log, file.newestKey]]);
  }
  const { query, asked } = scriptedDatabase(() => []);
  await noteFileLog(query, { ...file, name: '/logs/default.ndjson', isImported: true });
  expect(asked.map(({ values }) => values)).toEqual([[file.log, '/logs/default.ndjson', true, file.newestKey]]);
});
