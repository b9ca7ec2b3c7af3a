import { subscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { systemClock } from '../../src/account/system-clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Work of the process that will end by itself. While there is any, time stands still. */
const WORK = /^(?:FSReq|CloseReq|GetAddrInfo|TCPConnect|Zlib|ProcessWrap|Process$)/;
/** Work of the process may go unnoticed, and a call may be given up without a word; time goes on after this long. */
const STUCK_MS = 8_000;
const LATE_MS = 1_000;
/** Between two pieces of work, the event loop may turn without any. */
const QUIET_TURNS = 5;

const inFlight = new Set<unknown>();
subscribe('undici:request:create', (message) => inFlight.add((message as { request: unknown }).request));
for (const end of ['trailers', 'error'])
  subscribe(`undici:request:${end}`, (message) => inFlight.delete((message as { request: unknown }).request));

for (const name of ['connect', 'query'] as const) {
  const call = Client.prototype[name] as (this: Client, ...given: unknown[]) => unknown;
  Object.assign(Client.prototype, {
    [name](this: Client, ...given: unknown[]): unknown {
      const work = {};
      inFlight.add(work);
      const over = () => inFlight.delete(work);
      const done = given.at(-1);
      if (typeof done === 'function') given.splice(-1, 1, (...of: unknown[]) => [over(), done(...of)]);
      const result = call.apply(this, given);
      if (result instanceof Promise) result.then(over, over);
      return result;
    },
  });
}

/**
 * The clock of the program behind this door. It stands still while anything is done, and jumps to the next sleeper once
 * nothing is. So an hour takes no time, and durations and dates are the same in each run.
 */
export class StillClock {
  #nowMs: number;
  #sleepers: Sleeper[] = [];

  constructor(start: string) {
    this.#nowMs = Date.parse(start);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  /** Runs the program by this clock, and with chances that are the same each time. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    const [real, chance] = [{ ...systemClock }, Math.random];
    inFlight.clear();
    let isOver = false;
    Object.assign(systemClock, {
      nowMs: () => this.#nowMs,
      monotonicMs: () => this.#nowMs,
      sleep: (ms: number, signal?: AbortSignal) => this.#sleep(ms, signal),
    });
    Math.random = () => 0.5;
    const letPass = async () => {
      for (let idleSince: number | null = null; !isOver; ) {
        if (await this.#jump()) idleSince = null;
        else idleSince ??= performance.now();
        if (idleSince !== null && performance.now() - idleSince > STUCK_MS) throw new Error('It waits for nothing.');
      }
    };
    const passing = letPass();
    const running = run().finally(() => {
      isOver = true;
    });
    try {
      await Promise.race([running, passing.then(() => running)]);
      await passing;
      // What is still under way would write into a folder that is about to be removed.
      await nothingDone(LATE_MS);
      return await running;
    } finally {
      isOver = true;
      running.catch(() => {});
      Object.assign(systemClock, real);
      Math.random = chance;
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        resolve();
      };
      const sleeper: Sleeper = { atMs: this.#nowMs + Math.max(0, ms), wake };
      const at = this.#sleepers.findLastIndex(({ atMs }) => atMs <= sleeper.atMs);
      this.#sleepers.splice(at + 1, 0, sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  /** Wakes the next sleeper, once nothing is done any more. Resolves to whether there was one. */
  async #jump(): Promise<boolean> {
    await nothingDone(STUCK_MS);
    const next = this.#sleepers[0];
    if (!next) return false;
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.wake();
    return true;
  }
}

/** Waits until nothing is done any more in this process, at most for this time. */
async function nothingDone(mostMs: number): Promise<void> {
  const since = performance.now();
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() - since < mostMs; ) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await setImmediate();
    const isBusy = inFlight.size > 0 || process.getActiveResourcesInfo().some((name) => WORK.test(name));
    quiet = isBusy ? 0 : quiet + 1;
  }
}
