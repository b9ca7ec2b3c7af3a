/** Schedules work in the order of the calls. Some work may run concurrently, and other work runs alone. */
export class Turns {
  readonly #together = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  /**
   * Runs work concurrently with other work of this kind, after earlier work that runs alone. If `signal` fires, the
   * work begins at once and must check the signal itself.
   */
  together<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const running = endOrAbort(this.#alone, signal).then(work);
    const settled = ended(running);
    this.#together.add(settled);
    void settled.then(() => this.#together.delete(settled));
    return running;
  }

  /** Runs work when everything before it has ended. Later work waits for it. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.idle().then(work);
    this.#alone = ended(running);
    return running;
  }

  /** Resolves when all work so far has ended. */
  async idle(): Promise<void> {
    await Promise.all([this.#alone, ...this.#together]);
  }
}

/** The calls of a program that are under way, from their first moment on. */
export class Calls {
  readonly #underWay = new Set<Promise<void>>();

  /** Counts a call as under way until it has ended, and returns it. */
  track<Result>(call: Promise<Result>): Promise<Result> {
    const settled = ended(call);
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
    return call;
  }

  /** Resolves when all calls so far have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}

/** Resolves when the work has ended, whether it succeeded or failed. */
export function ended(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}

/** Resolves when the turn has come, or when the signal fires. */
export function endOrAbort(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
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
