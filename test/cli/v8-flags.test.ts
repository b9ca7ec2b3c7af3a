import { beforeEach, expect, test, vi } from 'vitest';
import { keepHeapSmall, keepParserPlain, optimizeForRows } from '../../src/cli/v8-flags.ts';

const set: string[] = [];
vi.mock('node:v8', () => ({ setFlagsFromString: (flag: string) => void set.push(flag) }));
beforeEach(() => {
  set.length = 0;
});

test.each([
  [1, 1],
  [2_000, 1],
  [2_001, 0],
  [20_000, 0],
])('an import of %i rows, for which later optimising pays or not, sets %i flags', (rows, count) => {
  optimizeForRows(rows);
  expect(set).toHaveLength(count);
});

test('a long import keeps its heap small, and a command with few answers its parser plain', () => {
  keepHeapSmall();
  keepParserPlain();
  expect(set).toEqual([
    expect.stringMatching(/^--heap-growing-percent=\d+$/),
    expect.stringMatching(/^--wasm-tiering-budget=/),
  ]);
});
