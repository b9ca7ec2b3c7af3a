import { describe, expect, test } from 'vitest';
import type { RecordedNote } from '../../../src/request/log/log-store.ts';
import type { LogRecord } from '../../../src/request/ports.ts';
import { type KnownRequest, takeOver, takeOverNotes } from '../../../src/store/postgres/moving.ts';
import { keyOf } from '../../doors/log.ts';
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
      ...{ ref: 'x\0y', message: 'a\0b', raw: 'c\0d', ids: { request_id: '1' }, http: 201, ms: 87, again: true },
      ...{ market: 'PT', wireForm: 'its form' },
    };
    const { rows, learned } = await taken([requestOf(1, whole), requestOf(2, { by: 'person', ms: 0.4 })]);
    expect(learned).toBe(7);
    expect(rows[0]).toMatchObject({
      ...{ key: keyOf(1), state: 'unknown', event: 'unknown', at: AT, run: 'one', ids: '{"request_id":"1"}' },
      details: {
        ...{
          row: 1,
          market: 'PT',
          again: true,
          ref: 'x\uFFFDy',
          message: 'a\uFFFDb',
          raw: 'c\uFFFDd',
          http: 201,
          ms: 87,
        },
        by: 'form its form',
      },
    });
    expect(rows[1]).toMatchObject({ ids: null, details: { row: 2, ref: null, by: 'person', ms: 0.4 } });
    expect((await taken([requestOf(1)])).rows[0]).toMatchObject({ details: { row: 1, ref: null } });
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
