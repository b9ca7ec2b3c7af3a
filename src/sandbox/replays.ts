import type { FreshIdentity } from './marketplace.ts';

interface Taken {
  readonly key: string;
  readonly fresh: FreshIdentity;
}

/**
 * Maps the value of the idempotency header to the create that was done under it. The same value never creates a second
 * time.
 */
export class Replays {
  readonly header: string;
  readonly #taken = new Map<string, Taken>();
  #count = 0;

  constructor(header: string) {
    this.header = header;
  }

  /**
   * Returns what was created under the header value in these parameters, or undefined if nothing was, or they hold no
   * value.
   */
  find(params: Readonly<Record<string, string>>): Taken | undefined {
    return this.#taken.get(params[this.header] ?? '');
  }

  remember(params: Readonly<Record<string, string>>, key: string, fresh: FreshIdentity): void {
    const value = params[this.header];
    if (value) this.#taken.set(value, { key, fresh });
  }

  /** Counts a create that was answered again. */
  repeated(): void {
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  forget(): void {
    this.#taken.clear();
    this.#count = 0;
  }
}
