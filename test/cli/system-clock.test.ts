import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/account/system-clock.ts';

const DAY_MS = 24 * 60 * 60_000;

afterEach(() => {
  vi.useRealTimers();
});

describe('A sleep', () => {
  test('A sleep that is too long for a timer of Node.js is cut short, not left out', async () => {
    vi.useFakeTimers();
    let isAwake = false;
    const sleeping = systemClock.sleep(30 * DAY_MS).then(() => {
      isAwake = true;
    });
    await vi.advanceTimersByTimeAsync(24 * DAY_MS);
    expect(isAwake).toBe(false);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    await sleeping;
  });

  test('A sleep ends at once when it is aborted, before it or later', async () => {
    vi.useFakeTimers();
    const halt = new AbortController();
    const sleeping = systemClock.sleep(DAY_MS, halt.signal);
    await vi.advanceTimersByTimeAsync(5 * 60 * 60_000);
    halt.abort();
    await sleeping;
    await systemClock.sleep(DAY_MS, halt.signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('A sleep of no time at all is over in the next turn', async () => {
    await systemClock.sleep(0);
    await systemClock.sleep(-5);
  });
});
