import { describe, expect, test } from 'vitest';
import { rateAxis, timeSpanAxis, timeTicks } from '../../../src/report/page/axes.ts';
import { type EncodedRow, matching, NO_FILTER, rowsAsCsv, rowsOf } from '../../../src/report/page/row-list.ts';
import { RowList, RunFigures } from '../../../src/report/page/run-figures.ts';
import { quantileMs, sumOf, TimeBuckets } from '../../../src/report/page/time-buckets.ts';
import { localTime, timeText, zoneText } from '../../../src/report/page/time-forms.ts';
import { STATUSES } from '../../../src/request/status.ts';
import { beginOf, recordOf, rowOf, second } from './figures.ts';

const labels = ({ ticks }: { readonly ticks: readonly { readonly label: string }[] }) =>
  ticks.map(({ label }) => label);

test.each([
  [1, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
  [3, ['0', '1', '2', '3']],
  [3.01, ['0', '1', '2', '3', '4']],
  [5, ['0', '1', '2', '3', '4', '5']],
  [5.1, ['0', '2', '4', '6']],
  [10, ['0', '2', '4', '6', '8', '10']],
  [10.1, ['0', '5', '10', '15']],
  [25, ['0', '5', '10', '15', '20', '25']],
  [25.1, ['0', '10', '20', '30']],
  [4_000, ['0', '1,000', '2,000', '3,000', '4,000']],
])('a linear axis to %d has the round marks %j', (peak, marks) => {
  const axis = rateAxis(peak);
  expect(labels(axis)).toEqual(marks.map((mark) => `${mark}/s`));
  expect(axis.shareOf(0)).toBe(0);
  expect(axis.ticks.map(({ share }) => share)).toEqual(marks.map((_, at) => at / (marks.length - 1)));
});

test.each<[number, number, string[]]>([
  [10, 10, ['10 ms', '20 ms']],
  [1, 10, ['1 ms', '2 ms', '5 ms', '10 ms']],
  [4, 10, ['2 ms', '5 ms', '10 ms']],
  [5, 10, ['5 ms', '10 ms']],
  [9, 11, ['5 ms', '10 ms', '20 ms']],
  [0.5, 3, ['0.5 ms', '1 ms', '2 ms', '5 ms']],
  [20, 1_000, ['20 ms', '50 ms', '100 ms', '200 ms', '500 ms', '1 s']],
  // More than six are too many to be labelled: those are the first and the powers of ten.
  [20, 2_000, ['20 ms', '100 ms', '1 s']],
  [20, 1_000_000, ['20 ms', '100 ms', '1 s', '10 s', '100 s', '1,000 s']],
])('a logarithmic axis from %d to %d ms has the marks %j', (low, peak, marks) => {
  const { ticks, shareOf } = timeSpanAxis(low, peak);
  expect(labels({ ticks })).toEqual(marks);
  expect(ticks[0]?.share).toBe(0);
  expect(shareOf(low / 1_000)).toBe(0);
  expect(shareOf(peak)).toBeLessThanOrEqual(1 + 1e-9);
});

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

// A span that has room for just so many marks, and one that is a little longer.
test.each<[number, number, string]>([
  [4 * SECOND, SECOND, 'second'],
  [4 * SECOND + 1, 2 * SECOND, 'second'],
  [8 * SECOND, 2 * SECOND, 'second'],
  [8 * SECOND + 1, 5 * SECOND, 'second'],
  [20 * SECOND + 1, 10 * SECOND, 'second'],
  [40 * SECOND + 1, 15 * SECOND, 'second'],
  [MINUTE + 1, 30 * SECOND, 'second'],
  [2 * MINUTE + 1, MINUTE, 'minute'],
  [4 * MINUTE + 1, 2 * MINUTE, 'minute'],
  [8 * MINUTE + 1, 5 * MINUTE, 'minute'],
  [20 * MINUTE + 1, 10 * MINUTE, 'minute'],
  [40 * MINUTE + 1, 15 * MINUTE, 'minute'],
  [HOUR + 1, 30 * MINUTE, 'minute'],
  [2 * HOUR + 1, HOUR, 'minute'],
  [4 * HOUR + 1, 2 * HOUR, 'minute'],
  [8 * HOUR + 1, 3 * HOUR, 'minute'],
  [12 * HOUR + 1, 6 * HOUR, 'minute'],
  [DAY - 1, 6 * HOUR, 'minute'],
  // A date is longer than a time of day, so that fewer have room.
  [DAY, 12 * HOUR, 'day'],
  [36 * HOUR, 12 * HOUR, 'day'],
  [36 * HOUR + 1, DAY, 'day'],
  [3 * DAY + 1, 2 * DAY, 'day'],
  [6 * DAY + 1, 4 * DAY, 'day'],
  [12 * DAY + 1, 7 * DAY, 'day'],
  [21 * DAY + 1, 14 * DAY, 'day'],
  [42 * DAY + 1, 28 * DAY, 'day'],
  [84 * DAY + 1, 84 * DAY + 1, 'day'],
])('a span of %d ms has a mark every %d ms, as %s', (spanMs, stepMs, form) => {
  const ticks = timeTicks(0, spanMs);
  const places = Array.from({ length: Math.floor(spanMs / stepMs) + 1 }, (_, at) => at * stepMs);
  expect(ticks.map(({ at }) => Date.parse(at))).toEqual(places);
  expect(new Set(ticks.map((tick) => tick.form))).toEqual(new Set([form]));
  // Marks stand at round times, also where the run does not begin at one.
  expect(timeTicks(stepMs - 1, stepMs - 1 + spanMs)[0]?.at).toBe(new Date(stepMs).toISOString());
});

test('a time has four forms, and is told on the clock of its reader with UTC beside it', () => {
  const at = '2026-11-21T18:04:05.250Z';
  const forms = ['full', 'day', 'minute', 'second'] as const;
  expect(forms.map((form) => timeText(at, form))).toEqual(['2026-11-21 18:04:05', '11-21 18:04', '18:04', '18:04:05']);
  expect(localTime(at, 'minute', 90)).toEqual({ local: '19:34', utc: '18:04' });
  expect(localTime('2026-11-21T22:30:00Z', 'full', 89)).toEqual({ local: '2026-11-21 23:59:00', utc: '22:30:00' });
  expect(localTime('2026-11-21T22:30:00Z', 'full', 90)).toMatchObject({ utc: '2026-11-21 22:30:00' });
  expect([1, 59, 60, 61, -1, -60, 845].map(zoneText)).toEqual([
    'UTC+0:01',
    'UTC+0:59',
    'UTC+1',
    'UTC+1:01',
    'UTC−0:01',
    'UTC−1',
    'UTC+14:05',
  ]);
});

describe('the stretches of a run', () => {
  const lengthOf = (seconds: number) => {
    const course = new TimeBuckets();
    for (const at of [0, seconds]) course.seen(second(at));
    return [course.buckets.length, course.widthMs];
  };

  test.each([
    [0, 1, 1_000],
    [0.999, 1, 1_000],
    [1, 2, 1_000],
    [119.999, 120, 1_000],
    [120, 61, 2_000],
    [239.999, 120, 2_000],
    [240, 61, 4_000],
  ])('of %d seconds are %d of %d ms', (seconds, count, widthMs) => {
    expect(lengthOf(seconds)).toEqual([count, widthMs]);
  });

  test('that are joined keep all that was counted, each in its place', () => {
    const course = new TimeBuckets();
    for (const at of [0, 1, 2, 3]) {
      course.ended(recordOf(second(at), { event: 'failed' }));
      course.refused(second(at), 2, 1_000);
      course.broke(second(at), 0);
    }
    course.seen(second(130));
    expect(
      course.buckets
        .slice(0, 3)
        .map(({ ended, refused, breaks, pausedMs }) => [ended.failed, refused, breaks, pausedMs]),
    ).toEqual([
      [2, 4, 2, 2_000],
      [2, 4, 2, 2_000],
      [0, 0, 0, 0],
    ]);
    expect(course.buckets[0]?.times.reduce((sum, count) => sum + count)).toBe(2);
    expect(course.startMs).toBe(Date.parse(second(0)));
    expect(new TimeBuckets().startMs).toBe(0);
  });

  test('count what ended, and nothing that only began', () => {
    const course = new TimeBuckets();
    for (const event of ['sending', 'licence', 'created', 'duplicate', 'rejected', 'failed', 'unknown'] as const)
      course.ended(recordOf(second(0), { event }));
    expect(sumOf(course.buckets).ended).toEqual({ created: 1, duplicate: 1, rejected: 1, failed: 1, unknown: 1 });
    const begun = new TimeBuckets();
    for (const event of ['sending', 'licence'] as const) begun.ended(recordOf(second(0), { event }));
    expect(begun.buckets).toEqual([]);
  });

  test('have a pause where it was, the longest where several are told, and never more than there is room', () => {
    const course = new TimeBuckets();
    course.seen(second(0));
    course.refused(second(1.5), 1, 2_000);
    course.refused(second(1.75), 1, 1_500);
    course.broke(second(3), 250);
    expect(course.buckets.map(({ pausedMs }) => pausedMs)).toEqual([0, 500, 1_000, 500]);
  });
});

test('answer times are told within three of a hundred, from none to an hour', () => {
  const of = (...times: number[]) => {
    const course = new TimeBuckets();
    for (const ms of times) course.ended(recordOf(second(0), { ms }));
    return sumOf(course.buckets);
  };
  for (const ms of [0, 1, 3, 15, 63, 250, 1_000, 30_000, 600_000])
    expect(Math.abs((quantileMs(of(ms), 0.5) ?? -1) - ms)).toBeLessThanOrEqual((ms + 1) * 0.03);
  // Beyond the last step all are alike: about 35 minutes.
  expect(quantileMs(of(1e9), 0.5)).toBe(quantileMs(of(2e6), 0.5));
  expect(quantileMs(of(1e9), 0.5)).toBeGreaterThan(1.9e6);
  expect(quantileMs(of(), 0.5)).toBeNull();
  const twenty = [...Array(19).fill(1), 1_023];
  expect(quantileMs(of(...twenty), 0.95)).toBeCloseTo(1);
  expect(quantileMs(of(...twenty), 0.96)).toBeCloseTo(1_023);
  expect(quantileMs(of(1, 1_023), 0.5)).toBeCloseTo(1);
});

describe('the list of a page', () => {
  const encoded = (row: number, changes: Partial<Record<number, EncodedRow[number]>> = {}): EncodedRow => {
    const usual: EncodedRow = [row, `R-${row}`, 0, 'PT', [], '', [], null, null, null, null];
    return usual.map((value, at) => (at in changes ? changes[at] : value)) as unknown as EncodedRow;
  };
  const statuses = [
    ['created', 'taken'],
    ['rejected', 'refused'],
  ] as const;
  const listOf = (...rows: EncodedRow[]) => rowsOf({ file: '', statuses, columns: null, rows });
  const found = (rows: readonly EncodedRow[], filter: object) =>
    matching(listOf(...rows), { ...NO_FILTER, ...filter }).map(({ row }) => row);

  test.each<[string, Partial<Record<number, EncodedRow[number]>>]>([
    ['7', {}],
    ['r-7', {}],
    ['98765', { 4: [['id', '98765']] }],
    ['refused by', { 5: 'Refused by the service' }],
    ['abcdef', { 7: 'ABCDEF' }],
    ['lisboa', { 10: ['Ana', 'Lisboa'] }],
  ])('is searched for "%s" in all texts of a row', (text, changes) => {
    expect(found([encoded(7, changes), encoded(8)], { text })).toEqual([7]);
  });

  test.each<[string, number, readonly [EncodedRow[number], EncodedRow[number]]]>([
    ['ref', 1, ['L-9', 'L-10']],
    ['market', 3, ['DE', 'PT']],
    ['identifiers', 4, [[['id', '5']], [['id', '40']]]],
    ['message', 5, ['a', 'b']],
    ['label', 2, [1, 0]],
  ])('is put in the order of %s, both ways, with equal ones by their rows', (order, at, [low, high]) => {
    const rows = [encoded(1, { [at]: high }), encoded(2, { [at]: low }), encoded(3, { [at]: low })];
    expect(found(rows, { order })).toEqual([2, 3, 1]);
    expect(found(rows, { order: `-${order}` })).toEqual([1, 3, 2]);
  });

  test('as CSV has each fact under its name', () => {
    const row = encoded(3, {
      ...{
        2: 1,
        4: [
          ['a', '1'],
          ['b', '2'],
        ],
        5: 'No.',
        7: 'k',
        8: '2026-11-21T10:00:00Z',
        9: 422,
        10: ['Ana'],
      },
    });
    expect(rowsAsCsv(listOf(row), ['Name'], ';')).toBe(
      'row;ref;market;status;ids;http;message;key;at;Name\r\n3;R-3;PT;rejected;a=1 b=2;422;No.;k;2026-11-21T10:00:00Z;Ana\r\n',
    );
    expect(rowsAsCsv(listOf(encoded(3)), null, ',')).toBe(
      'row,ref,market,status,ids,http,message,key,at\r\n3,R-3,PT,created,,,,,\r\n',
    );
  });
});

describe('what is gathered of a run', () => {
  test('drops what needs nobody first: of each rank its oldest', () => {
    const list = new RowList(3);
    // From what is dropped first to what is dropped last.
    const ranks = ['created', 'ready', 'failed', 'unknown'] as const;
    for (const [at, status] of ranks.entries()) list.add({ ...rowOf(at + 1, { status }), reasons: [] });
    expect(list.rows().map(({ row }) => row)).toEqual([2, 3, 4]);
    list.add({ ...rowOf(5, { status: 'rejected' }), reasons: [] });
    expect(list.rows().map(({ row }) => row)).toEqual([3, 4, 5]);
    list.add({ ...rowOf(6, { status: 'unknown' }), reasons: [] });
    expect(list.rows().map(({ row }) => row)).toEqual([4, 5, 6]);
    list.add({ ...rowOf(7, { status: 'duplicate' }), reasons: [] });
    expect(list.rows().map(({ row }) => row)).toEqual([4, 5, 6]);
  });

  test('keeps the newest of any number of rows', () => {
    const list = new RowList(100);
    for (let row = 1; row <= 10_000; row++) {
      list.add({ ...rowOf(row), reasons: [] });
      if (row % 37 === 0)
        expect(list.rows().map((each) => each.row)).toEqual(
          Array.from({ length: Math.min(row, 100) }, (_, at) => Math.max(1, row - 99) + at),
        );
    }
  });

  test('counts reasons by their codes, and up to 200 by their words', () => {
    const figures = new RunFigures(null);
    for (let at = 1; at <= 202; at++)
      figures.add(rowOf(at, { status: 'failed', message: 'x'.repeat(at), reason: 'request.not-taken' }));
    expect(Object.values(figures.rowsByReason)).toEqual([202]);
    expect(figures.reasons).toHaveLength(201);
    expect(figures.reasons.at(-1)).toMatchObject({ text: 'Other reasons', count: 2, rows: [201, 202] });
    figures.add(rowOf(203, { status: 'failed', message: 'x' }));
    expect(figures.reasons[0]).toMatchObject({ count: 2, rows: [1, 203] });
  });

  test('has no reason for what was taken, and one for what has none recorded', () => {
    const figures = new RunFigures(null);
    for (const [at, status] of STATUSES.entries()) figures.add(rowOf(at + 1, { status, message: null }));
    expect(figures.reasons.map(({ status, text }) => [status, text])).toEqual(
      ['invalid', 'rejected', 'failed', 'unknown'].map((status) => [status, 'No reason was recorded.']),
    );
    expect(figures.gathered).toBe(STATUSES.length);
  });

  test('counts a row with two problems of one kind once among its rows', () => {
    const problem = {
      ...({ code: 'text.too-long', severity: 'error', field: 'notes', message: 'It is long.' } as const),
      ...{ column: 'A', value: null },
    };
    const figures = new RunFigures(null);
    figures.add(rowOf(1, { status: 'invalid', message: 'A: It is long.', problems: [problem, problem] }));
    expect(figures.reasons).toMatchObject([{ text: 'A: It is long.', count: 2, rows: [1] }]);
  });

  test('notes when the run was at work, and its pauses by what caused them', () => {
    const figures = new RunFigures(null);
    figures.note(beginOf(1));
    figures.note({ event: 'refused', http: 429, count: 3, pauseMs: 1_000, run: 'r', at: second(1) });
    figures.note({ event: 'breaker', pauseMs: 500, run: 'r', at: second(3) });
    figures.note({ event: 'end', stopped: null, run: 'r', at: second(5) });
    const told = figures.course.buckets.map(({ refused, breaks, pausedMs }) => [refused, breaks, pausedMs]);
    expect(told).toEqual([
      [0, 0, 0],
      [3, 0, 1_000],
      [0, 0, 0],
      [0, 1, 500],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect([figures.begin?.run, figures.end?.at]).toEqual(['r', second(5)]);
  });
});
