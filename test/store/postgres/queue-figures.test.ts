import { describe, expect, test } from 'vitest';
import { storeError } from '../../../src/store/postgres/failures.ts';
import { depth, oldest, outcomesByMinute } from '../../../src/store/postgres/queue-figures.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

const QUEUE = 'requests-1';
const failing = (code: string) => storeError(Object.assign(new Error('words'), { code }), 'the store');
const isCount = ({ text }: Asked) => /group by|start_after/.test(text);

test.each([
  ['the outcomes of the last minutes', (database: ReturnType<typeof scriptedDatabase>) => outcomesByMinute(database)],
  ['what is ready', (database: ReturnType<typeof scriptedDatabase>) => depth(database, QUEUE)],
])('to count %s keeps the server busy for a part of a second, of which the server itself sees to', async (_, count) => {
  const database = scriptedDatabase(() => []);
  await count(database);
  const limited = database.asked.findIndex(({ text }) => text.startsWith('set local statement_timeout'));
  const limitMs = Number(/= (\d+)$/.exec(database.asked[limited]?.text ?? '')?.[1]);
  expect(limitMs).toBeGreaterThanOrEqual(100);
  expect(limitMs).toBeLessThan(1_000);
  expect(database.asked.slice(limited + 1).map(isCount)).toEqual([true]);
});

describe('The outcomes of the last minutes', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 3, minute));

  test('are told minute by minute, with each status', async () => {
    const rows = [
      { at: at(1), event: 'created', count: '12' },
      { at: at(1), event: 'failed', count: '3' },
      { at: at(4), event: 'unknown', count: '1' },
    ];
    const database = scriptedDatabase((asked) => (isCount(asked) ? rows : []));
    const none = { created: 0, duplicate: 0, rejected: 0, failed: 0, unknown: 0 };
    expect(await outcomesByMinute(database)).toEqual([
      { ...none, at: '2026-11-21T03:01:00.000Z', created: 12, failed: 3 },
      { ...none, at: '2026-11-21T03:04:00.000Z', unknown: 1 },
    ]);
  });

  test('are not told where counting takes too long, and another failure is one', async () => {
    const failed = (code: string) =>
      scriptedDatabase((asked) => {
        if (isCount(asked)) throw failing(code);
        return [];
      });
    expect(await outcomesByMinute(failed('57014'))).toBeNull();
    await expect(outcomesByMinute(failed('42501'))).rejects.toMatchObject({
      message: expect.stringContaining('forbids'),
    });
  });
});

describe('How many a queue holds', () => {
  const of = (counted: () => object[]) =>
    scriptedDatabase((asked) => {
      if (isCount(asked)) return counted();
      return asked.text.includes('queue_totals') ? [{ total: '10', in_work: '4' }] : [];
    });

  test('is told with how many of them may be taken now', async () => {
    const database = of(() => [{ ready: '5', waiting: '1' }]);
    expect(await depth(database, QUEUE)).toEqual({ total: 10, ready: 5, waiting: 1, inWork: 4 });
    expect(database.asked.filter(({ values }) => values?.length).map(({ values }) => values)).toEqual([
      [QUEUE],
      [QUEUE],
    ]);
  });

  test('is told without that where counting takes too long', async () => {
    const slow = of(() => {
      throw failing('57014');
    });
    expect(await depth(slow, QUEUE)).toEqual({ total: 10, ready: null, waiting: null, inWork: 4 });
  });
});

test.each([
  [[{ ms: 1_500.5 }], 1_500.5],
  [[{ ms: -3 }], 0],
  [[], 0],
])('of %j the oldest is so many milliseconds old: %j', async (rows: object[], ms) => {
  const { query } = scriptedDatabase(({ values }) => (values[0] === QUEUE ? rows : []));
  expect(await oldest(query, QUEUE)).toBe(ms);
});
