import { KeyIndex } from '../../request/log/key-index.ts';
import type { LogReader, ReadRecord } from '../../request/log/log-store.ts';
import type { LoggedState } from '../../request/log/status.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { InGroups } from '../in-groups.ts';
import { recordFrom } from '../stored-record.ts';
import { type Database, type Query, STATEMENT_TIMEOUT_MS } from './database.ts';
import type { KnownRequest } from './moving.ts';
import { RECORD_COLUMNS, type RecordRow, recordOf } from './rows.ts';

/** Maximum number of keys in one statement. */
const MAX_GROUP_KEYS = 5_000;
/** Number of states that are kept. A caller looks up a state right after it has requested it. */
const KEPT = 100_000;
/**
 * Time for which the state `none` is trusted. If it has changed meanwhile, the store refuses the write, and the state
 * is read again.
 */
const NONE_HOLDS_MS = 10_000;
const FETCH_ROWS = 2_000;
const LOOK_MS = 500;
/**
 * Maximum time to wait for a record whose id was taken from the sequence but which is not visible. After that its
 * statement has certainly timed out.
 */
const MISSING_MS = 2 * STATEMENT_TIMEOUT_MS;
/** Maximum number of ids before the newest record that are checked for missing records. */
const MISSING_LOOK = 10_000;

interface KnownState {
  readonly state: LoggedState;
  readonly atMs: number;
}

/** The states of recently requested keys. Memory is bounded, because a process may send for months. */
class StateMemory {
  readonly #monotonicMs: () => number;
  readonly #known = new Map<string, KnownState>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Returns the state of a key. It is `none` if it was never set, or too long ago. */
  get(key: string): LoggedState {
    return this.#known.get(key)?.state ?? 'none';
  }

  /** Tells whether the state is recent enough that the store need not be asked again. */
  isFresh(key: string): boolean {
    const known = this.#known.get(key);
    return known?.state === 'none' && this.#monotonicMs() - known.atMs < NONE_HOLDS_MS;
  }

  set(key: string, state: LoggedState): void {
    // The oldest come first.
    this.#known.delete(key);
    this.#known.set(key, { state, atMs: this.#monotonicMs() });
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

/**
 * Looks up keys in the store, in groups. Keys that are requested while one statement is under way share the next one.
 */
export class LogLookup {
  readonly states: StateMemory;
  readonly #ask: InGroups<string, null>;
  readonly #records: InGroups<string, LogRecord | null>;

  /** `query` may wait for an unavailable server. */
  constructor(query: Query, monotonicMs: () => number) {
    this.states = new StateMemory(monotonicMs);
    const most = MAX_GROUP_KEYS;
    this.#ask = new InGroups(
      async (keys) => {
        const rows = await query<{ key: string; state: LoggedState }>(
          "select replace(key::text, '-', '') as key, state from srq.request where key = any($1::uuid[])",
          [keys],
        );
        const found = new Map(rows.map(({ key, state }) => [key, state]));
        for (const key of keys) this.states.set(key, found.get(key) ?? 'none');
        return keys.map(() => null);
      },
      { most },
    );
    this.#records = new InGroups(
      async (keys) => {
        const rows = await query<RecordRow>(
          `select ${RECORD_COLUMNS} from srq.request s join srq.record r on r.id = s.record
        join srq.process w on w.id = r.process where s.key = any($1::uuid[])`,
          [keys],
        );
        const found = new Map(rows.map((row) => [row.key, recordOf(row)]));
        return keys.map((key) => found.get(key) ?? null);
      },
      { most },
    );
  }

