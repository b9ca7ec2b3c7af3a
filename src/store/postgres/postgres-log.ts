import type { OpenLog } from '../../request/log/log-store.ts';
import type { Outcome } from '../../request/log/outcome.ts';
import { type LogEvent, type LoggedState, nextState, type SettledBy } from '../../request/log/status.ts';
import type {
  Clock,
  LicenceOptions,
  LogRecord,
  LogSubject,
  OutcomeOptions,
  SendingOptions,
} from '../../request/ports.ts';
import { stopwatch } from '../../request/small.ts';
import { SrqError } from '../../request/words/errors.ts';
import { InGroups } from '../in-groups.ts';
import { storedBy } from '../stored-by.ts';
import type { Database, Query } from './database.ts';
import { livingProcesses, ProcessLease, type ProcessLeaseOptions } from './process-lease.ts';
import { LogLookup } from './read-log.ts';
import { type ConfirmedRecord, storable } from './recent-records.ts';

/**
 * Time for which a write lease is valid. An intent without an outcome is left alone for twice this time before validate
 * is asked about it (`settle-rows.ts`).
 */
const WRITE_LEASE_MS = 20_000;
const MAX_GROUP_RECORDS = 1_000;
/** The largest number of a column of the type integer. A wall clock that was set may show more time. */
const MAX_INTEGER = 2 ** 31 - 1;
/**
 * Time for which recording outcomes is still tried after the run was told to stop. Outcomes that are not recorded by
 * then are shown to the user.
 */
const LAST_TRIES_MS = 5_000;

interface PendingEntry {
  /** The number of the record among those of this process. */
  readonly entry: number;
  readonly subject: LogSubject;
  readonly event: LogEvent;
  readonly by: LogRecord['by'];
  readonly wireForm: string | null;
  readonly wasClear: boolean;
  readonly looked: boolean;
  /** The state that the key must still have (compare and set), or null for any state. */
  readonly seen: LoggedState | null;
  readonly outcome: Outcome | null;
  readonly again: boolean;
  /** Tells for how many milliseconds the record has waited to be written. */
  readonly waitedMs: () => number;
}

export interface PostgresLogOptions extends ProcessLeaseOptions {
  readonly clock: Clock;
  /** Aborted when the run is to end. Waiting for an unavailable server ends soon after that. */
  readonly stopping: AbortSignal;
  /** Called with the newest record of this process after each write. */
  readonly confirmed?: ((newest: { readonly key: string; readonly id: number }) => void) | undefined;
}

/**
 * The log in a database, for senders on any number of machines. This class keeps only the answers to its last queries.
 * The table `state` is authoritative: a record is accepted only if the row there is as its writer has seen it. While
 * the server is unavailable, all calls wait and nothing is sent.
 */
export class PostgresLog implements OpenLog {
  readonly run: string;
  readonly writeLeaseMs = WRITE_LEASE_MS;
  readonly worker: ProcessLease;
  readonly #database: Database;
  readonly #lookup: LogLookup;
  readonly #appending: InGroups<PendingEntry, boolean>;
  readonly #living: InGroups<string, boolean>;
  readonly #clock: Clock;
  readonly #confirmed: PostgresLogOptions['confirmed'];
  readonly #giveUp = new AbortController();
  readonly #giveUpSoon: () => void;
  #entries = 0;
  #closed = false;

  private constructor(database: Database, worker: ProcessLease, options: PostgresLogOptions) {
    this.run = options.run;
    this.worker = worker;
    this.#database = database;
    this.#clock = options.clock;
    this.#confirmed = options.confirmed;
    const { signal } = this.#giveUp;
    const query: Query = (...asked) => database.retryWhileAway(() => database.query(...asked), signal);
    this.#lookup = new LogLookup(query, options.clock.monotonicMs);
    const identify = ({ subject }: PendingEntry) => subject.key;
    this.#appending = new InGroups((group) => this.#append(group), { most: MAX_GROUP_RECORDS, identify });
    this.#living = new InGroups((keys) => underWay(query, keys), { most: MAX_GROUP_RECORDS });
    this.#giveUpSoon = () => {
      void options.clock.sleep(LAST_TRIES_MS, signal).then(() => this.#giveUp.abort());
    };
    options.stopping.addEventListener('abort', this.#giveUpSoon, { once: true, signal });
  }

  /** Opens the log of a database that has its tables. Throws `SrqError('log')` if that fails. */
  static async open(database: Database, options: PostgresLogOptions): Promise<PostgresLog> {
    return new PostgresLog(database, await ProcessLease.acquire(database, options), options);
  }

  nowMs(): number {
    return this.worker.nowMs();
  }

  lookup(key: string): LoggedState {
    return this.#lookup.states.get(key);
  }

  prefetch(keys: readonly string[]): Promise<void> {
    return this.#lookup.prefetch(keys);
  }

  read(key: string): Promise<LogRecord | null> {
    return this.#lookup.read(key);
  }

  mayBeUnderWay(key: string): Promise<boolean> {
    return this.#living.add(key);
  }

  sending(subject: LogSubject, seen: LoggedState, how: SendingOptions = {}): Promise<boolean> {
    const { again = false, by = null, wireForm = null, wasClear = false } = how;
    return this.#add({ subject, event: 'sending', by, wireForm, wasClear, looked: false, seen, outcome: null, again });
  }

  licence(
    subject: LogSubject,
    seen: LoggedState,
    by: SettledBy,
    { again = false }: LicenceOptions = {},
  ): Promise<boolean> {
    return this.#add({
      subject,
      event: 'licence',
      by,
      wireForm: null,
      wasClear: false,
      looked: false,
      seen,
      outcome: null,
      again,
    });
  }

  outcome(subject: LogSubject, outcome: Outcome, how: OutcomeOptions = {}): Promise<boolean> {
    const { seen = null, by = null, again = false, wireForm = null, wasClear = false, looked = false } = how;
    return this.#add({ subject, event: outcome.status, by, wireForm, wasClear, looked, seen, outcome, again });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#giveUpSoon();
    await this.#appending.idle();
    this.#giveUp.abort();
    await this.worker.release();
  }

  #add(pending: Omit<PendingEntry, 'entry' | 'waitedMs'>): Promise<boolean> {
    if (this.#closed) return Promise.reject(new SrqError('log.closed', `The log ${this.#database.shown} was closed.`));
    return this.#appending.add({ ...pending, entry: ++this.#entries, waitedMs: stopwatch(this.#clock) });
  }

  async #append(group: readonly PendingEntry[]): Promise<boolean[]> {
    // The id behind which a repetition looks for the records, because nobody knows whether a failed statement took effect.
    // All that the first statement writes has larger ids than any that was known when it was sent.
    let since: number | null = null;
    const rows = await this.#database.retryWhileAway(() => {
      // While others cannot see that this process is alive, they may assume that it is dead and settle its requests.
      this.worker.requireHeld();
      const behind = since;
      since ??= this.worker.records.newestId;
      return this.#appendOnce(group, behind);
    }, this.#giveUp.signal);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const atMs = this.nowMs();
    const recorded = group.map((pending) => {
      const { key } = pending.subject;
      const { recorded = false, state = 'none', record = null } = byKey.get(key) ?? {};
      this.#lookup.states.set(key, state);
      if (!recorded) return false;
      this.worker.records.add(confirmed(pending, { id: Number(record), state, atMs }));
      return true;
    });
    const newest = this.worker.records.all.at(-1);
    if (newest) this.#confirmed?.(newest);
    return recorded;
  }

  #appendOnce(group: readonly PendingEntry[], since: number | null): Promise<AppendedRow[]> {
    return this.#database.query<AppendedRow>(APPEND, [this.worker.id, since, ...columnsOf(group)], 'srq-append');
  }
}

