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
import { Membership, type MembershipOptions } from './membership.ts';
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

export interface PostgresLogOptions extends MembershipOptions {
  /** Called with the newest record of this process after each write. */
  readonly confirmed?: ((newest: Confirmed) => void) | undefined;
}

/** A record that the store has confirmed. */
export interface Confirmed {
  readonly store: string;
  readonly epoch: number;
  readonly key: string;
  readonly id: number;
}

/**
 * The log in a database, for senders on any number of machines. This class keeps only the answers to its last queries.
 * The table `request` is authoritative: a record is accepted only if the row there is as its writer has seen it. While
 * the server is unavailable, all calls wait and nothing is sent.
 */
export class PostgresLog implements OpenLog {
  readonly run: string;
  readonly writeLeaseMs = WRITE_LEASE_MS;
  readonly member: Membership;
  readonly #database: Database;
  readonly #lookup: LogLookup;
  readonly #appending: InGroups<PendingEntry, boolean | SrqError>;
  readonly #living: InGroups<string, boolean>;
  readonly #clock: Clock;
  readonly #confirmed: PostgresLogOptions['confirmed'];
  readonly #giveUp = new AbortController();
  readonly #giveUpSoon: () => void;
  #entries = 0;
  #closed = false;

  private constructor(database: Database, member: Membership, options: PostgresLogOptions) {
    this.run = options.run;
    this.member = member;
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
    return new PostgresLog(database, await Membership.enter(database, options), options);
  }

  nowMs(): number {
    return this.member.nowMs();
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
    await this.member.leave();
  }

  async #add(pending: Omit<PendingEntry, 'entry' | 'waitedMs'>): Promise<boolean> {
    if (this.#closed) throw new SrqError('log.closed', `The log ${this.#database.shown} was closed.`);
    const entry = { ...pending, entry: ++this.#entries, waitedMs: stopwatch(this.#clock) };
    const result = await this.#appending.add(entry);
    if (result instanceof SrqError) throw result;
    return result;
  }

  /** Appends a group. When nothing may be begun any more, what has ended is still recorded. */
  async #append(group: readonly PendingEntry[]): Promise<(boolean | SrqError)[]> {
    // The id behind which a repetition looks for the records, because nobody knows whether a failed statement took effect.
    // All that the first statement writes has larger ids than any that was known when it was sent.
    let since: number | null = null;
    const { member } = this;
    const append = async () => {
      const { failure } = member;
      const allowed = failure === null ? group : group.filter(({ seen }) => seen === null);
      if (allowed.length === 0) return [];
      const behind = since;
      since ??= member.records.newestId;
      return this.#appendOnce(allowed, behind);
    };
    const rows = await this.#database.retryWhileAway(() => member.compared(append), this.#giveUp.signal);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const atMs = this.nowMs();
    const recorded = group.map((pending) => {
      const { key } = pending.subject;
      const row = byKey.get(key);
      if (!row) return member.failure ?? false;
      const { recorded, state, record } = row;
      this.#lookup.states.set(key, state);
      if (recorded) member.records.add(confirmed(pending, { id: Number(record), state, atMs }));
      return recorded;
    });
    const newest = member.records.newest;
    if (newest) this.#confirmed?.({ ...newest, store: member.store, epoch: member.epoch });
    return recorded;
  }

  #appendOnce(group: readonly PendingEntry[], since: number | null): Promise<AppendedRow[]> {
    const { id, epoch, server, records } = this.member;
    const begins = group.some(({ seen }) => seen !== null);
    const { newest } = records;
    return this.#database.query<AppendedRow>(APPEND, [
      ...[id, begins ? epoch : null, server, newest?.id ?? null, newest?.key ?? null, since],
      group.map(({ subject }) => subject.key),
      group.map(({ entry }) => entry),
      JSON.stringify(group.map(rowOf)),
    ]);
  }
}

interface AppendedRow {
  readonly key: string;
  readonly recorded: boolean;
  readonly state: LoggedState;
  readonly record: string | null;
}

const APPEND = `select replace(key::text, '-', '') as key, recorded, state, record
  from srq.append($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** Returns what `srq.append` is told of a record. */
function rowOf(pending: PendingEntry) {
  const { subject, event, seen, by, again, outcome } = pending;
  return {
    ...{ event, seen, again, row: subject.row, ref: storable(subject.ref), market: subject.market ?? null },
    ...{ next: nextState('none', event, by), next_licensed: nextState('licensed', event, by) },
    ...{ ids: idsOf(outcome), http: outcome?.http ?? null, ms: durationMs(pending), by: storedBy(event, pending) },
    ...{ message: storable(outcome?.message ?? null), raw: storable(outcome?.raw ?? null) },
  };
}

/** JSON as text: within the JSON of the whole the server could not hold NUL. */
const idsOf = (outcome: Outcome | null) =>
  outcome && Object.keys(outcome.ids).length > 0 ? JSON.stringify(outcome.ids) : null;

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
  const { http = null, message = null, raw = null } = outcome ?? {};
  return {
    ...{ id, entry, state, event, by: storedBy(event, pending), again, at: new Date(atMs).toISOString() },
    ...{ ...subject, ref: storable(subject.ref), ids: idsOf(outcome), http, ms: durationMs(pending) },
    ...{ message: storable(message), raw: storable(raw) },
  };
}

/** Tells for each key whether its last record is an intent of a living process. */
async function underWay(query: Query, keys: readonly string[]): Promise<boolean[]> {
  const rows = await query<{ key: string }>(
    `select replace(s.key::text, '-', '') as key from srq.request s join srq.record r on r.id = s.record
      join srq.process p on p.id = s.process
    where s.key = any($1::uuid[]) and r.event = 'sending' and not srq.is_gone(p)`,
    [keys],
  );
  const found = new Set(rows.map(({ key }) => key));
  return keys.map((key) => found.has(key));
}
