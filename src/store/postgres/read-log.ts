import { KeyIndex } from '../../request/log/key-index.ts';
import type { ReadRecord } from '../../request/log/log-store.ts';
import type { LoggedState } from '../../request/log/status.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { RecentMap } from '../../request/small.ts';
import { inGroups } from '../in-groups.ts';
import { type KnownRequest, recordFrom } from '../stored-record.ts';
import type { Database, Query } from './database.ts';
import { RECORD_COLUMNS, type RecordRow, recordOf, storedText } from './rows.ts';

/** Maximum number of keys in one statement. */
const MAX_GROUP_KEYS = 5_000;
/** Number of the last states that are kept. A caller looks up a state right after it has requested it. */
const KEPT = 50_000;
/**
 * Time for which the state `none` is trusted. If it has changed meanwhile, the store refuses the write, and the state
 * is read again.
 */
const NONE_HOLDS_MS = 10_000;
const FETCH_ROWS = 2_000;

/** Asks the store about keys. Those that are asked about while one statement is under way share the next one. */
export function byKey<Row extends { readonly key: string }, Result>(
  query: Query,
  text: string,
  resultOf: (row: Row | undefined, key: string) => Result,
) {
  const ask = async (keys: readonly string[]) => {
    const found = new Map((await query<Row>(text, [keys])).map((row) => [row.key, row]));
    return keys.map((key) => resultOf(found.get(key), key));
  };
  return inGroups(ask, MAX_GROUP_KEYS);
}

/**
 * Looks up keys in the store without taking part in the log. Memory is bounded, because a process may send for months.
 * `query` may wait for an unavailable server.
 */
export function logLookup(query: Query, { monotonicMs }: Clock) {
  const known = new RecentMap<{ readonly state: LoggedState; readonly atMs: number }>(KEPT);
  /** Returns the state of a key. It is `none` if it was never looked up, or too long ago. */
  const lookup = (key: string): LoggedState => known.get(key)?.state ?? 'none';
  const set = (key: string, state: LoggedState) => known.set(key, { state, atMs: monotonicMs() });
  const states = byKey<{ readonly key: string; readonly state: LoggedState }, void>(
    query,
    "select replace(key::text, '-', '') as key, state from srq.request where key = any($1::uuid[])",
    (row, key) => set(key, row?.state ?? 'none'),
  );
  const records = byKey<RecordRow, LogRecord | null>(
    query,
    `select ${RECORD_COLUMNS} ${OF_REQUESTS} where s.key = any($1::uuid[])`,
    (row) => (row ? recordOf(row) : null),
  );
  return {
    lookup,
    set,
    /** Asks the store for what is not known, or was `none` too long ago. */
    prefetch: async (keys: readonly string[]) => {
      const since = monotonicMs() - NONE_HOLDS_MS;
      const isFresh = (key: string) => lookup(key) === 'none' && (known.get(key)?.atMs ?? since) > since;
      await Promise.all(keys.map((key) => (isFresh(key) ? undefined : states.add(key))));
    },
    read: (key: string) => records.add(key),
    close: async () => {},
  };
}

const OF_REQUESTS = 'from srq.request s join srq.record r on r.id = s.record join srq.process w on w.id = r.process';

/** Yields the last record of each request, oldest first, as of the moment when reading begins. */
export async function* readLatest(database: Database): AsyncGenerator<LogRecord> {
  const text = `select ${RECORD_COLUMNS} ${OF_REQUESTS} order by r.id`;
  for await (const row of inOneView<RecordRow>(database, text)) yield recordOf(row);
}

/** Yields every record in the order of the log, or only those with a reference, as of the moment when reading begins. */
export async function* readAllRecords(database: Database, ref?: string): AsyncGenerator<ReadRecord> {
  const requests = new KeyIndex();
  const text = `select ${RECORD_COLUMNS}, s.record = r.id as is_last from srq.record r join srq.request s on s.key = r.key
    join srq.process w on w.id = r.process`;
  type Row = RecordRow & { readonly is_last: boolean };
  const rows =
    ref === undefined
      ? inOneView<Row>(database, `${text} order by r.id`)
      : await database.query<Row>(`${text} where ${WITH_REF} order by r.id`, [storedText(ref)]);
  for await (const row of rows) {
    const record = recordOf(row);
    yield { record, request: requests.findOrAdd(record.key), isLast: row.is_last };
  }
}

/** The first condition is that of the index. */
const WITH_REF = "left(r.details ->> 'ref', 200) = left($1, 200) and r.details ->> 'ref' = $1";

/** Yields the state and the last record of each request, oldest first, as of the moment when reading begins. */
export async function* readRequests(database: Database): AsyncGenerator<KnownRequest> {
  // If somebody has deleted a record, only the state is left, and nobody knows when the request was sent.
  const text = `select ${RECORD_COLUMNS}, replace(s.key::text, '-', '') as key, s.state
    from srq.request s left join (srq.record r join srq.process w on w.id = r.process) on r.id = s.record order by s.record`;
  for await (const { state, ...row } of inOneView<RecordRow & Pick<KnownRequest, 'state'>>(database, text)) {
    const event = state === 'licensed' ? 'licence' : state === 'parked' || state === 'none' ? 'unknown' : state;
    const forgotten = { key: row.key, event, at: new Date(0).toISOString() } as const;
    yield { state, record: row.id === null ? recordFrom(forgotten, {}) : recordOf(row) };
  }
}

/** Yields the rows of a query, all as they were at one moment. */
export async function* inOneView<Row extends object>(database: Database, text: string): AsyncGenerator<Row> {
  const session = await database.connect();
  try {
    await session.query('begin isolation level repeatable read read only');
    await session.query(`declare records no scroll cursor for ${text}`);
    for (;;) {
      const rows = await session.query<Row>(`fetch ${FETCH_ROWS} from records`);
      yield* rows;
      if (rows.length < FETCH_ROWS) return;
    }
  } finally {
    await session.close();
  }
}
