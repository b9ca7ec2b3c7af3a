import type { QueueDepth } from '../../request/log/request-queue.ts';
import type { Database, Query } from './database.ts';
import { isCancelled } from './failures.ts';

/** A process that works on a queue. */
interface WorkingProcess {
  /** The command, the process, the machine and the start time. */
  readonly name: string;
  readonly since: string;
  readonly seen: string;
  /** Number of requests that it has taken from the queue. */
  readonly inHand: number;
}

/** Returns the processes that work on a queue now. */
export async function workingProcesses({ query }: Pick<Database, 'query'>): Promise<WorkingProcess[]> {
  const rows = await query<{ holder: string; since: Date; seen: Date; in_hand: number }>(
    `select p.holder, p.since, p.seen,
      (select count(*)::integer from srq.waiting w where w.process = p.id) as in_hand
    from srq.process p where p.holder like 'srq work,%' and not srq.is_gone(p) order by p.id`,
  );
  return rows.map(({ holder: name, since, seen, in_hand: inHand }) => {
    return { name, since: since.toISOString(), seen: seen.toISOString(), inHand };
  });
}

/** Maximum time for which one figure that is only shown may keep the server busy. */
const MAX_COUNTING_MS = 200;

/** Returns how many requests of the account wait. Those that nobody has taken are only counted if that is quick. */
export async function depth(query: Query, account: string): Promise<QueueDepth> {
  // The oldest is found in the index by which requests are taken.
  const [known] = await query<{ in_work: number; estimate: number; oldest_ms: number | null }>(
    `select (select count(*)::integer from srq.waiting where account = $1 and process is not null) as in_work,
      (select greatest(reltuples, pg_stat_get_live_tuples(oid))::float8 from pg_class
        where oid = 'srq.waiting'::regclass) as estimate,
      (select extract(epoch from clock_timestamp() - since)::float8 * 1000 from srq.waiting
        where account = $1 and process is null order by account, since, key limit 1) as oldest_ms`,
    [account],
  );
  const { in_work: inWork = 0, estimate = 0, oldest_ms } = known ?? {};
  const counting = query<{ ready: number; waiting: number }>(
    `set local statement_timeout = ${MAX_COUNTING_MS};
    select count(*) filter (where due <= clock_timestamp())::integer as ready,
      count(*) filter (where due > clock_timestamp())::integer as waiting
    from srq.waiting where account = '${account}' and process is null`,
  );
  const [counted] = await counting.catch((error: unknown) => {
    if (isCancelled(error)) return [];
    throw error;
  });
  const { ready = null, waiting = null } = counted ?? {};
  const total = ready === null || waiting === null ? estimate : ready + waiting + inWork;
  return { total, ready, waiting, inWork, oldestMs: Math.max(0, oldest_ms ?? 0) };
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
