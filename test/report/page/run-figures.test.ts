import { expect, test } from 'vitest';
import { Course } from '../../../src/report/page/course.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import { noCounts } from '../../../src/request/log/status.ts';
import { beginOf, rowOf, second } from './figures.ts';

const NOTED = { event: 'end', stopped: 'enough', run: 'r', at: second(9) } as const;

test('a full list of rows drops what ended well first', () => {
  const figures = new RunFigures();
  for (let row = 1; row <= 20_002; row++) figures.add(rowOf(row));
  figures.add(rowOf(20_003, { event: 'rejected' }));
  figures.add(rowOf(20_004, { event: 'unknown' }));
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

test('rows that were never sent are counted from the plan', () => {
  const counts = { ...noCounts(), ready: 5, repeated: 2, invalid: 1, unknown: 2 };
  const running = new RunFigures();
  running.note(beginOf(10, { counts }));
  for (const row of [1, 2]) running.add(rowOf(row));
  running.addUntouched();
  expect(running.counts).toMatchObject({ created: 2, ready: 3, repeated: 2, invalid: 1, unknown: 2 });
  const settled = new RunFigures();
  settled.note(beginOf(10, { counts }));
  settled.note(NOTED);
  for (const row of [1, 2, 3, 4, 5, 6]) settled.add(rowOf(row));
  settled.addUntouched();
  expect(settled.counts).toMatchObject({ created: 6, ready: 0, failed: 0, unknown: 1, invalid: 1 });
  const stopped = new RunFigures();
  stopped.note(beginOf(5));
  stopped.note(NOTED);
  stopped.add(rowOf(1));
  stopped.addUntouched();
  expect(stopped.counts).toMatchObject({ created: 1, failed: 4, ready: 0 });
});

test('rows that others created during the run are repeated, not left unsent', () => {
  const figures = new RunFigures();
  figures.note(beginOf(5, { counts: { ...noCounts(), ready: 4, repeated: 1 } }));
  figures.note({ ...NOTED, counts: { ...noCounts(), created: 1, repeated: 3, ready: 1 } });
  figures.add(rowOf(1));
  figures.addUntouched();
  expect(figures.counts).toMatchObject({ created: 1, repeated: 3, failed: 1 });
});