interface AppendedRow {
  readonly key: string;
  readonly recorded: boolean;
  readonly state: LoggedState;
  readonly record: string | null;
}

const APPEND = `select replace(key::text, '-', '') as key, recorded, state, record from srq.append(
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`;

/** Returns one array for each column, in the order of the parameters of `srq.append`. */
function columnsOf(group: readonly PendingEntry[]): unknown[][] {
  const of = (column: (pending: PendingEntry) => unknown) => group.map(column);
  return [
    of(({ subject }) => subject.key),
    of(({ entry }) => entry),
    of(({ event }) => event),
    of(({ seen }) => seen),
    of(({ event, by }) => nextState('none', event, by)),
    of(({ event, by }) => nextState('licensed', event, by)),
    of(({ subject }) => subject.row),
    of(({ subject }) => storable(subject.ref)),
    of(({ subject }) => subject.market ?? null),
    of(({ outcome }) => (outcome && Object.keys(outcome.ids).length > 0 ? JSON.stringify(outcome.ids) : null)),
    of(({ outcome }) => outcome?.http ?? null),
    of(durationMs),
    of(({ outcome }) => storable(outcome?.message ?? null)),
    of(({ outcome }) => storable(outcome?.raw ?? null)),
    of((pending) => storedBy(pending.event, pending)),
    of(({ again }) => again),
  ];
}

/** A shorter wait for the store is not counted, so that a duration is usually that of the service alone. */
const MIN_COUNTED_WAIT_MS = 2_000;

/**
 * Returns the time from the first try until the record is written, or null if there was no try. A record is dated when it
 * is written, and the store may have been away for long before that. By this time a reader still knows when the service
 * may have processed the request, and whether it still remembers its idempotency key.
 */
function durationMs({ outcome, waitedMs }: PendingEntry): number | null {
  if (outcome?.ms == null) return null;
  const waited = waitedMs();
  return Math.min(Math.round(outcome.ms + (waited < MIN_COUNTED_WAIT_MS ? 0 : waited)), MAX_INTEGER);
}

/** Returns what this process must remember of a record, in case the server loses it. */
function confirmed(
  pending: PendingEntry,
  { id, state, atMs }: { readonly id: number; readonly state: LoggedState; readonly atMs: number },
): ConfirmedRecord {
  const { subject, entry, event, outcome, again } = pending;
  const { ids = {}, http = null, message = null, raw = null } = outcome ?? {};
  return {
    ...{
      id,
      entry,
      state,
      event,
      by: storedBy(event, pending),
      again,
      at: new Date(atMs).toISOString(),
      ...subject,
      ref: storable(subject.ref),
    },
    ...{ ids, http, ms: durationMs(pending), message: storable(message), raw: storable(raw) },
  };
}

/** Tells for each key whether its last record is an intent of a living process. */
async function underWay(query: Query, keys: readonly string[]): Promise<boolean[]> {
  const rows = await query<{ key: string; worker: number }>(
    `select replace(s.key::text, '-', '') as key, s.worker from srq.state s join srq.record r on r.id = s.record
    where s.key = any($1::uuid[]) and r.event = 'sending'`,
    [keys],
  );
  const living = await livingProcesses(query, [...new Set(rows.map(({ worker }) => worker))]);
  const found = new Set(rows.filter(({ worker }) => living.has(worker)).map(({ key }) => key));
  return keys.map((key) => found.has(key));
}
