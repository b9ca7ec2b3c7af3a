import type { SrqError } from '../../request/errors.ts';
import type { Clock } from '../../request/ports.ts';
import type { Database, Query, Session } from './database.ts';
import { storeError } from './failures.ts';

/** The first half of the advisory lock that a living process holds, shared. The second half is the id of the process. */
const WORKER_LOCK = 0x737272;
const HEARTBEAT_MS = 5_000;
/**
 * The time for which a process without its lock still counts as living, after its last heartbeat or the start of the
 * server. Its connection may have been cut, and it may be about to connect again.
 */
const GRACE_S = 20;
const RETRY_MS = 250;
const CUT_OFF = Object.assign(new Error('the connection was lost'), { code: '08006' });

export interface ProcessLeaseOptions {
  readonly run: string;
  /** The name of the process for people. */
  readonly holder: string;
  readonly clock: Clock;
}

/**
 * The entry of this process among those that use the store. To the others the process is alive as long as it holds a
 * lock on a connection of its own. The lock is gone when the process dies, and kept while it is stopped.
 */
export class ProcessLease {
  readonly id: number;
  readonly #database: Database;
  readonly #options: ProcessLeaseOptions;
  readonly #leaving = new AbortController();
  #session: Session | null;
  #beating: Promise<void> = Promise.resolve();
  /** The reason why there is no connection at present, or null. */
  #failure: SrqError | null = null;
  /** The server's wall clock minus the monotonic clock of this process. */
  #offsetMs = 0;

  private constructor(id: number, session: Session, database: Database, options: ProcessLeaseOptions) {
    this.id = id;
    this.#session = session;
    this.#database = database;
    this.#options = options;
  }

  /** Registers this process and takes its lock. Throws `SrqError('log')` if that fails. */
  static async acquire(database: Database, options: ProcessLeaseOptions): Promise<ProcessLease> {
    const session = await database.connect();
    try {
      // The row may exist already if the answer to an earlier try was lost.
      const text = `insert into srq.worker (run, holder) values ($1, $2)
        on conflict (run) do update set holder = excluded.holder returning id`;
      const [row] = await session.query<{ id: number }>(text, [options.run, options.holder]);
      const worker = new ProcessLease(row?.id ?? 0, session, database, options);
      await worker.#take(session);
      worker.#beating = worker.#beat();
      return worker;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Returns the server's wall clock in milliseconds. */
  nowMs(): number {
    return this.#options.clock.monotonicMs() + this.#offsetMs;
  }

  /**
   * Throws `SrqError('log')` while the others cannot see that this process is alive, because nothing may be begun then.
   */
  requireHeld(): void {
    if (this.#session !== null && !this.#session.gone.aborted) return;
    throw this.#failure ?? storeError(CUT_OFF, this.#database.shown);
  }

  /** Shows the others that no request of this process is under way any more, and closes the connection. */
  async release(): Promise<void> {
    this.#leaving.abort();
    await this.#beating;
    await this.#session
      ?.query('update srq.worker set left_at = clock_timestamp() where id = $1', [this.id])
      .catch(() => {});
    await this.#session?.close();
  }

  async #beat(): Promise<void> {
    const { clock } = this.#options;
    const { signal: leaving } = this.#leaving;
    while (!leaving.aborted) {
      const session = this.#session;
      if (session !== null && !session.gone.aborted) {
        const pause = AbortSignal.any([leaving, session.gone]);
        await clock.sleep(HEARTBEAT_MS, pause);
        if (!pause.aborted) await this.#take(session).catch(() => session.close());
      } else {
        this.#session = null;
        await this.#comeBack().catch((error: unknown) => {
          this.#failure = storeError(error, this.#database.shown);
          return clock.sleep(RETRY_MS, leaving);
        });
      }
    }
  }

  async #comeBack(): Promise<void> {
    const session = await this.#database.connect();
    try {
      await this.#take(session);
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#session = session;
    this.#failure = null;
  }

  /** Takes the lock. This session may hold it already, or a session of this process that was cut off may still hold it. */
  async #take({ query }: Session): Promise<void> {
    const { clock } = this.#options;
    const askedMs = clock.monotonicMs();
    const [row] = await query<{ now_ms: number }>(TAKE, [WORKER_LOCK, this.id]);
    const answeredMs = clock.monotonicMs();
    this.#offsetMs = Number(row?.now_ms ?? clock.nowMs()) - (askedMs + answeredMs) / 2;
  }
}

/**
 * Takes the lock only if this session does not hold it, because PostgreSQL counts how often a session has taken a lock.
 */
const TAKE = `
  update srq.worker set seen_at = clock_timestamp(), left_at = null
  where id = $2::integer and (
    exists (
      select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and classid = $1::integer::oid
        and objid = $2::integer::oid and database = (select oid from pg_database where datname = current_database())
    ) or pg_try_advisory_lock_shared($1::integer, $2::integer)
  )
  returning extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`;

/**
 * Returns the processes among `ids` that are alive. With a `graceS` of 0, only those that can be seen now are. Throws
 * `SrqError('log')` if the query fails.
 */
export async function livingProcesses(query: Query, ids: readonly number[], graceS = GRACE_S): Promise<Set<number>> {
  const rows = await query<{ id: number }>(
    `select id from srq.worker w
    where id = any($3) and left_at is null and (
      exists (
        select 1 from pg_locks where locktype = 'advisory' and classid = $1::integer::oid and objid = w.id::oid and granted
          and database = (select oid from pg_database where datname = current_database())
      ) or greatest(seen_at, pg_postmaster_start_time()) > clock_timestamp() - make_interval(secs => $2)
    )`,
    [WORKER_LOCK, graceS, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
