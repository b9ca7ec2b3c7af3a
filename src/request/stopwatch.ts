import type { Clock } from './ports.ts';

/**
 * Starts a stopwatch, and returns the function that tells its time in milliseconds. It uses the clock that shows more
 * time: the monotonic clock may stand still while the machine sleeps, and the wall clock may be set back.
 */
export function stopwatch(clock: Clock): () => number {
  const [wallMs, startedMs] = [clock.nowMs(), clock.monotonicMs()];
  return () => Math.max(clock.nowMs() - wallMs, clock.monotonicMs() - startedMs);
}
