import type { Clock } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Database, Query, Session } from './database.ts';
import { storeError } from './failures.ts';
import { RecentRecords } from './recent-records.ts';
import { heldBack, joinTimeline, missingProcesses, type PutBack, passIds, putBack } from './timeline.ts';

/** The first half of the advisory lock that a living process holds, shared. The second half is the id of the process. */
const WORKER_LOCK = 0x737272;
const HEARTBEAT_MS = 5_000;
/**
 * Time for which a process without its lock still counts as alive, after its last heartbeat or the start of the server.
 * Its connection may have been cut, and it may be about to reconnect.
 */
const GRACE_S = 20;
/**
 * Time without a heartbeat after which a lock is ignored. The server may keep the lock for hours if a machine has lost
 * its power.
 */
const MAX_SILENCE_S = 120;
const RETRY_MS = 250;
const HELD_BACK_LOOK_MS = 1_000;
const CUT_OFF = Object.assign(new Error('the connection was lost'), { code: '08006' });

export interface ProcessLeaseOptions {
  readonly run: string;
  /** The description of the process for people. */
  readonly holder: string;
  readonly clock: Clock;
  /** Reports that a fail-over lost something, or that other processes are waited for. */
  readonly warn: (message: string) => void;
}

/**
 * The entry of this process among those that use the store. To the others it is alive as long as it holds a lock on a
 * connection of its own. The lock ends when the process dies, and is kept while the process is suspended.
 */
export class ProcessLease {
  readonly id: number;
  /** The latest records of this process. The lease writes them again on a server that has taken over without them. */
  readonly records = new RecentRecords();
  readonly #database: Database;
  readonly #options: ProcessLeaseOptions;
  readonly #leaving = new AbortController();
  #session: Session | null;
  #beating: Promise<void> = Promise.resolve();
  /** The reason why there is no connection at present, or null. */
  #failure: SrqError | null = null;
  /** The server's wall clock minus the monotonic clock of this process. */
  #offsetMs = 0;
  /** The timeline on which this process sends. */
  #timeline: number | null;

  private constructor(id: number, session: Session, database: Database, options: ProcessLeaseOptions) {
    this.id = id;
    this.#session = session;
    this.#timeline = session.timeline;
    this.#database = database;
    this.#options = options;
  }

