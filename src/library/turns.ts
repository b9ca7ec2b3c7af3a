/** Lets some work run side by side and other work alone, each in the order in which it came. */
export class Turns {
  readonly #together = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  /**
   * Runs work beside other such work, after the work that wants to be alone. It begins at once if `signal` fires, and has to
   * look whether it did.
   */
  together<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const running = endOrAbort(this.#alone, signal).then(work);
    const settled = ended(running);
    this.#together.add(settled);
    void settled.then(() => this.#together.delete(settled));
    return running;
  }

  /** Runs work when all that came before it has ended. What comes later waits. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.idle().then(work);
    this.#alone = ended(running);
    return running;
  }

  /** Resolves when all work that has come so far has ended. */
  async idle(): Promise<void> {
    await Promise.all([this.#alone, ...this.#together]);
  }
}

/** Resolves when the work has ended, in whichever way. */
function ended(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}

function endOrAbort(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      signal.removeEventListener('abort', go);
      resolve();
    };
    signal.addEventListener('abort', go);
    if (signal.aborted) go();
    turn.then(go);
  });
}
