import { SrqError } from '../request/words/errors.ts';

/** How a call goes with others: together with those of its kind, alone, or beside all. */
export type HowCalled = 'together' | 'alone' | 'beside';

/** The calls of a program that are under way, from their first moment on. */
export class Calls {
  readonly #underWay = new Map<Promise<void>, HowCalled>();

  /**
   * Begins a call, and counts it as under way until it has ended. Throws `SrqError('usage')` if it cannot run beside those
   * that are.
   */
  track<Result>(how: HowCalled, begin: () => Promise<Result>): Promise<Result> {
    const others = [...this.#underWay.values()].filter((other) => other !== 'beside');
    if (how !== 'beside' && others.some((other) => how === 'alone' || other === 'alone')) {
      throw new SrqError('arguments.invalid', 'Another call is under way.', 'Await it first.');
    }
    const call = begin();
    const settled = ended(call);
    this.#underWay.set(settled, how);
    void settled.then(() => this.#underWay.delete(settled));
    return call;
  }

  /** Resolves when all calls so far have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay.keys());
  }
}

/** Resolves when the work has ended, whether it succeeded or failed. */
export function ended(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}
