export const BEGIN_MS = Date.UTC(2026, 10, 21);

/** Time goes on with every call, and to the next sleeper when nobody has anything to do. */
export class Time {
  nowMs = BEGIN_MS;
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  pass(ms: number): void {
    this.nowMs += ms;
    while ((this.#sleepers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= this.nowMs) this.#sleepers.shift()?.wake();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const sleeper = { atMs: this.nowMs + Math.max(0, ms), wake };
      const end = () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        wake();
      };
      const at = this.#sleepers.findLastIndex(({ atMs }) => atMs <= sleeper.atMs);
      this.#sleepers.splice(at + 1, 0, sleeper);
      signal?.addEventListener('abort', end);
    });
  }

  /** Until `isOver`, or until the time has come; nobody sleeps on after that. */
  async until(isOver: () => boolean, endMs: number): Promise<void> {
    for (let idle = 0; !isOver() && this.nowMs < endMs; ) {
      // Everything behind the door is microtasks, so that they have all run when this comes back.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver()) break;
      const next = this.#sleepers[0]?.atMs;
      // A module may have to be loaded first.
      if (next === undefined && ++idle > 1_000) throw new Error(`Nobody has anything to do at ${this.nowMs}`);
      if (next !== undefined) this.pass(Math.max(0, Math.min(next, endMs) - this.nowMs));
    }
    this.#sleepers = [];
  }
}
