import type { Clock } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Database } from './database.ts';
import { isRefusal } from './failures.ts';
import { type ConfirmedRecord, jsonOf } from './rows.ts';

const BEAT_MS = 5_000;
/** Number of records that are kept in any case. They are enough for three minutes at a hundred records per second. */
const KEPT = 20_000;
const COMPARED = 1_000;
const MAX_RECORDS = 2_000;

export interface MembershipOptions {
  readonly run: string;
  /** The description of the process for people. */
  readonly holder: string;
  readonly clock: Clock;
  /** Aborted when the run is to end. */
  readonly stopping: AbortSignal;
  /** Reports what was put back. */
  readonly warn: (message: string) => void;
}

interface Joined {
  readonly process: number;
  readonly store: string;
  readonly epoch: number;
  readonly server: string;
  readonly is_settled: boolean;
  readonly held: 'lost' | 'missing' | null;
  readonly missing: string[];
  readonly forked: Date | null;
  readonly now_ms: number;
  readonly newest: string | null;
}

/**
 * The part of this process among those that use the store. It gives signs of life, and remembers which server has what it
 * knows to be kept. When it meets another server, it compares, and puts back what is missing there. If anything was, or if a
 * process that lived does not come back, nobody sends before a person has said so.
 */
export class Membership {
  /** The latest records of this process. If the server is replaced by one that lacks them, they are written again. */
  #records: ConfirmedRecord[] = [];
  /**
   * The largest id in the log that this process knows of, or 0. Ids that are given out later are larger, also on a server
   * that takes over.
   */
  #newestId = 0;
  readonly #database: Database;
  readonly #options: MembershipOptions;
  readonly #leaving = new AbortController();
  /** The store as this process has found it, and its server, which has all records that this process knows to be kept. */
  joined: Joined;
  #beating: Promise<void> = Promise.resolve();
  #comparing: Promise<void> | null = null;
  /** Why this process may begin nothing more, or null. */
  failure: SrqError | null = null;
  /** The server's wall clock minus the monotonic clock of this process. */
  #offsetMs = 0;

  private constructor(joined: Joined, database: Database, options: MembershipOptions) {
    this.joined = joined;
    this.#database = database;
    this.#options = options;
  }

  /** Enters this process. Throws `SrqError('log')` if that fails, or if nobody may send. */
  static async enter(database: Database, options: MembershipOptions): Promise<Membership> {
    const member = await database.retryWhileAway(async () => {
      const askedMs = options.clock.monotonicMs();
      const joined = await join(database, options, null);
      requireSettled(database, joined);
      const entered = new Membership(joined, database, options);
      entered.#hear(joined, askedMs);
      return entered;
    }, options.stopping);
    member.#beating = member.#keepBeating();
    return member;
  }

  /** The number of this process in the store. */
  get id(): number {
    return this.joined.process;
  }

  /** The newest record of this process, or null. */
  get newest(): ConfirmedRecord | null {
    return this.#records.at(-1) ?? null;
  }

