const MAX_SLOTS = 120;
/** Number of answer times that are kept of one second. */
const MAX_TIMES = 50;

/** What happened in one second of a run. */
interface Slot {
  created: number;
  others: number;
  /** Answers by which the service asked for a lower rate, and pauses of the breaker. */
  slowed: number;
  readonly times: number[];
}

/** Counts what happened in each second of a run. A chart shows equal intervals of it, whose number is bounded. */
export class Course {
  /** By seconds since 1970. */
  readonly #slots = new Map<number, Slot>();

  at(time: string): Slot {
    return slotOf(this.#slots, Math.floor(Date.parse(time) / 1000));
  }

  answered({ times }: Slot, ms: number): void {
    if (times.length < MAX_TIMES) times.push(ms);
  }

  /** The figures of the charts, a number for each interval. Times are in seconds since 1970. */
  series() {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const second of this.#slots.keys()) [first, last] = [Math.min(first, second), Math.max(last, second)];
    const seconds = Math.max(1, Math.ceil((last - first + 1) / MAX_SLOTS));
    const intervals = new Map<number, Slot>();
    for (const [second, { created, others, slowed, times }] of this.#slots) {
      const interval = slotOf(intervals, Math.floor((second - first) / seconds));
      interval.created += created;
      interval.others += others;
      interval.slowed += slowed;
      interval.times.push(...times);
    }
    const count = this.#slots.size === 0 ? 0 : Math.floor((last - first) / seconds) + 1;
    const slots = Array.from({ length: count }, (_, at) => slotOf(intervals, at));
    const sorted = slots.map(({ times }) => times.toSorted((a, b) => a - b));
    const within = (share: number) => sorted.map((times) => times[Math.ceil(times.length * share) - 1] ?? null);
    return {
      seconds,
      times: slots.map((_, at) => first + at * seconds),
      created: slots.map(({ created }) => created),
      others: slots.map(({ others }) => others),
      slowed: slots.map(({ slowed }) => slowed),
      medianMs: within(0.5),
      mostMs: within(0.95),
    };
  }
}

function slotOf(slots: Map<number, Slot>, at: number): Slot {
  const slot = slots.get(at) ?? { created: 0, others: 0, slowed: 0, times: [] };
  slots.set(at, slot);
  return slot;
}
