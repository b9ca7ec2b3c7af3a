import { type LogEvent, type LoggedState, nextState } from '../../src/request/log/status.ts';
import type { DeliveryLog, LogRecord, LogSubject } from '../../src/request/ports.ts';

/** A log in memory for models, which several simulated processes use one after another. */
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

  /** Opens the log as one process sees it. */
  openAs(run: string): DeliveryLog {
    const append = (
      subject: LogSubject,
      event: LogEvent,
      seen: LoggedState | null,
      details: Partial<LogRecord> = {},
    ): boolean => {
      const { key } = subject;
      if (seen !== null && this.state(key) !== seen) return false;
      const atMs = this.#nowMs();
      this.#records.set(key, () => recordOf(subject, event, atMs, run, details));
      this.#states.set(key, nextState(this.state(key), event, details.by ?? null));
      return true;
    };
    return {
      run,
      writeLeaseMs: null,
      nowMs: this.#nowMs,
      lookup: (key) => this.state(key),
      prefetch: async () => {},
      read: (key) => this.#records.get(key)?.() ?? null,
      mayBeUnderWay: () => false,
      sending: async (subject, seen, { again = false, by = null, wireForm, wasClear = false } = {}) =>
        append(subject, 'sending', seen, { again, by, wasClear, ...(wireForm ? { wireForm } : {}) }),
      licence: async (subject, seen, by, { again = false } = {}) => append(subject, 'licence', seen, { by, again }),
      outcome: async (subject, { status, ids, http, ms }, how = {}) => {
        const { seen = null, by = null, again = false, wireForm, wasClear = false, looked = false } = how;
        const details = { ids, http, ms, by, again, wasClear, looked, ...(wireForm ? { wireForm } : {}) };
        return append(subject, status, seen, details);
      },
    };
  }
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
