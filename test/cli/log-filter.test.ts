import { afterEach, expect, test, vi } from 'vitest';
import type { LogRecord } from '../../src/request/ports.ts';
import { logFilter } from '../../src/run/log-filter.ts';

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
    '2026-11',
    '21.11.2026',
    '',
    ...OF_THE_ENGINE,
  ])
    expect(() => isSince(wrong), wrong).toThrow('is not a time');
  expect(isSince('2026-02-28') && isSince('2024-02-29')).toBe(true);
});
