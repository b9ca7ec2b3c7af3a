import type { OpenLog } from '../../request/log/log-store.ts';
import { type LoggedState, nextState } from '../../request/log/status.ts';
import { stopwatch } from '../../request/small.ts';
import { SrqError } from '../../request/words/errors.ts';
import { inGroups } from '../in-groups.ts';
import { logWriter, type NewRecord } from '../stored-record.ts';
import type { Database, Query } from './database.ts';
import { enterStore, type Membership, type MembershipOptions } from './membership.ts';
import { byKey, logLookup } from './read-log.ts';
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
  /** The run that wrote it. After a restore, another one may write a record with the same key and number. */
  readonly run: string;
}

/** The log in a database. `givenUp` is aborted some time after the run was told to stop: the store is not waited for any longer. */
type PostgresLog = OpenLog & { readonly member: Membership; readonly givenUp: AbortSignal };

/**
 * Opens the log of a database that has its tables, for senders on any number of machines. It keeps only the answers to its
 * last queries. The table `request` is authoritative: a record is accepted only if the row there is as its writer has seen
 * it. While the server is unavailable, all calls wait and nothing is sent. Throws `SrqError('log')` if it cannot be opened.
 */
export async function openPostgresLog(database: Database, options: PostgresLogOptions): Promise<PostgresLog> {
  const { run, clock, stopping, confirmed } = options;
  const member = await enterStore(database, options);
  const giveUp = new AbortController();
  const { signal: givenUp } = giveUp;
  const giveUpSoon = () => void clock.sleep(LAST_TRIES_MS, givenUp).then(() => giveUp.abort());
  stopping.addEventListener('abort', giveUpSoon, { once: true, signal: givenUp });
  const query: Query = (...asked) => database.retryWhileAway(() => database.query(...asked), givenUp);
  const { lookup, set, prefetch, read } = logLookup(query, clock);
  const living = byKey(query, UNDER_WAY, (row) => row !== undefined);
  let entries = 0;
  let isClosed = false;

  /** Appends a group. When nothing may be begun any more, what has ended is still recorded. */
  const appendGroup = async (group: readonly PendingEntry[]) => {
    const append = async () => {
      const allowed = member.failure === null ? group : group.filter(({ seen }) => seen === null);
      return allowed.length === 0 ? [] : appendOnce(database, member, run, allowed);
    };
    const rows = await database.retryWhileAway(() => member.compared(append), givenUp);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const at = new Date(member.nowMs()).toISOString();
    const results = group.map(({ entry, record, waitedMs }) => {
      const row = byKey.get(record.key);
      if (!row) return member.failure ?? false;
      const { recorded, state, record: id } = row;
      set(record.key, state);
      if (recorded) member.confirm({ ...rowOf(dated(record, waitedMs())), id: Number(id), entry, state, at });
      return recorded;
    });
    const { newest, joined } = member;
    if (newest) confirmed?.({ ...newest, run, store: joined.store, epoch: joined.epoch });
    return results;
  };
  const identify = ({ record }: PendingEntry) => record.key;
  const appending = inGroups(appendGroup, MAX_GROUP_RECORDS, identify);
  const append = async (record: NewRecord, seen: LoggedState | null) => {
    if (isClosed) throw new SrqError('log.closed', `The log ${database.shown} was closed.`);
    const result = await appending.add({ entry: ++entries, record, seen, waitedMs: stopwatch(clock) });
    if (result instanceof SrqError) throw result;
    return result;
  };
  return {
    ...logWriter(append),
    run,
    writeLeaseMs: WRITE_LEASE_MS,
    member,
    givenUp,
    nowMs: () => member.nowMs(),
    ...{ lookup, prefetch, read },
    mayBeUnderWay: (key) => living.add(key),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      giveUpSoon();
      await appending.idle();
      giveUp.abort();
      await member.leave();
    },
  };
}

function appendOnce({ query }: Database, member: Membership, run: string, group: readonly PendingEntry[]) {
  const { newest, joined } = member;
  const begins = group.some(({ seen }) => seen !== null);
  const entries = group.map(({ entry, record, seen, waitedMs }) => {
    const { event, by = null } = record;
    const next = { next: nextState('none', event, by), next_licensed: nextState('licensed', event, by) };
    return { ...rowOf(dated(record, waitedMs())), entry, seen, ...next };
  });
  return query<{ key: string; recorded: boolean; state: LoggedState; record: string | null }>(APPEND, [
    ...[joined.process, run, begins ? joined.epoch : null, joined.server, newest?.id ?? null, newest?.key ?? null],
    jsonOf(entries),
  ]);
}

const APPEND = `select replace(key::text, '-', '') as key, recorded, state, record
  from srq.append($1, $2, $3, $4, $5, $6, $7)`;

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
