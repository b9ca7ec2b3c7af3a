import type { Clock } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Database } from './database.ts';
import { isRefusal } from './failures.ts';
import { type ConfirmedRecord, jsonOf } from './rows.ts';

const BEAT_MS = 5_000;
/** Number of records that are kept in any case. They are enough for three minutes at a hundred records per second. */
const KEPT = 20_000;
const COMPARED = 1_000;

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

export type Membership = Awaited<ReturnType<typeof enterStore>>;

/**
 * Enters this process among those that use the store. It gives signs of life, and remembers which server has what it knows to
 * be kept. When it meets another server, it compares, and puts back what is missing there. If anything was, or if a process
 * that lived does not come back, nobody sends before a person has said so. Throws `SrqError('log')` if that is so now.
 */
export async function enterStore(database: Database, options: MembershipOptions) {
  const { run, holder, clock, warn } = options;
  const { shown, query } = database;
  /** The latest records of this process. If the server is replaced by one that lacks them, they are written again. */
  let records: ConfirmedRecord[] = [];
  /**
   * The largest id in the log that this process knows of, or 0. Ids that are given out later are larger, also on a server
   * that takes over.
   */
  let newestId = 0;
  /** The server's wall clock minus the monotonic clock of this process. */
  let offsetMs = 0;
  let failure: SrqError | null = null;
  let comparing: Promise<void> | null = null;
  const leaving = new AbortController();

  /** Enters, or gives a sign of life. `server` has all that this process knows to be kept; null for a process that begins. */
  const join = async (server: string | null): Promise<Joined> => {
    const askedMs = clock.monotonicMs();
    const [row] = await query<Joined>('select * from srq.join_store($1, $2, $3)', [run, holder, server]);
    if (!row) throw new Error('no answer of srq.join_store');
    offsetMs = row.now_ms - (askedMs + clock.monotonicMs()) / 2;
    newestId = Math.max(newestId, Number(row.newest ?? 0));
    return row;
  };
  let joined = await database.retryWhileAway(async () => requireSettled(shown, await join(null)), options.stopping);

  const compareOnce = async () => {
    // The server may lack this process as well.
    const met = await join(joined.server);
    if (isOlder(met.server, joined.server))
      throw passing('store.unavailable', `The store ${shown} was reached at a server that has been replaced.`);
    if (!(await hasAll(database, met.process, records))) {
      const known = [met.process, newestId, jsonOf(records)];
      const [back] = await query<{ lost: number }>('select srq.put_back($1, $2, $3) as lost', known);
      // After that this process begins nothing more, and so it compares nothing more.
      records = [];
      if (back?.lost) warn(`The store ${shown} had lost ${back.lost} records of this process; they were put back.`);
    }
    const now = await join(met.server);
    if (now.held !== null || now.epoch !== joined.epoch) {
      failure = stopped(shown, now);
      // What is under way has an outcome, which the store is still told.
      joined = { ...now, epoch: joined.epoch };
    } else {
      joined = requireSettled(shown, now);
    }
  };
  const compare = () => {
    comparing ??= compareOnce().finally(() => {
      comparing = null;
    });
    return comparing;
  };
  const beat = async () => {
    const told = await join(joined.server);
    const isSame = (['server', 'process', 'epoch'] as const).every((name) => told[name] === joined[name]);
    if (!isSame || told.held !== null) await compare();
  };
  const keepBeating = async () => {
    for (;;) {
      await clock.sleep(BEAT_MS, leaving.signal);
      if (leaving.signal.aborted) return;
      // Those who want something of the store tell that it is away.
      await beat().catch(() => {});
    }
  };
  const beating = keepBeating();
  return {
    /**
     * The store as this process has found it, its own number there, and the server, which has all records that this process
     * knows to be kept.
     */
    get joined(): Joined {
      return joined;
    },
    /** Why this process may begin nothing more, or null. */
    get failure(): SrqError | null {
      return failure;
    },
    /** The newest record of this process, or null. */
    get newest(): ConfirmedRecord | null {
      return records.at(-1) ?? null;
    },
    /** Keeps a record that the store has confirmed. */
    confirm: (record: ConfirmedRecord) => {
      records.push(record);
      newestId = Math.max(newestId, record.id);
      if (records.length >= KEPT + KEPT / 4) records = records.slice(-KEPT);
    },
    /** Returns the server's wall clock in milliseconds. */
    nowMs: () => clock.monotonicMs() + offsetMs,
    /**
     * Runs `work`. If the store refuses it because the server was replaced, this process compares its records and runs
     * `work` again. While other processes are waited for, it throws an error that may pass.
     */
    compared: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work();
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await compare();
        return work();
      }
    },
    /** Shows the others that no request of this process is under way any more. */
    leave: async () => {
      leaving.abort();
      await beating;
      const text = 'update srq.process set left_at = clock_timestamp() where run = $1';
      await query(text, [run]).catch(() => {});
    },
  };
}

/** Tells whether a server has the records of a process. Commits are lost from the end, so the latest ones show whether any is. */
async function hasAll({ query }: Database, process: number, records: readonly ConfirmedRecord[]): Promise<boolean> {
  const latest = records.slice(-COMPARED);
  const text = `select count(*)::integer as kept from unnest($1::bigint[], $2::uuid[]) as i (id, key)
    where exists (select 1 from srq.record r where r.id = i.id and r.key = i.key and r.process = $3)`;
  const [ids, keys] = [latest.map(({ id }) => id), latest.map(({ key }) => key)];
  const [row] = await query<{ kept: number }>(text, [ids, keys, process]);
  return row?.kept === latest.length;
}

/** Returns the store if sending goes on, or else throws an error. It passes while processes are waited for that lived. */
function requireSettled(shown: string, joined: Joined): Joined {
  if (joined.held !== null) throw stopped(shown, joined);
  if (joined.is_settled) return joined;
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

/** Tells whether one server is an earlier one of the other: the same system on an earlier timeline. */
function isOlder(one: string, other: string): boolean {
  const [[system, timeline = ''], [otherSystem, otherTimeline = '']] = [one.split('/'), other.split('/')];
  return system === otherSystem && timeline < otherTimeline;
}
