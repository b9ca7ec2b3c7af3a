import type { Clock } from '../../src/request/ports.ts';
import type { Answer } from '../../src/service/network/exchange.ts';

/** Returns an answer as `Http` would return it. A body that is not text is sent as JSON. */
export function answerWith(body: unknown, changes: Partial<Answer> = {}): Answer {
  const isText = typeof body === 'string';
  return {
    status: 200,
    headers: { 'content-type': isText ? 'text/plain' : 'application/json' },
    body: isText ? body : JSON.stringify(body),
    complete: true,
    ms: 1,
    ...changes,
  };
}

export interface VirtualClock extends Clock {
  passMs(ms: number): void;
  /** All requested waits, in milliseconds. */
  readonly slept: readonly number[];
}

/** Returns a clock whose time passes only if the test sets it, or if code sleeps, which takes no real time. */
export function virtualClock(startMs = Date.UTC(2026, 10, 21)): VirtualClock {
  let nowMs = startMs;
  const slept: number[] = [];
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    sleep: (ms, signal) => {
      slept.push(ms);
      return new Promise((resolve) =>
        setImmediate(() => {
          if (!signal?.aborted) nowMs += ms;
          resolve();
        }),
      );
    },
    passMs: (ms) => {
      nowMs += ms;
    },
    slept,
  };
}