  async prefetch(keys: readonly string[]): Promise<void> {
    const asked = keys.filter((key) => !this.states.isFresh(key));
    await Promise.all(asked.map((key) => this.#ask.add(key)));
  }

  read(key: string): Promise<LogRecord | null> {
    return this.#records.add(key);
  }
}

/** Opens the log only to look up keys, without taking part in it. `isEmpty` means that the store has no tables yet. */
export function openReader(database: Database, isEmpty: boolean, { monotonicMs }: Clock): LogReader {
  const lookup = new LogLookup(database.query, monotonicMs);
  return {
    lookup: (key) => lookup.states.get(key),
    prefetch: async (keys) => (isEmpty ? undefined : lookup.prefetch(keys)),
    read: (key) => (isEmpty ? null : lookup.read(key)),
    close: async () => {},
  };
}

const LATEST = `select ${RECORD_COLUMNS} from srq.request s join srq.record r on r.id = s.record
  join srq.process w on w.id = r.process order by r.id`;

/** Yields the last record of each request, oldest first, as of the moment when reading begins. */
export async function* readLatest(database: Database, order: 'asc' | 'desc' = 'asc'): AsyncGenerator<LogRecord> {
  for await (const row of inOneView<RecordRow>(database, `${LATEST} ${order}`)) yield recordOf(row);
}

/** Yields every record in the order of the log, as of the moment when reading begins. */
export async function* readAllRecords(database: Database): AsyncGenerator<ReadRecord> {
  const requests = new KeyIndex();
  const text = `select ${RECORD_COLUMNS}, s.record = r.id as is_last from srq.record r join srq.request s on s.key = r.key
    join srq.process w on w.id = r.process order by r.id`;
  for await (const row of inOneView<RecordRow & { readonly is_last: boolean }>(database, text)) {
    const record = recordOf(row);
    yield { record, request: requests.findOrAdd(record.key), isLast: row.is_last };
  }
}

interface StateRow {
  readonly known_key: string;
  readonly state: LoggedState;
}

/** Yields the state and the last record of each request, oldest first, as of the moment when reading begins. */
export async function* readRequests(database: Database): AsyncGenerator<KnownRequest> {
  const text = `select ${RECORD_COLUMNS}, replace(s.key::text, '-', '') as known_key, s.state
    from srq.request s left join (srq.record r join srq.process w on w.id = r.process) on r.id = s.record order by s.record`;
  for await (const row of inOneView<RecordRow & StateRow>(database, text))
    yield { state: row.state, record: row.id === null ? forgotten(row.known_key, row.state) : recordOf(row) };
}

/** The record of a request of which only the state was kept. Nobody knows when it was sent. */
function forgotten(key: string, state: LoggedState): LogRecord {
  const event = state === 'licensed' ? 'licence' : state === 'parked' || state === 'none' ? 'unknown' : state;
  return recordFrom({ key, event, at: new Date(0).toISOString() }, {});
}

/** Yields the rows of a query, all as they were at one moment. */
async function* inOneView<Row extends object>(database: Database, text: string): AsyncGenerator<Row> {
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

/**
 * Yields the last record of each request and then null, and from then on each record that is added, until `stop` fires. It
 * waits while the server is unavailable. Ids are taken from a sequence before their records become visible, so a record
 * may come after its successors.
 */
export async function* followRecords(
  database: Database,
  clock: Clock,
  stop: AbortSignal,
): AsyncGenerator<LogRecord | null> {
  const look = (end: number, missing: readonly number[]) =>
    database.retryWhileAway(() => database.query<RecordRow>(FOLLOW, [end, missing]), stop);
  const [newest] = await database.query<{ end: number; missing: number[] }>(POSITION, [MISSING_LOOK]);
  let end = newest?.end ?? 0;
  const missing = new Map((newest?.missing ?? []).map((id) => [id, clock.monotonicMs()]));
  // What is added while these are read is told twice rather than never.
  yield* readLatest(database);
  yield null;
  for (; !stop.aborted; await clock.sleep(LOOK_MS, stop)) {
    const nowMs = clock.monotonicMs();
    for (const row of await look(end, [...missing.keys()])) {
      const id = Number(row.id);
      missing.delete(id);
      for (let skipped = end + 1; skipped < id; skipped++) missing.set(skipped, nowMs);
      end = Math.max(end, id);
      yield recordOf(row);
    }
    for (const [id, sinceMs] of missing) if (nowMs - sinceMs > MISSING_MS) missing.delete(id);
  }
}

const FOLLOW = `select ${RECORD_COLUMNS} from srq.record r join srq.process w on w.id = r.process
  where r.id > $1 or r.id = any($2::bigint[]) order by r.id`;

/** The newest id, and the ids before it without a visible record, because those may still be written. */
const POSITION = `select n.id::float8 as end, array(select i::float8 from generate_series(greatest(1, n.id - $1), n.id) as i
    where not exists (select 1 from srq.record where id = i)) as missing
  from (select coalesce(max(id), 0) as id from srq.record) n`;
