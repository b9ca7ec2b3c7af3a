/** The step budget limits the work that is done for one text. A text that needs more steps was made to take long. */
export class StepBudget {
  #left = 1_000_000;

  /** Takes steps from the budget, and returns false once it is used up. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return !this.isSpent;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}
