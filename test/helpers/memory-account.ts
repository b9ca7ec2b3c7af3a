import type { Clock, SharedAccountState } from '../../src/request/ports.ts';

const HALF_TRIP_MS = 0.5;

/** What processes of one account share, in this process: one change at a time, each with a round trip to the store. */
export class MemoryStore {
  readonly #clock: Clock;
  readonly #kept = new Map<string, string>();
  readonly #listeners: { readonly run: string; readonly name: string; readonly listen: () => void }[] = [];
  readonly #dead = new Set<string>();
  readonly #frozen = new Map<string, Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();
  turns = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  kill(run: string): void {
    this.#dead.add(run);
  }

  /** Its changes wait, as those of a stopped process. Returns what lets it go on. */
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
          const { keep, result, alarm } = change(this.kept(name), this.#clock.nowMs());
          this.#kept.set(name, JSON.stringify(keep));
          if (alarm) this.#alarm(run, name);
          return result;
        });
        this.#last = mine;
        return mine;
      },
      ended: async (runs) => runs.filter((each) => this.#dead.has(each)),
      onAlarm: (name, listen) => this.#listeners.push({ run, name, listen }),
    };
  }

  #alarm(by: string, about: string): void {
    for (const { run, name, listen } of this.#listeners) {
      if (run !== by && name === about) void this.#clock.sleep(HALF_TRIP_MS).then(listen);
    }
  }
}
