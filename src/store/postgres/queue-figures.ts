import type { QueueDepth } from '../../request/log/request-queue.ts';
import { noSentCounts, type SentCounts, type SentStatus } from '../../request/log/status.ts';
import type { Database, Query } from './database.ts';
import { isCancelled } from './failures.ts';
import { livingProcesses } from './process-lease.ts';
import { QUEUE_SCHEMA } from './queue-schema.ts';

const MINUTES = 15;
/**
 * Number of records, counted from the end of the log, that are read at most. It bounds the time, however long the log
 * is.
 */
const LATEST_RECORDS = 2_000_000;

/** A process that works on a queue. */
interface WorkingProcess {
  /** The command, the process, the machine and the start time. */
  readonly name: string;
  readonly since: string;
  readonly seen: string;
  /** Number of requests that it has taken from the queue. */
  readonly inHand: number;
}

/** Returns the processes that use the store now and work, or have worked, on the queue. */
export async function workingProcesses({ query }: Database): Promise<WorkingProcess[]> {
  const rows = await query<{ id: number; holder: string; since: Date; seen_at: Date; in_hand: string }>(
    `select w.id, w.holder, w.since, w.seen_at, count(c.job) as in_hand
    from srq.worker w left join srq.queue_claim c on c.worker = w.id
    where w.left_at is null and w.holder like 'srq work,%' and w.seen_at > clock_timestamp() - interval '1 day'
    group by w.id order by w.id`,
  );
  const living = await livingProcesses(
    query,
    rows.map(({ id }) => id),
    0,
  );
  return rows
    .filter(({ id }) => living.has(id))
    .map(({ holder, since, seen_at, in_hand }) => ({
      name: holder,
      since: since.toISOString(),
      seen: seen_at.toISOString(),
      inHand: Number(in_hand),
    }));
}

/** The outcomes that were recorded in one minute. */
type MinuteCounts = { readonly at: string } & Readonly<SentCounts>;

/**
 * Returns the counts of those of the last 15 minutes in which something ended, in order, or null if counting takes too
 * long.
 */
export async function outcomesByMinute(database: Database): Promise<MinuteCounts[] | null> {
  const rows = await withinTime(database, (query) =>
    query<{ at: Date; event: SentStatus; count: string }>(
      `select date_trunc('minute', at) as at, event, count(*) as count from srq.record
      where id > (select max(id) from srq.record) - $1 and event not in ('sending', 'licence')
        and at > date_trunc('minute', clock_timestamp()) - make_interval(mins => $2)
      group by 1, 2 order by 1`,
      [LATEST_RECORDS, MINUTES],
    ),
  );
  if (rows === null) return null;
  const minutes = new Map<string, MinuteCounts>();
  for (const { at: time, event, count } of rows) {
    const at = time.toISOString();
    minutes.set(at, { at, ...noSentCounts(), ...minutes.get(at), [event]: Number(count) });
  }
  return [...minutes.values()];
}

/** Returns the kept count of the queue, and how many of its jobs are ready and wait, if those are counted soon enough. */
export async function depth(database: Database, name: string): Promise<QueueDepth> {
  const [kept] = await database.query<{ total: string; in_work: string }>(
    `select coalesce((select total from srq.queue_totals(array[$1])), 0) as total,
      (select count(*) from srq.queue_claim c where c.queue = $1) as in_work`,
    [name],
  );
  const split = await withinTime(database, (query) =>
    query<{ ready: string; waiting: string }>(
      `select count(*) filter (where start_after <= clock_timestamp()) as ready,
        count(*) filter (where start_after > clock_timestamp()) as waiting
      from ${QUEUE_SCHEMA}.job where name = $1 and state < 'active'`,
      [name],
    ),
  );
  const counted = split?.[0];
  return {
    total: Number(kept?.total ?? 0),
    ready: counted === undefined ? null : Number(counted.ready),
    waiting: counted === undefined ? null : Number(counted.waiting),
    inWork: Number(kept?.in_work ?? 0),
  };
}

/** Returns the age of the oldest job. It uses the index by which jobs are taken, so a long queue costs no more. */
export async function oldest(query: Query, name: string): Promise<number> {
  await query("select set_config('enable_sort', 'off', true)");
  const text = `select extract(epoch from clock_timestamp() - created_on)::float8 * 1000 as ms from ${QUEUE_SCHEMA}.job
    where name = $1 and state < 'active' order by created_on, id limit 1`;
  const [row] = await query<{ ms: number }>(text, [name]);
  return Math.max(0, row?.ms ?? 0);
}

/** Maximum time for which one figure that is only shown may keep the server busy. */
const MAX_COUNTING_MS = 300;

/** Returns what `count` counts, or null if that takes too long. */
async function withinTime<Result>(
  database: Database,
  count: (query: Query) => Promise<Result>,
): Promise<Result | null> {
  try {
    return await database.transaction(async (query) => {
      await query(`set local statement_timeout = ${MAX_COUNTING_MS}`);
      return count(query);
    });
  } catch (error) {
    if (isCancelled(error)) return null;
    throw error;
  }
}
