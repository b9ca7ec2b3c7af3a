import type { QueueDepth } from '../../request/log/request-queue.ts';
import type { Database, Query } from './database.ts';

/**
 * Returns the processes that work on a queue now: the command, the process, the machine and the start time of each, and how
 * many requests it has in hand. One that was not heard for a minute is not shown, although its rows are kept for it a while
 * after the server's start.
 */
export async function workingProcesses({ query }: Pick<Database, 'query'>) {
  const rows = await query<{ name: string; since: Date; seen: Date; inHand: number }>(
    `select p.holder as name, p.since, p.seen,
      (select count(*)::integer from srq.waiting w where w.process = p.id) as "inHand"
    from srq.process p where p.holder like 'srq work,%' and p.left_at is null
      and p.seen > clock_timestamp() - interval '60 seconds' order by p.id`,
  );
  return rows.map((row) => ({ ...row, since: row.since.toISOString(), seen: row.seen.toISOString() }));
}

/** Returns how many requests of the account wait. */
export async function depth(query: Query, account: string): Promise<QueueDepth> {
  const [row] = await query<QueueDepth>(
    `select count(*)::integer as total,
      count(*) filter (where process is null and due <= now())::integer as ready,
      count(*) filter (where process is null and due > now())::integer as waiting, count(process)::integer as "inWork",
      greatest(0, extract(epoch from now() - min(since) filter (where process is null))::float8 * 1000) as "oldestMs"
    from srq.waiting where account = $1`,
    [account],
  );
  if (!row) throw new Error('no answer of a count');
  return row;
}

/** What in a store needs a person now. */
export interface Standing {
  /** Number of requests whose outcome is unknown. */
  readonly unknown: number;
  /** Why nothing is sent before a person says so, or null. */
  readonly held: string | null;
}

/** Returns what stands in the way. An intent without an outcome is not counted: it may be under way. */
export async function standing(query: Query): Promise<Standing> {
  const [row] = await query<Standing>(`select coalesce(held, case when met is not null then 'missing' end) as held,
    (select count(*)::integer from srq.record r join srq.request s on s.record = r.id
      where r.event = 'unknown' and s.state in ('unknown', 'parked')) as unknown
    from srq.meta`);
  return row ?? { unknown: 0, held: null };
}
