import { KeyIndex } from '../model/key-index.ts';
import type { LogPosition, ReadRecord } from '../model/log-store.ts';
import type { Clock, LogRecord } from '../model/ports.ts';
import { type Database, type Query, STATEMENT_TIMEOUT_MS } from './database.ts';
import { RECORD_COLUMNS, type RecordRow, recordOf } from './read-log.ts';

const FETCH_ROWS = 2_000;
const POLL_MS = 500;
/**
 * Maximum time for which a record is awaited whose id was taken from the sequence but which cannot be seen. After that its
 * statement has certainly timed out.
 */
const MAX_MISSING_MS = 2 * STATEMENT_TIMEOUT_MS;
/** Maximum number of ids before the newest record that are checked for missing records. */
const MAX_MISSING_LOOKBACK = 10_000;

type ReadRow = RecordRow & { readonly is_last: boolean };

/** Yields the last record of each request, oldest first, as of the moment when reading begins. */
export async function* readLatest(database: Database): AsyncGenerator<LogRecord, LogPosition> {
  return yield* inOneView(database, async function* (query) {
    const position = await newestPosition(query);
    const rows = fetched(query, 'srq.state s join srq.record r on r.id = s.record', 'true');
    for await (const row of rows) yield recordOf(row);
    return position;
  });
}

/** Yields every record in the order of the log, as of the moment when reading begins. */
export async function* readAllRecords(database: Database): AsyncGenerator<ReadRecord, LogPosition> {
  return yield* inOneView(database, async function* (query) {
    const position = await newestPosition(query);
    const requests = new KeyIndex();
    const rows = fetched(query, 'srq.record r join srq.state s on s.key = r.key', 's.record = r.id');
    for await (const row of rows) {
      const record = recordOf(row);
      yield { record, request: requests.findOrAdd(record.key), isLast: row.is_last };
    }
    return position;
  });
}

/**
 * Yields each record that is added behind the position, as it comes, until `stop` fires. Ids are taken from a sequence
 * before their records can be seen, so a record may come after its successors. It waits while the server is away.
 */
export async function* followRecords(
  database: Database,
  from: LogPosition,
  clock: Clock,
  stop: AbortSignal,
): AsyncGenerator<LogRecord, void> {
  let { end } = from;
  const missing = new Map((from.missing ?? []).map((id) => [id, clock.monotonicMs()]));
  for (; !stop.aborted; await clock.sleep(POLL_MS, stop)) {
    const values = [end, [...missing.keys()]];
    const rows = await database.persist(() => database.query<RecordRow>(FOLLOW, values), stop);
    const nowMs = clock.monotonicMs();
    for (const row of rows) {
      const id = Number(row.id);
      missing.delete(id);
      for (let skipped = end + 1; skipped < id; skipped++) missing.set(skipped, nowMs);
      end = Math.max(end, id);
      yield recordOf(row);
    }
    for (const [id, sinceMs] of missing) if (nowMs - sinceMs > MAX_MISSING_MS) missing.delete(id);
  }
}

const FOLLOW = `select ${RECORD_COLUMNS} from srq.record r join srq.worker w on w.id = r.worker
  where r.id > $1 or r.id = any($2::bigint[]) order by r.id`;

/** Returns the newest id, and the ids before it without a visible record, because those may still be written. */
async function newestPosition(query: Query): Promise<LogPosition> {
  const [newest] = await query<{ id: string | null }>('select max(id) as id from srq.record');
  const end = Number(newest?.id ?? 0);
  const gaps = await query<{ id: string }>(
    `select n as id from generate_series($1::bigint, $2::bigint) as n
    where not exists (select 1 from srq.record where id = n)`,
    [Math.max(1, end - MAX_MISSING_LOOKBACK), end],
  );
  return { end, missing: gaps.map(({ id }) => Number(id)) };
}

/** Runs `work` in a transaction whose queries all see the log as it was at the first of them. */
async function* inOneView<Item, End>(
  database: Database,
  work: (query: Query) => AsyncGenerator<Item, End>,
): AsyncGenerator<Item, End> {
  const session = await database.connect({ patient: true });
  try {
    await session.query('begin isolation level repeatable read read only');
    return yield* work(session.query);
  } finally {
    await session.close();
  }
}

async function* fetched(query: Query, tables: string, isLast: string): AsyncGenerator<ReadRow> {
  await query(`declare records no scroll cursor for select ${RECORD_COLUMNS}, ${isLast} as is_last
    from ${tables} join srq.worker w on w.id = r.worker order by r.id`);
  for (;;) {
    const rows = await query<ReadRow>(`fetch ${FETCH_ROWS} from records`);
    yield* rows;
    if (rows.length < FETCH_ROWS) return;
  }
}
