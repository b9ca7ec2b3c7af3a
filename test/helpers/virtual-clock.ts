import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/request/ports.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock for code that sleeps. As soon as nothing else can run, the time advances to the next sleeper that is due. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #sleepers: Sleeper[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        sleeper.wake();
      };
      const wake = () => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const sleeper: Sleeper = { atMs: this.#nowMs + Math.max(0, ms), wake };
      const at = this.#sleepers.findLastIndex(({ atMs }) => atMs <= sleeper.atMs);
      this.#sleepers.splice(at + 1, 0, sleeper);
      signal?.addEventListener('abort', end);
    });
  }

  /** Lets time pass until this promise is settled. */
  async until<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await setImmediate();
      if (isSettled) return promise;
      const next = this.#sleepers.shift();
      if (!next) throw new Error(`Nobody has anything to do at ${this.#nowMs} ms`);
      this.#nowMs = next.atMs;
      next.wake();
    }
  }
}
