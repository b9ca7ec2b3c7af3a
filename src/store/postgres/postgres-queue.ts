import type PgBoss from 'pg-boss';
import type { Destination } from '../../request/lead/service-request.ts';
import type { JobDecision, QueuedRequest, RequestQueue, TakenRequest } from '../../request/log/request-queue.ts';
import { InGroups } from '../in-groups.ts';
import { accountId } from './account.ts';
import { FIRST_RETRY_S, RETRIES, startBoss, within } from './boss.ts';
import type { Database, Query } from './database.ts';
import { livingProcesses } from './process-lease.ts';
import { depth, oldest } from './queue-figures.ts';
import { jobOf, keyOf, type TakenJob, takenOf } from './queue-job.ts';
import { QUEUE_SCHEMA } from './queue-schema.ts';

const GROUP_JOBS = 500;

interface PostgresQueueOptions {
  readonly database: Database;
  readonly destination: Destination;
  /** The id of the process that takes requests, or null for one that only adds and looks. */
  readonly worker: number | null;
  readonly stopping: AbortSignal;
  /**
   * Aborted when taken requests are no longer given back, even if the store is still unavailable. Default: `stopping`.
   */
  readonly giveUp?: AbortSignal;
}

/** A queue, and what a person does with it. */
export interface PostgresQueue extends RequestQueue {
  /** Returns the age in milliseconds of the oldest request that nobody has taken, or 0 if there is none. */
  oldest(): Promise<number>;
  /** Forgets some of the requests that wait to be sent, and returns their number: 0 when none is left. */
  purge(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens the queue of an account, which pg-boss implements. The id of a job is the key of its request, so the table's
 * primary key prevents duplicates. A worker claims the jobs that it takes in the same transaction, and only the worker
 * that still has the claim disposes of a job.
 */
export async function openQueue(options: PostgresQueueOptions): Promise<PostgresQueue> {
  const { database, destination, worker, stopping, giveUp = stopping } = options;
  const account = accountId(destination);
  const boss = await database.retryWhileAway(() => startBoss(database), stopping);
  const name = `requests-${account}`;
  const steadily = <Result>(work: (query: Query) => Promise<Result>) =>
    database.retryWhileAway(() => database.transaction(work), stopping);
  await steadily((query) => query('select srq.open_queue($1)', [name]));
  const parts = { boss, worker, name, hand: new Set<string>(), strays: new Set<string>() };
  const take = taker(database, parts);
  const disposing = new InGroups<Disposed, null>(
    (group) => database.retryWhileAway(() => applyDecisions(database, parts, group), giveUp),
    { most: GROUP_JOBS },
  );
  return {
    add: (requests) => steadily((query) => add(query, parts, requests)),
    take: async (count) => {
      const taken = await database.retryWhileAway(() => take(count), stopping);
      for (const { key } of taken) parts.hand.add(key);
      return taken;
    },
    dispose: async (taken, disposal) => {
      await disposing.add({ taken, disposal });
      parts.hand.delete(taken.key);
    },
    reclaim: (missingMs) =>
      steadily(async (query) => (await reclaim(query, parts, missingMs)) + (await reclaimStrays(query, parts))),
    depth: () => database.retryWhileAway(() => depth(database, name), stopping),
    oldest: () => steadily((query) => oldest(query, name)),
    isEmpty: () => steadily((query) => isEmpty(query, name)),
    purge: () => steadily((query) => purge(query, name)),
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

interface QueueParts {
  readonly boss: PgBoss;
  readonly worker: number | null;
  readonly name: string;
  /** The keys of the jobs that this process works on. */
  readonly hand: Set<string>;
  /** The keys of the jobs that it had claimed at the last check without working on them. */
  readonly strays: Set<string>;
}

interface Disposed {
  readonly taken: TakenRequest;
  readonly disposal: JobDecision;
}

async function add(query: Query, { boss, name }: QueueParts, requests: readonly QueuedRequest[]): Promise<number> {
  const keys = requests.map(({ key }) => key);
  const text = `select id from ${QUEUE_SCHEMA}.job where name = $1 and id = any($2::uuid[])`;
  const found = new Set((await query<{ id: string }>(text, [name, keys])).map(({ id }) => keyOf(id)));
  const fresh = requests.filter(({ key }) => !found.has(key));
  if (fresh.length > 0)
    await boss.insert(
      fresh.map((each) => jobOf(each, name, 0)),
      { db: within(query) },
    );
  return fresh.length;
}

/** The place where a worker took a job last. Its next search begins there. See {@link QUEUE_FUNCTIONS}. */
interface Watermark {
  readonly createdOn: string;
  readonly id: string;
  /** The time when it took that job, by the server's clock. */
  readonly startedMs: number;
}

/** Time after which a search starts from the beginning again, so that jobs that were put back are not left behind. */
const WHOLE_SEARCH_MS = 30_000;

/** Returns the function that takes the oldest jobs and a claim on each, in one statement. */
function taker(database: Database, { worker, name }: QueueParts) {
  let last: (Watermark & { readonly wholeMs: number }) | null = null;
  return async (count: number): Promise<TakenRequest[]> => {
    const before = last;
    const from = before && before.startedMs - before.wholeMs < WHOLE_SEARCH_MS ? before : null;
    const text = `select id, created_on::text as "createdOn",
        extract(epoch from started_on)::float8 * 1000 as "startedMs", data, retry_count, retry_limit,
        keep_until <= clock_timestamp() as "isOld"
      from srq.take_jobs($1, $2, $3, $4, $5)`;
    const values = [name, worker, count, from?.createdOn ?? null, from?.id ?? null];
    const jobs = await database.query<TakenJob & Watermark>(text, values);
    const newest = jobs.at(-1);
    if (newest) last = { ...newest, wholeMs: from ? from.wholeMs : newest.startedMs };
    return jobs.map(takenOf);
  };
}

const PURGED_AT_ONCE = 10_000;

/**
 * Purges a queue of requests. What a worker that is gone may have sent waits with the others until the next one takes it.
 * Its state is a scalar subquery, which the server looks up by key for each job; it might answer a join by reading all states.
 */
async function purge(query: Query, name: string): Promise<number> {
  const text = `delete from ${QUEUE_SCHEMA}.job where name = $1 and id in (
      select j.id from ${QUEUE_SCHEMA}.job j where j.name = $1 and j.state < 'active' and coalesce(
        (select s.state from srq.state s where s.key = j.id), 'none'
      ) not in ('sending', 'unknown', 'parked') limit $2 for update skip locked
    ) returning 1`;
  return (await query(text, [name, PURGED_AT_ONCE])).length;
}

/** Applies a group of decisions. Nothing is left to do for most jobs, and those are ended by one statement. */
async function applyDecisions(database: Database, parts: QueueParts, group: readonly Disposed[]): Promise<null[]> {
  const isDone = ({ disposal }: Disposed) => disposal.is === 'done';
  const keys = group.filter(isDone).map(({ taken }) => taken.key);
  if (keys.length > 0) await database.query('select srq.end_jobs($1, $2, $3)', [parts.name, parts.worker, keys]);
  const others = group.filter((each) => !isDone(each));
  if (others.length > 0)
    await database.transaction(async (query) => moveOwn(query, parts, await endClaims(query, parts, others)));
  return group.map(() => null);
}

/** Ends this worker's claims on a group of jobs. Returns those on which it still had a claim. */
async function endClaims(query: Query, parts: QueueParts, group: readonly Disposed[]): Promise<Disposed[]> {
  if (group.length === 0) return [];
  const text = `delete from srq.queue_claim where queue = $1 and job = any($2::uuid[]) and worker = $3 returning job`;
  const keys = group.map(({ taken }) => taken.key);
  const rows = await query<{ job: string }>(text, [parts.name, keys, parts.worker]);
  const own = new Set(rows.map(({ job }) => keyOf(job)));
  return group.filter(({ taken }) => own.has(taken.key));
}

/** Moves or puts back jobs on which this worker still had a claim. */
async function moveOwn(query: Query, { boss, name }: QueueParts, own: readonly Disposed[]): Promise<void> {
  const db = within(query);
  const options = { db };
  const keysOf = (kinds: readonly JobDecision['is'][]) =>
    own.filter(({ disposal }) => kinds.includes(disposal.is)).map(({ taken }) => taken.key);
  const gone = keysOf(['moved']);
  if (gone.length > 0) await boss.deleteJob(name, gone, options);
  // The jobs fail one by one, because failing several at once does not run within the transaction.
  for (const key of keysOf(['later'])) await boss.fail(name, key, {}, options);
  await giveBack(query, name, keysOf(['back']));
  const moved = own.flatMap(({ taken, disposal }) =>
    disposal.is === 'moved' ? [jobOf(taken, name, disposal.inMs)] : [],
  );
  if (moved.length > 0) await boss.insert(moved, options);
}

/**
 * Gives jobs back that were taken, but not tried. Taking a job counts a try if the job was taken before
 * ({@link QUEUE_FUNCTIONS}), so a first taking is forgotten, and the count of a later one is taken back.
 */
async function giveBack(query: Query, name: string, keys: readonly string[]): Promise<void> {
  const text = `update ${QUEUE_SCHEMA}.job set state = 'created', retry_count = greatest(retry_count - 1, 0),
      started_on = case when retry_count > 0 then started_on end
    where name = $1 and id = any($2::uuid[]) and state = 'active'`;
  if (keys.length > 0) await query(text, [name, keys]);
}

/**
 * Gives jobs back that a worker had taken when it disappeared. They count as tried, because each of them may be what
 * ended the worker. So a job that was tried before is delayed as after a failure. The delays differ from job to job, so
 * that the one that ends its workers is soon alone.
 */
async function giveBackTried(query: Query, name: string, keys: readonly string[]): Promise<void> {
  const text = `update ${QUEUE_SCHEMA}.job set state = 'created', start_after = case when retry_count = 0 then start_after
      else now() + make_interval(secs => $3 * 2 ^ least(retry_count, $4) * (1 + random()) / 2) end
    where name = $1 and id = any($2::uuid[]) and state = 'active'`;
  if (keys.length > 0) await query(text, [name, keys, FIRST_RETRY_S, RETRIES]);
}

/** Ends this worker's claims on these jobs, and gives the jobs back. */
async function release(query: Query, { name, worker }: QueueParts, keys: readonly string[]): Promise<void> {
  const text = 'delete from srq.queue_claim where queue = $1 and worker = $2 and job = any($3::uuid[])';
  await query(text, [name, worker, keys]);
  await giveBack(query, name, keys);
}

async function reclaim(query: Query, parts: QueueParts, missingMs: number): Promise<number> {
  const { name, worker } = parts;
  const others = await query<{ id: number; missing: boolean }>(
    `select w.id, w.seen_at < clock_timestamp() - make_interval(secs => $3::float8 / 1000) as missing
    from srq.worker w where w.id in (select worker from srq.queue_claim where queue = $1 and worker <> $2)`,
    [name, worker, missingMs],
  );
  // There is no grace period as for requests in doubt. If a process begins a request that another one may have begun,
  // the log stops it.
  const seen = await livingProcesses(
    query,
    others.map(({ id }) => id),
    0,
  );
  const gone = others.filter(({ id, missing }) => missing || !seen.has(id)).map(({ id }) => id);
  if (gone.length === 0) return 0;
  const text = 'delete from srq.queue_claim where queue = $1 and worker = any($2) returning job';
  const rows = await query<{ job: string }>(text, [name, gone]);
  const keys = rows.map(({ job }) => keyOf(job));
  await giveBackTried(query, name, keys);
  return keys.length;
}

/**
 * Gives back the jobs on which this worker has a claim without working on them. Either the answer that handed a job
 * over was lost, or a server has taken over that lacks the decision about it. A job must be found in two consecutive
 * checks, because the answer may be under way.
 */
async function reclaimStrays(query: Query, parts: QueueParts): Promise<number> {
  const { name, worker, hand, strays } = parts;
  const text = 'select job from srq.queue_claim where worker = $1 and queue = $2';
  const claims = (await query<{ job: string }>(text, [worker, name])).map(({ job }) => keyOf(job));
  const unknown = claims.filter((key) => !hand.has(key));
  const lost = unknown.filter((key) => strays.has(key));
  strays.clear();
  for (const key of unknown) strays.add(key);
  if (lost.length > 0) await release(query, parts, lost);
  return lost.length;
}

async function isEmpty(query: Query, name: string): Promise<boolean> {
  const text = `select 1 from ${QUEUE_SCHEMA}.job where name = $1 and state < 'completed' limit 1`;
  return (await query(text, [name])).length === 0;
}
