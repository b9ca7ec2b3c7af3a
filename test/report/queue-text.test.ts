import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { type WorkSummary, workText } from '../../src/report/terminal/queue-text.ts';
import { noCounts } from '../../src/request/status.ts';

const paint = new Chalk({ level: 0 });
const WORK: WorkSummary = { ...noCounts(), again: 0, seconds: 61, store: 'db.example.com', stopped: null, hint: null };

test('the result of a worker names each number that is not zero, those that were put back among them', () => {
  const linesOf = (changes: Partial<WorkSummary>) =>
    workText({ ...WORK, ...changes }, paint)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/).join(' '));
  expect(linesOf({ created: 1_200, unknown: 1, again: 3 })).toEqual([
    'created 1,200',
    'unknown 1',
    'again 3',
    'store db.example.com',
  ]);
  expect(linesOf({})).toEqual(['store db.example.com']);
});
