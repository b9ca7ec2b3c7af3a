import type { OpenLog } from '../../request/log/log-store.ts';
import { type LoggedState, nextState } from '../../request/log/status.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { stopwatch } from '../../request/small.ts';
import { SrqError } from '../../request/words/errors.ts';
import { InGroups } from '../in-groups.ts';
import { LogWriter, type NewRecord } from '../stored-record.ts';
import type { Database, Query } from './database.ts';
import { Membership, type MembershipOptions } from './membership.ts';
import { byKey, LogLookup } from './read-log.ts';
import { jsonOf, rowOf } from './rows.ts';

/**
 * Time for which a write lease is valid. An intent without an outcome is left alone for twice this time before validate
 * is asked about it (`settle-rows.ts`).
 */
const WRITE_LEASE_MS = 20_000;
const MAX_GROUP_RECORDS = 1_000;
/**
 * Time for which recording outcomes is still tried after the run was told to stop. Outcomes that are not recorded by
 * then are shown to the user.
 */
const LAST_TRIES_MS = 5_000;

interface PendingEntry {
  /** The number of the record among those of this process. */
  readonly entry: number;
  readonly record: NewRecord;
  /** The state that the key must still have (compare and set), or null for any state. */
  readonly seen: LoggedState | null;
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
export class PostgresLog extends LogWriter implements OpenLog {
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
  /** Aborted some time after the run was told to stop: the store is not waited for any longer. */
  readonly givenUp: AbortSignal = this.#giveUp.signal;
  readonly #giveUpSoon: () => void;
  #entries = 0;
  #closed = false;

  private constructor(database: Database, member: Membership, options: PostgresLogOptions) {
    super();
    this.run = options.run;
    this.member = member;
    this.#database = database;
    this.#clock = options.clock;
    this.#confirmed = options.confirmed;
    const { signal } = this.#giveUp;
    const query: Query = (...asked) => database.retryWhileAway(() => database.query(...asked), signal);
    this.#lookup = new LogLookup(query, options.clock);
    const identify = ({ record }: PendingEntry) => record.key;
    this.#appending = new InGroups((group) => this.#append(group), { most: MAX_GROUP_RECORDS, identify });
    this.#living = byKey(query, UNDER_WAY, (row) => row !== undefined);
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
    return this.#lookup.lookup(key);
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

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#giveUpSoon();
    await this.#appending.idle();
    this.#giveUp.abort();
    await this.member.leave();
  }

  protected async append(record: NewRecord, seen: LoggedState | null): Promise<boolean> {
    if (this.#closed) throw new SrqError('log.closed', `The log ${this.#database.shown} was closed.`);
    const entry = { entry: ++this.#entries, record, seen, waitedMs: stopwatch(this.#clock) };
    const result = await this.#appending.add(entry);
    if (result instanceof SrqError) throw result;
    return result;
  }

  /** Appends a group. When nothing may be begun any more, what has ended is still recorded. */
  async #append(group: readonly PendingEntry[]): Promise<(boolean | SrqError)[]> {
    const { member } = this;
    const append = async () => {
      const allowed = member.failure === null ? group : group.filter(({ seen }) => seen === null);
      return allowed.length === 0 ? [] : this.#appendOnce(allowed);
    };
    const rows = await this.#database.retryWhileAway(() => member.compared(append), this.#giveUp.signal);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const at = new Date(this.nowMs()).toISOString();
    const recorded = group.map(({ entry, record, waitedMs }) => {
      const row = byKey.get(record.key);
      if (!row) return member.failure ?? false;
      const { recorded, state, record: id } = row;
      this.#lookup.set(record.key, state);
      if (recorded) member.confirm({ ...rowOf(dated(record, waitedMs())), id: Number(id), entry, state, at });
      return recorded;
    });
    const { newest, joined } = member;
    if (newest) this.#confirmed?.({ ...newest, store: joined.store, epoch: joined.epoch });
    return recorded;
  }

  #appendOnce(group: readonly PendingEntry[]): Promise<AppendedRow[]> {
    const { id, newest, joined } = this.member;
    const begins = group.some(({ seen }) => seen !== null);
    const entries = group.map(({ entry, record, seen, waitedMs }) => {
      const { event, by = null } = record;
      const next = { next: nextState('none', event, by), next_licensed: nextState('licensed', event, by) };
      return { ...rowOf(dated(record, waitedMs())), entry, seen, ...next };
    });
    return this.#database.query<AppendedRow>(APPEND, [
      ...[id, begins ? joined.epoch : null, joined.server, newest?.id ?? null, newest?.key ?? null],
      jsonOf(entries),
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
  from srq.append($1, $2, $3, $4, $5, $6)`;

/** A shorter wait for the store is not counted, so that a duration usually belongs to the service alone. */
const MIN_COUNTED_WAIT_MS = 2_000;

/**
 * Counts the time from the first try until the record is written, if there was a try. A record is dated when it is written,
 * and the store may have been away for long before that. By this time a reader still knows when the service may have
 * processed the request, and whether it still remembers its idempotency key.
 */
function dated(record: NewRecord, waitedMs: number): NewRecord {
  if (record.ms === null) return record;
  return { ...record, ms: Math.round(record.ms + (waitedMs < MIN_COUNTED_WAIT_MS ? 0 : waitedMs)) };
}

/** The keys whose last record is an intent of a living process. */
const UNDER_WAY = `select replace(s.key::text, '-', '') as key from srq.request s join srq.record r on r.id = s.record
    join srq.process p on p.id = s.process
  where s.key = any($1::uuid[]) and r.event = 'sending' and not srq.is_gone(p)`;
