import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from './desk.ts';
import { HAS_TERMINAL, Terminal } from './terminal.ts';

describe.skipIf(!HAS_TERMINAL)('a test that reads a terminal late', () => {
  // This is more than a terminal delivers at once, so that something is left when the program has ended.
  const record = (at: number) => ({
    key: String(at).padStart(32, '0'),
    event: 'created',
    at: '2026-03-01T09:15:00.000Z',
  });
  const LOG = Array.from({ length: 200 }, (_, at) => `${JSON.stringify(record(at))}\n`).join('');

  test.for([190, 500])('a test that reads a terminal late loses nothing (%i ms late)', async (lateMs, { desk }) => {
    mkdirSync(desk.state, { mode: 0o700 });
    writeFileSync(join(desk.state, 'default.ndjson'), LOG);
    const terminal = new Terminal(desk, ['log', '--json'], { term: 'dumb' });
    const busy = setInterval(() => {
      const until = performance.now() + lateMs;
      while (performance.now() < until);
    }, 1);
    await terminal.ended.finally(() => clearInterval(busy));
    expect(
      terminal.shown
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toHaveLength(200);
  });
});
