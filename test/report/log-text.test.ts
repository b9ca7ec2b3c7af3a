import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../../src/report/output.ts';
import { doubtText, logHeading, logLine, totalsText } from '../../src/report/terminal/log-text.ts';
import type { LogEntry } from '../../src/request/log-store.ts';
import type { LogRecord } from '../../src/request/ports.ts';

const paint = new Chalk({ level: 0 });
const ENTRY: LogEntry = {
  key: '0123456789abcdef0123456789abcdef',
  status: 'created',
  reason: null,
  at: '2026-11-21T10:20:30.123Z',
  run: 'r',
  row: 12,
  ref: '東京-2026-000000000000000000001',
  ids: { request_id: '12345678901234567890' },
  http: 201,
  ms: 5,
  message: null,
  raw: null,
  by: null,
  again: false,
};
const REFUSED: LogEntry = {
  ...ENTRY,
  status: 'rejected',
  ids: {},
  message: 'Phone\u001b[31m is no number. '.repeat(9),
};

describe('a line of the log', () => {
  test.each([40, 60, 72, 80, 96, 120, 200])('fits a terminal of %i columns, as its heading does', (columns) => {
    for (const entry of [ENTRY, REFUSED])
      expect(textWidth(logLine(entry, columns, paint))).toBeLessThanOrEqual(columns);
    expect(textWidth(logHeading(columns, paint))).toBeLessThanOrEqual(columns);
    expect(logLine(ENTRY, columns, paint)).toContain('created');
  });

  test('says more where there is more room', () => {
    expect(logLine(ENTRY, 60, paint)).toBe('11-21 10:20  created    request_id=12345678901234567890');
    expect(logLine(ENTRY, 80, paint)).toBe(
      '2026-11-21 10:20  created    東京-2026-000…  request_id=12345678901234567890',
    );
    expect(logLine(ENTRY, 120, paint)).toBe(
      '2026-11-21T10:20:30  created         12  東京-2026-000000000…  request_id=12345678901234567890',
    );
  });

  test('is never cut where nobody looks at it', () => {
    expect(logLine(REFUSED, null, paint).length).toBeGreaterThan(300);
  });

  test('shows what the service said without its power over the terminal', () => {
    expect(logLine(REFUSED, null, paint)).not.toContain('\u001b');
  });
});

describe('requests in doubt', () => {
  const doubt: LogRecord = { ...ENTRY, event: 'sending', ids: {}, ref: 'L-5' };

  test.each([
    [5_000, '5 s'],
    [125_000, '2 min'],
    [3 * 3_600_000, '3 h'],
    [47 * 3_600_000, '47 h'],
    [3 * 86_400_000, '3 d'],
    [-5_000, '0 s'],
  ])('%i ms old: %s', (ageMs, shown) => {
    const text = doubtText([doubt], Date.parse(doubt.at) + ageMs, null, paint);
    expect(text).toBe(`0123456789ab  ${shown}  12  L-5  The process ended before an answer was recorded.`);
  });

  test('have headings on a terminal and fit it', () => {
    const lines = doubtText([doubt, { ...doubt, message: 'x'.repeat(200) }], Date.parse(doubt.at), 60, paint).split(
      '\n',
    );
    expect(lines[0]).toMatch(/^key +age +row +reference +what is known$/);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(60);
    expect(lines[2]).toMatch(/^0123456789ab .*x…$/);
  });
});

test('totals have a column for each status that occurs', () => {
  const none = { created: 0, duplicate: 0, rejected: 0, failed: 0, unknown: 0 };
  const totals = [
    { day: '2026-11-20', counts: { ...none, created: 1234 } },
    { day: '2026-11-21', counts: { ...none, rejected: 2 } },
  ];
  expect(totalsText(totals, null, paint)).toBe('2026-11-20  1,234 created  -\n2026-11-21  -              2 rejected');
});
