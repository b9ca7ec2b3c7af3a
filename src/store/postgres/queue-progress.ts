import { noSentCounts, type SentCounts, type SentStatus } from '../../request/status.ts';
import type { Database } from './database.ts';
import { withinTime } from './postgres-queue.ts';
import { livingProcesses } from './process-lease.ts';

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

/** Of the last 15 minutes those in which something ended, in order; null if counting them takes too long. */
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
