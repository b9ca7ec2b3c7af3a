import type { Clock, SharedAccountState } from '../../src/request/ports.ts';

const HALF_TRIP_MS = 0.5;

/**
 * The shared state of one account, for several simulated processes. Only one change runs at a time, and each takes a
 * round trip to the store.
 */
export class MemoryStore {
  readonly #clock: Clock;
  readonly #kept = new Map<string, string>();
  readonly #frozen = new Map<string, Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();
  turns = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Blocks the changes of a process, as if it were suspended. Returns the function that lets it continue. */
  freeze(run: string): () => void {
    let thaw = () => {};
    this.#frozen.set(run, new Promise((resolve) => (thaw = resolve)));
    return () => thaw();
  }

  kept(name: string): unknown {
    return JSON.parse(this.#kept.get(name) ?? 'null');
  }

  member(run: string): SharedAccountState {
    return {
      run,
      change: async (name, change) => {
        await this.#frozen.get(run);
        await this.#clock.sleep(HALF_TRIP_MS);
        const mine = this.#last.then(async () => {
          await this.#clock.sleep(HALF_TRIP_MS);
          this.turns += 1;
          const { keep, result } = change(this.kept(name), this.#clock.nowMs());
          this.#kept.set(name, JSON.stringify(keep));
          return result;
        });
        this.#last = mine;
        return mine;
      },
    };
  }
}
