/** Where a process can die. */
export const MOMENTS = [
  'the intent',
  'after the intent',
  'a call',
  'the arrival',
  'the answer',
  'the licence',
  'after the licence',
  'the record',
  'after the record',
] as const;
export type Moment = (typeof MOMENTS)[number];

/** The end of a process: the n-th time it reaches a moment. */
export interface Death {
  readonly at: Moment;
  readonly time: number;
}

const NEVER = new Promise<never>(() => {});

/** The life of one process. From its death on nothing that it awaits ever comes back, as after kill -9. */
export class Life {
  readonly #death: Death | null;
  /** What it came to do, how often. */
  readonly reached = new Map<Moment, number>();
  #dead = false;
  #die = () => {};
  readonly died: Promise<void>;

  constructor(death: Death | null) {
    this.#death = death;
    this.died = new Promise((resolve) => (this.#die = resolve));
  }

  get dead(): boolean {
    return this.#dead;
  }

  async reach(moment: Moment): Promise<void> {
    if (!this.#dead) this.reached.set(moment, (this.reached.get(moment) ?? 0) + 1);
    if (this.#death?.at === moment && this.reached.get(moment) === this.#death.time) {
      this.#dead = true;
      this.#die();
    }
    if (this.#dead) await NEVER;
  }

  async wait(pending: Promise<void>): Promise<void> {
    await pending;
    if (this.#dead) await NEVER;
  }
}
