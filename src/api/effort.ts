/** The steps that may still be taken for one text: one that takes more for its length was made to take long. */
export class Effort {
  #left = 1_000_000;

  /** False: they are used up. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return !this.isSpent;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
