import type { Clock } from '../request/ports.ts';

/** Maximum duration of a timer, which is 24.8 days: a longer one fires at once. Who sleeps longer wakes early and looks again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  // That of node:timers/promises makes an error each time it is aborted, which would cost every row some 14 µs.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timeout = setTimeout(wake, Math.min(ms, MAX_TIMER_MS));
      signal?.addEventListener('abort', wake);
    }),
};
