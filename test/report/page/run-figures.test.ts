import { expect, test } from 'vitest';
import { generalised, RowList, RunFigures } from '../../../src/report/page/run-figures.ts';
import { sumOf, TimeBuckets } from '../../../src/report/page/time-buckets.ts';
import { noCounts } from '../../../src/request/log/status.ts';
import { beginOf, recordOf, rowOf, second } from './figures.ts';

test.each([
  ['HTTP 422: row 17 is 3.5 km off', 'HTTP 422: row # is # km off'],
  ['"Ana" is not one of \'x\' or “y”', '“…” is not one of “…” or “…”'],
  ["The e-mail address doesn't end, and isn't one", "The e-mail address doesn't end, and isn't one"],
  ['ana@example.com was seen on 2026-11-21', '… was seen on #'],
  ['"a"Ana Silva"b" is not one of the markets', '“…” is not one of the markets'],
  ['trace 0f8fad5b-d9cb-469f-a165-70867728950e', 'trace #'],
])('the reason "%s" is grouped as "%s"', (message, reason) => {
  expect(generalised(message)).toBe(reason);
});

test('rows refused for one reason are one group with its rows, number and advice', () => {
  const figures = new RunFigures();
  for (const row of [4, 9, 12]) figures.add(rowOf(row, { status: 'rejected', message: `HTTP 422: ${row} is no code` }));
  figures.add(rowOf(13, { status: 'rejected', http: 403, message: 'HTTP 403: no' }));
  expect(figures.reasons).toMatchObject([
    { status: 'rejected', text: 'HTTP 422: # is no code', count: 3, rows: [4, 9, 12] },
    { count: 1, rows: [13], advice: expect.stringContaining('Ask the marketplace') },
  ]);
  expect(figures.reasons[0]?.advice).toContain('results file');
});

test('an invalid row counts for each of its problems, and what its cells held is not shown', () => {
  const problem = (field: string) =>
    ({
      code: 'country.unknown',
      severity: 'error',
      field,
      column: null,
      message: `"Ana" is no ${field}`,
      value: 'Ana',
    }) as const;
  const figures = new RunFigures();
  const problems = [problem('phone'), problem('country')];
  figures.add(rowOf(1, { status: 'invalid', message: '"Ana" is no phone', problems }));
  expect(figures.reasons.map(({ text }) => text)).toEqual(['“…” is no phone', '“…” is no country']);
  expect(figures.reasons[1]?.advice).toContain('--set country=');
  expect(figures.listed).toMatchObject([{ message: '“…” is no phone', reasons: [0, 1] }]);
});

test('endless reasons and markets are gathered in bounded memory, and none is lost from the count', () => {
  const figures = new RunFigures();
  const word = (at: number) => `${String.fromCharCode(97 + (at % 26))}${'x'.repeat(Math.floor(at / 26))}`;
  for (let at = 0; at < 400; at++) figures.add(rowOf(at, { status: 'failed', market: word(at), message: word(at) }));
  expect(figures.reasons.length).toBeLessThanOrEqual(201);
  expect(figures.reasons.reduce((sum, { count }) => sum + count, 0)).toBe(400);
  expect(figures.markets.size).toBeLessThanOrEqual(51);
  expect([...figures.markets.values()].reduce((sum, { failed }) => sum + failed, 0)).toBe(400);
});

test('a full list drops what ended well first, and the oldest of it', () => {
  const list = new RowList(4);
  for (let row = 1; row <= 6; row++) list.add({ ...rowOf(row), reasons: [] });
  expect(list.rows().map(({ row }) => row)).toEqual([3, 4, 5, 6]);
  for (const row of [7, 8, 9]) list.add({ ...rowOf(row, { status: 'rejected' }), reasons: [] });
  expect(list.rows().map(({ row }) => row)).toEqual([6, 7, 8, 9]);
  list.add({ ...rowOf(2, { status: 'unknown' }), reasons: [] });
  for (const row of [10, 11]) list.add({ ...rowOf(row, { status: 'invalid' }), reasons: [] });
  list.add({ ...rowOf(12), reasons: [] });
  expect(list.rows().map(({ row }) => row)).toEqual([2, 9, 10, 11]);
});

test('a clock that was set back or far ahead breaks nothing', () => {
  const course = new TimeBuckets();
  for (const at of [second(10), second(-5), '2046-01-01T00:00:00.000Z']) course.ended(recordOf(at));
  expect(course.buckets.length).toBeLessThanOrEqual(120);
  expect(sumOf(course.buckets).ended.created).toBe(3);
});

test('where only the log is read, rows that were never sent are counted from the plan', () => {
  const counts = { ...noCounts(), ready: 5, repeated: 2, invalid: 1, unknown: 2 };
  const running = new RunFigures();
  running.note(beginOf(10, { counts }));
  for (const row of [1, 2]) running.add(rowOf(row));
  running.addUntouched();
  expect(running.counts).toMatchObject({ created: 2, ready: 3, repeated: 2, invalid: 1, unknown: 2 });
  const settled = new RunFigures();
  settled.note(beginOf(10, { counts }));
  settled.note({ event: 'end', stopped: 'enough', run: 'r', at: second(9) });
  for (const row of [1, 2, 3, 4, 5, 6]) settled.add(rowOf(row));
  settled.addUntouched();
  expect(settled.counts).toMatchObject({ created: 6, ready: 0, failed: 0, unknown: 1, invalid: 1 });
  const stopped = new RunFigures();
  stopped.note(beginOf(5));
  stopped.note({ event: 'end', stopped: 'enough', run: 'r', at: second(9) });
  stopped.add(rowOf(1));
  stopped.addUntouched();
  expect(stopped.counts).toMatchObject({ created: 1, failed: 4, ready: 0 });
});