  /** Registers this process and takes its lock. Throws `SrqError('log')` if that fails. */
  static async acquire(database: Database, options: ProcessLeaseOptions): Promise<ProcessLease> {
    const session = await database.connect({ joins: true });
    try {
      const { timeline } = session;
      await joinTimeline(session.query, timeline);
      const worker = new ProcessLease(await enter(session, options), session, database, options);
      await worker.#take(session);
      const missing = await missingProcesses(session.query, timeline);
      if (missing !== null) throw heldBack(database.shown, missing);
      database.join(timeline);
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

  /** Throws `SrqError('log')` while the others cannot see that this process is alive. Nothing may be begun then. */
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
    const session = await this.#database.connect({ joins: true });
    try {
      const since = await joinTimeline(session.query, session.timeline);
      await this.#take(session);
      await this.#putBack(session, since);
      await this.#waitForOthers(session);
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#database.join(session.timeline);
    this.#timeline = session.timeline;
    this.#session = session;
    this.#failure = null;
  }

  /** Writes again what the server lacks. After that the process counts as one that has no missing records. */
  async #putBack({ query, timeline: number }: Session, since: string): Promise<void> {
    if (number !== this.#timeline) await passIds(query, this.records.newestId);
    const back = await putBack(query, this.id, { number, since }, this.records);
    if (back.records > 0) this.#options.warn(putBackWords(this.#database.shown, back));
    if (back.isWhole) await query('update srq.worker set timeline = $2 where id = $1', [this.id, number]);
  }

  /** Waits until all others that were alive when the server was replaced have written their missing records again. */
  async #waitForOthers(session: Session): Promise<void> {
    const { clock, warn } = this.#options;
    const ending = AbortSignal.any([this.#leaving.signal, session.gone]);
    let isTold = false;
    for (;;) {
      const missing = await missingProcesses(session.query, session.timeline);
      if (missing === null) return;
      const failure = heldBack(this.#database.shown, missing);
      this.#failure = failure;
      await clock.sleep(HELD_BACK_LOOK_MS, ending);
      if (ending.aborted) throw failure;
      await this.#take(session);
      if (!isTold) warn(failure.message);
      isTold = true;
    }
  }

  /** Takes the lock. This session may hold it already, or a session of this process that was cut off may still hold it. */
  async #take({ query }: Session): Promise<void> {
    const { clock } = this.#options;
    const askedMs = clock.monotonicMs();
    const [row] = await query<{ now_ms: number; newest_id: number | null }>(TAKE, [
      WORKER_LOCK,
      this.id,
      this.#options.run,
    ]);
    const answeredMs = clock.monotonicMs();
    if (!row) await this.#registerAgain(query);
    this.records.sawId(row?.newest_id ?? 0);
    this.#offsetMs = Number(row?.now_ms ?? clock.nowMs()) - (askedMs + answeredMs) / 2;
  }

  async #registerAgain(query: Query): Promise<void> {
    const { run, holder } = this.#options;
    const [entered] = await query(ENTER_AGAIN, [this.id, run, holder]);
    if (entered) {
      await query(TAKE, [WORKER_LOCK, this.id, run]);
      return;
    }
    const message = `The store ${this.#database.shown} has lost the entry of this process, and another one has its number.`;
    throw new SrqError('store.failed-over', message, 'Run the same command again: it goes on where it stopped.');
  }
}

/**
 * Enters a new process, which has nothing to put back, and returns its number. The entry may exist already if the answer
 * to an earlier try was lost. The number may be taken: a server that has taken over gives out again what it does not
 * know of, and processes may have come back with their own. Each try takes the next one.
 */
async function enter({ query, timeline }: Session, { run, holder }: ProcessLeaseOptions): Promise<number> {
  for (;;) {
    for (const text of [ENTER, OWN_ENTRY]) {
      const [row] = await query<{ id: number }>(text, [run, holder, timeline]);
      if (row) return row.id;
    }
  }
}

const ENTER = `insert into srq.worker (run, holder, timeline) values ($1, $2, $3) on conflict do nothing returning id`;
const OWN_ENTRY = `update srq.worker set holder = $2, timeline = $3 where run = $1 returning id`;

/** The entry is missing if the server that has taken over lacks it. It is then inserted again with its id. */
const ENTER_AGAIN = `insert into srq.worker (id, run, holder) overriding system value values ($1, $2, $3)
  on conflict do nothing returning id`;

function putBackWords(shown: string, { records, late, isWhole }: PutBack): string {
  const lost = `The store ${shown} had lost ${records} records of this process; they were put back.`;
  const again = late === 0 ? '' : ` ${late} of them are of requests that others have begun again meanwhile.`;
  return isWhole
    ? lost + again
    : `${lost}${again} Older ones are missing as well, and this process knows them no more.`;
}

/**
 * Takes the lock only if this session does not hold it, because PostgreSQL counts how often a session has taken a lock.
 * Also returns the newest id of the log.
 */
const TAKE = `
  update srq.worker set seen_at = clock_timestamp(), left_at = null
  where id = $2::integer and run = $3 and (
    exists (
      select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and classid = $1::integer::oid
        and objid = $2::integer::oid and database = (select oid from pg_database where datname = current_database())
    ) or pg_try_advisory_lock_shared($1::integer, $2::integer)
  )
  returning extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
    (select max(id) from srq.record)::float8 as newest_id`;

/**
 * Returns the processes among `ids` that are alive. With a `graceS` of 0, only those that can be seen now are. Throws
 * `SrqError('log')` if the query fails.
 */
export async function livingProcesses(query: Query, ids: readonly number[], graceS = GRACE_S): Promise<Set<number>> {
  const rows = await query<{ id: number }>(
    `select id from srq.worker w
    where id = any($3) and left_at is null and (
      seen_at > clock_timestamp() - make_interval(secs => $4) and exists (
        select 1 from pg_locks where locktype = 'advisory' and classid = $1::integer::oid and objid = w.id::oid and granted
          and database = (select oid from pg_database where datname = current_database())
      ) or greatest(seen_at, pg_postmaster_start_time(), srq.replaced_at())
        > clock_timestamp() - make_interval(secs => $2)
    )`,
    [WORKER_LOCK, graceS, ids, MAX_SILENCE_S],
  );
  return new Set(rows.map(({ id }) => id));
}
