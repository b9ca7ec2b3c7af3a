import { type LogEvent, type LoggedState, nextState } from '../../src/request/log/status.ts';
import type { DeliveryLog, LogRecord, LogSubject } from '../../src/request/ports.ts';

/** A log in memory for models, which several simulated processes use one after another or side by side. */
export class MemoryLog {
  readonly #states = new Map<string, LoggedState>();
  readonly #records = new Map<string, () => LogRecord>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  state(key: string): LoggedState {
    return this.#states.get(key) ?? 'none';
  }

  /** Yields what was created, or may have been. */
  async *taken(): AsyncGenerator<LogRecord> {
    const records = [...this.#records.values()].map((record) => record());
    yield* records.filter(({ event }) => /^(?:created|sending|unknown)$/.test(event));
  }

  /**
   * Opens the log as one process sees it that is as far away as from a store: it knows of a request only what it has
   * waited for, and not what others have recorded since. Who looks something up before it is there is told so by an error.
   */
  openAs(run: string): DeliveryLog {
    const known = new Map<string, LoggedState>();
    const append = async (
      subject: LogSubject,
      event: LogEvent,
      seen: LoggedState | null,
      details: Partial<LogRecord> = {},
    ): Promise<boolean> => {
      await arrival();
      const { key } = subject;
      const isAllowed = seen === null || this.state(key) === seen;
      if (isAllowed) {
        const atMs = this.#nowMs();
        this.#records.set(key, () => recordOf(subject, event, atMs, run, details));
        this.#states.set(key, nextState(this.state(key), event, details.by ?? null));
      }
      known.set(key, this.state(key));
      return isAllowed;
    };
    return {
      run,
      writeLeaseMs: null,
      nowMs: this.#nowMs,
      lookup: (key) => known.get(key) ?? fail(`${key} was looked up before it was there.`),
      prefetch: async (keys) => {
        await arrival();
        for (const key of keys) known.set(key, this.state(key));
      },
      read: async (key) => {
        await arrival();
        return this.#records.get(key)?.() ?? null;
      },
      mayBeUnderWay: async () => {
        await arrival();
        return false;
      },
      sending: (subject, seen, { again = false, by = null, wireForm, wasClear = false } = {}) =>
        append(subject, 'sending', seen, { again, by, wasClear, ...(wireForm ? { wireForm } : {}) }),
      licence: (subject, seen, by, { again = false } = {}) => append(subject, 'licence', seen, { by, again }),
      outcome: (subject, { status, ids, http, ms }, how = {}) => {
        const { seen = null, by = null, again = false, wireForm, wasClear = false, looked = false } = how;
        const details = { ids, http, ms, by, again, wasClear, looked, ...(wireForm ? { wireForm } : {}) };
        return append(subject, status, seen, details);
      },
    };
  }
}

const arrival = () => Promise.resolve();

function fail(message: string): never {
  throw new Error(message);
}

function recordOf(
  subject: LogSubject,
  event: LogEvent,
  atMs: number,
  run: string,
  details: Partial<LogRecord>,
): LogRecord {
  const nothing = { ids: {}, http: null, ms: null, message: null, raw: null, by: null, again: false };
  return { ...nothing, ...subject, event, at: new Date(atMs).toISOString(), run, ...details };
}
