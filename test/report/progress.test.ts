import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { linesProgress } from '../../src/report/terminal/progress.ts';

/** Runs so many rows at so many a second, on a clock that is turned by hand, and gives the lines that were written. */
function linesOf(rows: number, perSecond: number): string[] {
  let nowMs = 0;
  const stream = new PassThrough();
  const progress = linesProgress('Sending', stream, () => nowMs);
  for (let done = 1; done <= rows; done++) {
    nowMs += 1000 / perSecond;
    progress.update({ done, total: rows, counts: { created: done } });
  }
  progress.end();
  return String(stream.read() ?? '')
    .split('\n')
    .filter((line) => line !== '');
}

describe('progress where nothing can be redrawn', () => {
  test('says nothing about ten quick rows', () => {
    expect(linesOf(10, 10)).toEqual([]);
  });

  test('is a line ever more rarely: a day of ten million rows is some hundred lines', () => {
    const lines = linesOf(10_000_000, 115);
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.length).toBeLessThan(310);
    expect(lines[0]).toMatch(/^Sending 57\d\/10,000,000 \(0 %\) · 115\/s · 24 h \d+ min left · 57\d created$/);
  });

  test('waits 5, 10, 20 … seconds between two lines', () => {
    const seconds = linesOf(400, 1).map((line) => Number(/^Sending (\d+)/.exec(line)?.[1]));
    expect(seconds).toEqual([5, 15, 35, 75, 155, 315]);
  });
});
