import type { Clock } from '../request/ports.ts';

/** Maximum duration of one timer. A timer of more than 24.8 days fires at once, and one of many hours drifts. */
const MAX_TIMER_MS = 60 * 60_000;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    const untilMs = performance.now() + ms;
    let leftMs = ms;
    do {
      if (signal?.aborted) return;
      await timer(Math.min(leftMs, MAX_TIMER_MS), signal);
      leftMs = untilMs - performance.now();
    } while (leftMs > 0);
  },
};

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timeout = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}
