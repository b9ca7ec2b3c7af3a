import type { Headroom } from './rate-headers.ts';

/** What was said last, as plain values; times by the clock of whoever counts. */
export type HeadroomState = {
  readonly remaining: number;
  readonly afterNumber: number;
  readonly untilMs: number;
} | null;

/**
 * What the service says it will still take, counted on from there: it counts in the order of sending, so whatever was
 * sent after the request whose answer said so is not yet in it.
 */
export class HeadroomCount {
  #said: HeadroomState = null;

  static restored(state: HeadroomState): HeadroomCount {
    const count = new HeadroomCount();
    count.#said = state;
    return count;
  }

  /** `number`: of the request whose answer said so. Answers may overtake each other; the latest request counts. */
  said(nowMs: number, number: number, { remaining, resetMs }: Headroom): void {
    const isOvertaken = this.#said !== null && nowMs < this.#said.untilMs && number < this.#said.afterNumber;
    if (!isOvertaken) this.#said = { remaining, afterNumber: number, untilMs: nowMs + resetMs };
  }

  /** How long until the service counts anew, if everything it would take has been sent; else 0. */
  waitMs(nowMs: number, lastNumber: number): number {
    if (this.#said === null || lastNumber - this.#said.afterNumber < this.#said.remaining) return 0;
    return Math.max(0, this.#said.untilMs - nowMs);
  }

  toJSON(): HeadroomState {
    return this.#said;
  }
}
