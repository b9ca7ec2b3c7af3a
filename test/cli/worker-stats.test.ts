import { describe, expect, test } from 'vitest';
import { WorkerStats } from '../../src/commands/work/worker-stats.ts';
import { painter } from '../../src/report/output.ts';
import type { LoggedState, Status } from '../../src/request/log/status.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const NOTHING = { created: 0, duplicate: 0, repeated: 0, rejected: 0, failed: 0, unknown: 0 };
const PLAIN = painter(false);

type Ended = Parameters<WorkerStats['ended']>;

function statsOf() {
  const clock = new VirtualClock();
  const notes: unknown[] = [];
  const warnings: string[] = [];
  const events: unknown[] = [];
  const scene: { exception: 'stopping' | 'waiting-for-database' | null } = { exception: null };
  const reporter = {
    warn: (message: string) => void warnings.push(message),
    say: (text: (paint: typeof PLAIN) => string) => void notes.push(text(PLAIN)),
  };
  const told = {
    row: (...all: unknown[]) => void events.push(['row', ...all]),
    refused: (...all: unknown[]) => void events.push(['refused', ...all]),
    breakerOpened: (...all: unknown[]) => void events.push(['breaker', ...all]),
  };
  const stats = new WorkerStats(reporter as never, told as never, { clock, version: '1.2.3' }, () => scene.exception);
  const taken = (changes: object = {}) =>
    ({ key: KEY, row: 7, isUnreadable: false, ...changes }) as unknown as Ended[0];
  const end = (status: Status, next: Ended[2] = 'done', more: object = {}, ofTaken: object = {}) => {
    stats.began();
    const result = {
      ...{ row: 7, status, ref: null, key: KEY },
      ...{ ids: {}, http: 201, message: null, reason: null },
    };
    stats.ended(taken(ofTaken), { ...result, isFromLog: false, unrecorded: false, ...more } as never, next);
    return result;
  };
  return { clock, stats, scene, notes, warnings, events, taken, end };
}

describe('What a worker did', () => {
  test('is counted by what became of each request: ended, or put back', () => {
    const { stats, end, taken } = statsOf();
    for (const status of ['created', 'created', 'duplicate', 'rejected', 'failed', 'unknown', 'repeated'] as const)
      end(status);
    for (const next of ['back', 'later', 'later'] as const) end('failed', next);
    stats.began();
    stats.gaveBack(taken());
    const ended = { ...NOTHING, created: 2, duplicate: 1, rejected: 1, failed: 1, unknown: 1, repeated: 1 };
    expect([stats.endedCounts, stats.again]).toEqual([ended, 4]);
    expect(stats.view).toEqual({
      ...{ version: '1.2.3', state: 'starting', connection: null },
      worker: { ended, putBack: 4, inHand: 0, oldestMs: null, queue: { depth: null } },
    });
  });

  test('is told of a row that was told as created and is unknown now', () => {
    const { events, warnings, end } = statsOf();
    const alsoUnknown = { row: 3, key: 'other', status: 'unknown', message: 'It got the same.' };
    const result = end('unknown', 'done', { alsoUnknown });
    expect(events).toEqual([
      ['row', null, result],
      ['row', null, alsoUnknown],
    ]);
    expect(warnings).toEqual(['Row 3 (key other) is unknown now. It got the same.']);
  });

  test('that the log does not have is told with all that is known of it', () => {
    const { end, warnings } = statsOf();
    end('created');
    expect(warnings).toEqual([]);
    const result = end('created', 'done', { unrecorded: true });
    expect(warnings).toEqual([`Not in the log: ${JSON.stringify(result)}`]);
  });

  test('is counted anew at its end where it was unknown and somebody else knows more', async () => {
    const { stats, end } = statsOf();
    for (const digit of ['a', 'b', 'c', 'd']) end('unknown', digit === 'd' ? 'later' : 'done', {}, { key: digit });
    end('created', 'done', {}, { key: 'e' });
    const states: Record<string, LoggedState> = { a: 'created', b: 'licensed', c: 'sending' };
    const fetched: string[][] = [];
    let isFetched = false;
    const log = {
      prefetch: async (keys: readonly string[]) => {
        fetched.push([...keys]);
        await Promise.resolve();
        isFetched = true;
      },
      lookup: (key: string) => (isFetched ? (states[key] ?? 'none') : 'rejected'),
    };
    await stats.recount(log as never);
    const now = { ...NOTHING, created: 2, failed: 1, unknown: 1 };
    expect([fetched, stats.endedCounts]).toEqual([[['a', 'b', 'c']], now]);
    await stats.recount(log as never);
    expect([fetched[1], stats.endedCounts]).toEqual([[], now]);
  });
});