  /** Keeps a record that the store has confirmed. */
  confirm(record: ConfirmedRecord): void {
    this.#records.push(record);
    this.#newestId = Math.max(this.#newestId, record.id);
    if (this.#records.length >= KEPT + KEPT / 4) this.#records = this.#records.slice(-KEPT);
  }

  /** Returns the server's wall clock in milliseconds. */
  nowMs(): number {
    return this.#options.clock.monotonicMs() + this.#offsetMs;
  }

  /**
   * Runs `work`. If the store refuses it because the server was replaced, this process compares its records and runs
   * `work` again. While other processes are waited for, it throws an error that may pass.
   */
  async compared<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#compare();
      return work();
    }
  }

  /** Shows the others that no request of this process is under way any more. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#beating;
    const text = 'update srq.process set left_at = clock_timestamp() where id = $1';
    await this.#database.query(text, [this.id]).catch(() => {});
  }

  async #keepBeating(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#leaving;
    for (;;) {
      await clock.sleep(BEAT_MS, signal);
      if (signal.aborted) return;
      // Those who want something of the store tell that it is away.
      await this.#beat().catch(() => {});
    }
  }

  async #beat(): Promise<void> {
    const askedMs = this.#options.clock.monotonicMs();
    const told = await join(this.#database, this.#options, this.joined.server);
    this.#hear(told, askedMs);
    const isSame = (['server', 'process', 'epoch'] as const).every((name) => told[name] === this.joined[name]);
    if (!isSame || told.held !== null) await this.#compare();
  }

  #hear({ now_ms, newest }: Joined, askedMs: number): void {
    this.#offsetMs = now_ms - (askedMs + this.#options.clock.monotonicMs()) / 2;
    this.#newestId = Math.max(this.#newestId, Number(newest ?? 0));
  }

  #compare(): Promise<void> {
    this.#comparing ??= this.#compareOnce().finally(() => {
      this.#comparing = null;
    });
    return this.#comparing;
  }

  async #compareOnce(): Promise<void> {
    const { shown } = this.#database;
    // The server may lack this process as well.
    const met = await join(this.#database, this.#options, this.joined.server);
    if (isOlder(met.server, this.joined.server)) throw passing('store.unavailable', replaced(shown));
    const lost = await this.#putBack(met.process);
    if (lost > 0)
      this.#options.warn(`The store ${shown} had lost ${lost} records of this process; they were put back.`);
    const joined = await join(this.#database, this.#options, met.server);
    if (joined.held !== null || joined.epoch !== this.joined.epoch) {
      this.failure = stopped(shown, joined);
      // What is under way has an outcome, which the store is still told.
      this.joined = { ...joined, epoch: this.joined.epoch };
      return;
    }
    requireSettled(this.#database, joined);
    this.joined = joined;
  }

  /**
   * Writes again what the server lacks, and returns the number of those records. Commits are lost from the end, so the latest
   * ones show whether any is. After that this process begins nothing more, and so it compares nothing more.
   */
  async #putBack(process: number): Promise<number> {
    const { query } = this.#database;
    const all = this.#records;
    const latest = all.slice(-COMPARED);
    const text = `select count(*)::integer as kept from unnest($1::bigint[], $2::uuid[]) as i (id, key)
      where exists (select 1 from srq.record r where r.id = i.id and r.key = i.key)`;
    const [row] = await query<{ kept: number }>(text, [latest.map(({ id }) => id), latest.map(({ key }) => key)]);
    if (row?.kept === latest.length) return 0;
    let count = 0;
    for (let from = 0; from < all.length; from += MAX_RECORDS) {
      const back = 'select srq.put_back($1, $2, $3) as lacked';
      const values = [process, this.#newestId, jsonOf(all.slice(from, from + MAX_RECORDS))];
      count += (await query<{ lacked: number }>(back, values))[0]?.lacked ?? 0;
    }
    this.#records = [];
    return count;
  }
}

/** Enters, or gives a sign of life. `server` has all that this process knows to be kept; null for a process that begins. */
async function join({ query }: Database, { run, holder }: MembershipOptions, server: string | null): Promise<Joined> {
  const [row] = await query<Joined>('select * from srq.join_store($1, $2, $3)', [run, holder, server]);
  if (!row) throw new Error('no answer of srq.join_store');
  return row;
}

/** Throws an error unless sending goes on. It passes while processes are waited for that lived. */
function requireSettled({ shown }: Database, joined: Joined): void {
  if (joined.held !== null) throw stopped(shown, joined);
  if (joined.is_settled) return;
  const names = joined.missing.join('; ');
  throw passing('store.failed-over', `The store ${shown} has another server now. It waits for ${names}.`);
}

function stopped(shown: string, { held, missing, forked }: Joined): SrqError {
  const what =
    held === 'missing'
      ? `${missing.join('; ')} lived when its server was replaced, and did not come back`
      : 'it had lost records, and may lack others';
  const since = forked === null ? 'last' : `since ${forked.toISOString()}`;
  return new SrqError(
    'store.failed-over',
    `The store ${shown} may lack what was sent: ${what}. Nothing more is sent.`,
    `Look up at the service what was created ${since}. Then: srq store resume`,
  );
}

/** An error after which the same is tried again. */
function passing(code: 'store.failed-over' | 'store.unavailable', message: string): SrqError {
  return new SrqError(code, message, null, Object.assign(new Error('held back'), { code: '08006' }));
}

const replaced = (shown: string) => `The store ${shown} was reached at a server that has been replaced.`;

/** Tells whether one server is an earlier one of the other: the same system on an earlier timeline. */
function isOlder(one: string, other: string): boolean {
  const [[system, timeline = ''], [otherSystem, otherTimeline = '']] = [one.split('/'), other.split('/')];
  return system === otherSystem && timeline < otherTimeline;
}
