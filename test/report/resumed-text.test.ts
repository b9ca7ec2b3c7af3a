import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { resumedText } from '../../src/report/terminal/resumed-text.ts';

const textOf = (missing: readonly string[], doubtful: number) =>
  resumedText({ store: 'db.example', missing, doubtful }, new Chalk({ level: 0 }));
const WORKER = 'srq work, process 12 on host-b, since 2026-11-21T03:39:00.000Z';
const IMPORT = 'srq bulk, process 7 on host-c, since 2026-11-21T03:39:00.000Z';

test('who resumes a store hears what is unknown now', () => {
  const text = textOf([WORKER], 3);
  expect(text.split('\n').slice(0, 3)).toEqual([
    '✓ Sending through the store db.example goes on without:',
    `  ${WORKER}`,
    'Unknown now: 3 rows of the queue that they may have sent; srq resolve lists them.',
  ]);
  expect(text).not.toContain('Not marked');
});

test('who resumes a store hears which processes took nothing from the queue, so that nothing of theirs is marked', () => {
  expect(textOf([WORKER, IMPORT], 0)).toContain(`\nWhat these sent last is not listed as unknown: ${IMPORT}.\n`);
  expect(textOf([], 0)).toBe('✓ Sending through the store db.example goes on.');
});
