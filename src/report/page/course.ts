const MAX_SLOTS = 120;
/** Number of answer times that are kept of one interval. The median of the last ones is right within a few percent. */
const MAX_TIMES = 500;

/** What happened in one interval of a run. */
interface Slot {
  created: number;
  others: number;
  /** Answers by which the service asked for a lower rate, and pauses of the breaker. */
  slowed: number;
  answers: number;
  readonly times: number[];
}

/** Counts what happened in equal intervals of a run. They grow with the run, so that their number is bounded. */
export class Course {
  #seconds = 1;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  /** The intervals by their numbers since 1970. */
  #slots = new Map<number, Slot>();

  /** The interval at a time. A clock that was set back or far ahead only makes the intervals longer. */
  at(time: string): Slot {
    const at = Date.parse(time) / 1000;
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    while (this.#numberAt(this.#last) - this.#numberAt(this.#first) >= MAX_SLOTS) this.#widen();
    return this.#slot(this.#numberAt(at));
  }

  answered(slot: Slot, ms: number): void {
    slot.times[slot.answers++ % MAX_TIMES] = ms;
  }

  /** The figures of the charts, a number for each interval. Times are in seconds since 1970. */
  series() {
    const from = this.#numberAt(this.#first);
    const count = this.#slots.size === 0 ? 0 : this.#numberAt(this.#last) - from + 1;
    const slots = Array.from({ length: count }, (_, at) => this.#slots.get(from + at) ?? emptySlot());
    const sorted = slots.map(({ times }) => times.toSorted((a, b) => a - b));
    const within = (share: number) => sorted.map((times) => times[Math.ceil(times.length * share) - 1] ?? null);
    return {
      seconds: this.#seconds,
      times: slots.map((_, at) => (from + at) * this.#seconds),
      created: slots.map(({ created }) => created),
      others: slots.map(({ others }) => others),
      slowed: slots.map(({ slowed }) => slowed),
      medianMs: within(0.5),
      mostMs: within(0.95),
    };
  }

  #numberAt(seconds: number): number {
    return Math.floor(seconds / this.#seconds);
  }

  #slot(number: number): Slot {
    const slot = this.#slots.get(number) ?? emptySlot();
    this.#slots.set(number, slot);
    return slot;
  }

  #widen(): void {
    const narrow = this.#slots;
    this.#seconds *= 2;
    this.#slots = new Map();
    for (const [number, { created, others, slowed, times }] of narrow) {
      const wide = this.#slot(Math.floor(number / 2));
      wide.created += created;
      wide.others += others;
      wide.slowed += slowed;
      for (const ms of times) this.answered(wide, ms);
    }
  }
}

const emptySlot = (): Slot => ({ created: 0, others: 0, slowed: 0, answers: 0, times: [] });
