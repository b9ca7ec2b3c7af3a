/** What is to be done when a command or a marketplace ends. */
export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  /** Registers a function to run at the end. The function registered last runs first. */
  add(closer: () => Promise<void>): void {
    this.#closers.unshift(closer);
  }

  /** Runs each function once, also after one of them has failed, and those that they register. Throws the first error. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let closer = this.#closers.shift(); closer !== undefined; closer = this.#closers.shift()) {
      try {
        await closer();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
