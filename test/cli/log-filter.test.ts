import { afterEach, expect, test, vi } from 'vitest';
import { type LogFilterOptions, logFilter, requestFilter } from '../../src/commands/log/log-filter.ts';
import type { LogRecord } from '../../src/request/ports.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const RECORD: LogRecord = {
  ...{ key: 'k', row: 1, ref: null, event: 'created', at: '2026-11-21T07:08:55.000Z', run: 'r', ids: {} },
  ...{ http: 201, ms: 1, message: null, raw: null, by: null, again: false },
};

/** Texts that JavaScript takes for times in the zone of the machine. */
const OF_THE_ENGINE = [
  '2026-11-21 7:08',
  '2026-11-21 07:08 pm',
  '2026-11-21 ,07:08',
  '2026-11-21T07:08:55 +02',
  '2026-11-21 EST',
];

afterEach(() => void vi.unstubAllEnvs());

test.each(['America/New_York', 'Asia/Tokyo', 'UTC'])('a time without a zone is in UTC on a machine in %s', (zone) => {
  vi.stubEnv('TZ', zone);
  const isSince = (since: string) => logFilter({ since }, NOW_MS)(RECORD);
  for (const at of [
    '2026-11-21T07:08:55',
    '2026-11-21 07:08',
    '2026-11-21T07:08:55.000',
    '2026-11-21T09:08:55+02:00',
    '2026-11-21T09:08:55+0200',
    '2026-11-21T02:08:55-0500',
    ' 2026-11-21 07:08 ',
    '2026-11-21t07:08z',
  ])
    expect(isSince(at), at).toBe(true);
  for (const after of ['2026-11-21T07:08:56', '2026-11-21 07:09', '2026-11-21T07:09Z', '2026-11-22'])
    expect(isSince(after), after).toBe(false);
  for (const wrong of [
    '2026-02-30',
    '2026-02-31T10:00',
    '2026-13-01',
    '2026-11-00',
    '21.11.2026',
    '',
    ...OF_THE_ENGINE,
  ])
    expect(() => isSince(wrong), wrong).toThrow('is not a time');
  expect(isSince('2026-02-28') && isSince('2026-11') && isSince('2024-02-29')).toBe(true);
  expect(logFilter({ until: '2026-11-21T07:08:55' }, NOW_MS)(RECORD)).toBe(false);
  for (const until of ['2026-11-21', '2026-11-21 ', ' 2h'])
    expect(logFilter({ until }, NOW_MS)(RECORD), until).toBe(true);
});

const HOUR_MS = 3_600_000;
const recordAt = (atMs: number): LogRecord => ({ ...RECORD, at: new Date(atMs).toISOString() });

test.each([
  ['1m', 60_000],
  ['90m', 90 * 60_000],
  ['24h', 24 * HOUR_MS],
  ['7d', 7 * 24 * HOUR_MS],
  ['0d', 0],
])('since %s is so long ago, to the millisecond, and until it is before that', (text, agoMs) => {
  const at = NOW_MS - agoMs;
  const [since, until] = [logFilter({ since: text }, NOW_MS), logFilter({ until: text }, NOW_MS)];
  expect([at - 1, at, at + 1].map((atMs) => since(recordAt(atMs)))).toEqual([false, true, true]);
  expect([at - 1, at, at + 1].map((atMs) => until(recordAt(atMs)))).toEqual([true, false, false]);
});

test.each([
  ['2026-11-20', '2026-11-20T00:00Z', '2026-11-21T00:00Z'],
  ['2026-11', '2026-11-01T00:00Z', '2026-11-01T00:00Z'],
  ['2026-11-20 10:00', '2026-11-20T10:00Z', '2026-11-20T10:00Z'],
  ['2026-11-20T10:00:00.5', '2026-11-20T10:00:00.500Z', '2026-11-20T10:00:00.500Z'],
  ['2026-11-20T10:00+01:30', '2026-11-20T08:30Z', '2026-11-20T08:30Z'],
])('a range begins with %s at %s, and ends with it before %s: a day is whole, all else a moment', (text, from, to) => {
  const [since, until] = [logFilter({ since: text }, NOW_MS), logFilter({ until: text }, NOW_MS)];
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  expect([since(recordAt(fromMs - 1)), since(recordAt(fromMs))]).toEqual([false, true]);
  expect([until(recordAt(toMs - 1)), until(recordAt(toMs))]).toEqual([true, false]);
});

test.each(['5s', '5', 'h', '1.5h', '-1h', '24H', '1w', '2026', '2026-11-20T25:00', '2026-11-31', '2026-00', 'x 24h'])(
  '"%s" is no time',
  (text) => {
    for (const flags of [{ since: text }, { until: text }])
      expect(() => logFilter(flags, NOW_MS)).toThrow(
        expect.objectContaining({ reason: 'arguments.invalid', message: `"${text}" is not a time.` }),
      );
  },
);

test('a run selects the requests that it sent or settled, whichever run has their last record', async () => {
  const record = (key: string, run: string): LogRecord => ({ ...RECORD, key: key.repeat(32), run });
  const all = [record('a', 'first'), record('a', 'second'), record('b', 'second'), record('c', 'third')];
  const store = {
    notes: async function* () {},
    records: async function* () {
      yield* all.map((each) => ({ record: each }));
    },
  } as never;
  const selected = async (flags: LogFilterOptions) => {
    const isWanted = await requestFilter(store, flags, NOW_MS, 'srq log');
    return all.map(isWanted);
  };
  expect(await selected({ run: 'first' })).toEqual([true, true, false, false]);
  expect(await selected({ run: 'sec' })).toEqual([true, true, true, false]);
  expect(await selected({ run: 'sec', status: 'rejected' })).toEqual([false, false, false, false]);
  expect(await selected({})).toEqual([true, true, true, true]);
  await expect(selected({ run: 'x' })).rejects.toMatchObject({ hint: 'All that is in the log: srq log' });
});
