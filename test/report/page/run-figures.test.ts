import { expect, test } from 'vitest';
import { Course } from '../../../src/report/page/course.ts';
import { generalised, RunFigures } from '../../../src/report/page/run-figures.ts';
import { noCounts } from '../../../src/request/log/status.ts';
import { beginOf, rowOf, second } from './figures.ts';

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
    { status: 'rejected', text: 'HTTP 422: # is no code', advice: expect.stringContaining('results file') },
    { advice: expect.stringContaining('Ask the marketplace') },
  ]);
  expect(figures.listed.map(({ reasons }) => reasons)).toEqual([[0], [0], [0], [1]]);
});

test('an invalid row counts for each of its problems, and the figures do not show what its cells held', () => {
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

test('any number of reasons is gathered in bounded memory, and no row is without one', () => {
  const figures = new RunFigures();
  const word = (at: number) => `${String.fromCharCode(97 + (at % 26))}${'x'.repeat(Math.floor(at / 26))}`;
  for (let at = 0; at < 400; at++) figures.add(rowOf(at, { status: 'failed', message: word(at) }));
  expect(figures.reasons.length).toBeLessThanOrEqual(201);
  expect(figures.listed.every(({ reasons: [reason = -1] }) => figures.reasons[reason] !== undefined)).toBe(true);
});

test('a full list of rows drops what ended well first', () => {
  const figures = new RunFigures();
  for (let row = 1; row <= 20_002; row++) figures.add(rowOf(row));
  figures.add(rowOf(20_003, { status: 'rejected' }));
  figures.add(rowOf(20_004, { status: 'unknown' }));
  const { listed } = figures;
  expect([listed.length, listed[0]?.row, listed[1]?.row, listed.at(-1)?.row]).toEqual([20_000, 20_004, 20_003, 19_998]);
  expect(figures.rows).toBe(20_004);
});

test('the course of a long run is told in few intervals, with the answer times of each', () => {
  const course = new Course();
  for (let at = 0; at < 1000; at++) {
    const slot = course.at(second(at));
    slot.created += 1;
    for (const ms of [10, 20, 1000]) course.answered(slot, ms);
  }
  const { seconds, times, created, medianMs, mostMs } = course.series();
  expect(times.length).toBeLessThanOrEqual(120);
  expect(times.length * seconds).toBeGreaterThanOrEqual(1000);
  expect(created.reduce((sum, count) => sum + count, 0)).toBe(1000);
  expect([new Set(medianMs), new Set(mostMs)]).toEqual([new Set([20]), new Set([1000])]);
});

test('a clock that was set back or far ahead breaks no figures', () => {
  const course = new Course();
  for (const at of [second(10), second(-5), '2046-01-01T00:00:00.000Z']) course.at(at).created += 1;
  const { times, created } = course.series();
  expect(times.length).toBeLessThanOrEqual(120);
  expect(created.reduce((sum, count) => sum + count, 0)).toBe(3);
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
