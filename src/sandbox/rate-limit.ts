/**
 * A token bucket that allows `ratePerSecond` calls a second, and up to one second's worth (at least one call) at once.
 */
export class RateLimit {
  readonly ratePerSecond: number;
  readonly #capacity: number;
  #available: number;
  #updatedMs: number;

  constructor(ratePerSecond: number, nowMs: number) {
    this.ratePerSecond = ratePerSecond;
    this.#capacity = Math.max(1, ratePerSecond);
    this.#available = this.#capacity;
    this.#updatedMs = nowMs;
  }

  /** Takes one call from the bucket. Returns 0 if there was one, otherwise the milliseconds until the next. */
  take(nowMs: number): number {
    const elapsedSeconds = Math.max(0, nowMs - this.#updatedMs) / 1000;
    this.#available = Math.min(this.#capacity, this.#available + elapsedSeconds * this.ratePerSecond);
    this.#updatedMs = nowMs;
    if (this.#available >= 1) {
      this.#available -= 1;
      return 0;
    }
    return ((1 - this.#available) / this.ratePerSecond) * 1000;
  }
}
