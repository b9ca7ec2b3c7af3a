import type { Destination } from '../../request/lead/service-request.ts';
import { type LogStore, parseNote, type RunNote, type RunNotes } from '../../request/log/log-store.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { FileLogId, KnownRequest } from '../stored-record.ts';
import { type DatabaseOptions, openDatabase, type Query } from './database.ts';
import { examineStore, makeTables, schemaVersion } from './examine-store.ts';
import { standing } from './figures.ts';
import { type Confirmed, openPostgresLog, type PostgresLogOptions } from './postgres-log.ts';
import { openQueue, readWaiting } from './queue.ts';
import { logLookup, readAllRecords, readLatest, readRequests } from './read-log.ts';
import { jsonOf, rowOf } from './rows.ts';

interface PostgresStoreOptions extends Omit<DatabaseOptions, 'name'>, Omit<PostgresLogOptions, 'holder'> {
  /** Describes this process for `srq queue` and other commands. `command` says what it does. */
  readonly holder: (command: string) => string;
}

const MAY_HAVE_SENT = 'A worker may have sent this, and the store may have lost that. Look it up at the service.';

/** A record that was confirmed. `run` is missing where an earlier srq has remembered it. */
type Known = Pick<Confirmed, 'key' | 'id'> & Partial<Pick<Confirmed, 'run'>>;

/** The second part is for a record that was lost and put back under another number. */
const HAS = `select 1 from srq.record r join srq.process p on p.id = r.process where r.id = $2 and p.run = $3
  union all select 1 from srq.request s join srq.process p on p.id = s.process
    where s.key = $1 and s.record >= $2 and p.run = coalesce($3, p.run)`;

/** A log in PostgreSQL, for any number of machines. */
export type PostgresStore = ReturnType<typeof openPostgresStore>;

/**
 * Creates the database without connecting to it. Throws `SrqError('settings')` if the URL cannot be used. Each call waits
 * while the server is away.
 */
export function openPostgresStore(options: PostgresStoreOptions) {
  const { clock, stopping, holder } = options;
  const database = openDatabase({ ...options, name: 'srq' });
  const steadily = <Result>(work: () => Promise<Result>) => database.retryWhileAway(work, stopping);
  const ask: Query = (text, values) => steadily(() => database.query(text, values));
  let hasTables = false;
  const isEmpty = async () => {
    hasTables ||= (await steadily(() => schemaVersion(database.query, database.shown))) > 0;
    return !hasTables;
  };
  /** Asks the tables, and finds nothing if the store has none yet. */
  const known: Query = async (text, values) => ((await isEmpty()) ? [] : ask(text, values));
  const unlessEmpty = async function* <Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    if (!(await isEmpty())) yield* read();
  };
  /** Makes the tables. Returns whether there were none. */
  const migrate = () => steadily(() => makeTables(database));
  const log = {
    name: database.shown,
    open: async (command: string, _exclusive: boolean) => {
      await migrate();
      return openPostgresLog(database, { ...options, holder: holder(command) });
    },
    openReader: async () => logLookup(known, clock),
    latest: () => unlessEmpty(() => readLatest(database)),
    records: (ref?: string) => unlessEmpty(() => readAllRecords(database, ref)),
    waiting: (destination, ref) => unlessEmpty(() => readWaiting(database, destination, ref)),
    notes: async function* () {
      const text = 'select run, at, note from srq.note order by id';
      for (const { run, at, note } of await known<{ run: string; at: Date; note: object }>(text)) {
        const read = parseNote({ run, at: at.toISOString(), ...note });
        if (read) yield read;
      }
    },
    /** They are stored in the background, in their order, and a note that cannot be stored is lost. */
    openNotes: (run): RunNotes => {
      let kept: Promise<unknown> = Promise.resolve();
      const text = 'insert into srq.note (run, at, note) values ($1, $2, $3)';
      const note = (noted: RunNote) => {
        const values = [run, new Date(clock.nowMs()).toISOString(), JSON.stringify(noted)];
        kept = kept.then(() => database.query(text, values)).catch(() => {});
      };
      return { note, flush: async () => void (await kept) };
    },
  } satisfies LogStore;
  return {
    ...log,
    database,
    migrate,
    /** Throws `SrqError('log')` for a database without tables, which would look like a store in which nothing is left to do. */
    requireTables: async () => {
      if (!(await isEmpty())) return;
      const hint = 'srq status shows which store is in force. To make the tables in this one: srq store migrate';
      throw new SrqError('store.not-ready', `The database ${database.shown} has no tables of srq.`, hint);
    },
    /** Examines whether the store is suitable, without changing anything. */
    examine: () => examineStore(database),
    /**
     * Lets sending go on after a fail-over without processes that have not come back. `hasAll` is the person's word that the
     * server has each commit; null: it only looks. `missing` are the processes that are no longer waited for, and `doubtful` is
     * the number of requests that are unknown now, because one of these processes may have sent them; before: that wait.
     */
    resume: async (hasAll: boolean | null) => {
      await migrate();
      type Resumed = { readonly missing: readonly string[]; readonly doubtful: number };
      const [row] = await ask<Resumed>('select missing, doubtful from srq.resume($1, $2)', [hasAll, MAY_HAVE_SENT]);
      return row ?? { missing: [], doubtful: 0 };
    },
    /** Lets nobody send before a person says so, unless somebody has since this epoch. The store lacks what was sent. */
    hold: async (epoch: number) =>
      void (await known("update srq.meta set held = 'lost', epoch = epoch + 1 where held is null and epoch <= $1", [
        epoch,
      ])),
    /** Identifies the store, also in its backups, and its epoch. Null if it has no tables yet. */
    identity: async () => {
      const [row] = await known<{ store: string; epoch: number }>('select store::text, epoch from srq.meta');
      return row ?? null;
    },
    /** Opens the queue of an account. Without a worker, which takes requests, it is for adding and looking. */
    queue: (destination: Destination, worker?: { process: () => number; giveUp: AbortSignal }) =>
      openQueue({ database, destination, process: null, giveUp: stopping, ...worker }),
    /** The number of requests that wait in its queues. */
    waitingRows: async () =>
      (await known<{ rows: number }>('select count(*)::integer as rows from srq.waiting'))[0]?.rows ?? 0,
    /** What in the store needs a person now. A store without tables needs nobody. */
    standing: () => standing(known),
    /** Tells whether the store has a record of a run, or a later one that this run has written of the same request. */
    has: async ({ key, id, run }: Known) => (await ask(HAS, [key, id, run])).length > 0,
    /**
     * Takes over requests of another log; no key occurs twice. Returns the number of requests about which the
     * store has learned something. Doing it again changes nothing.
     */
    takeOver: async (requests: readonly KnownRequest[]) => {
      const rows = requests.map(({ record, state }, place) => {
        return { ...rowOf(record), state, at: record.at, run: record.run, place };
      });
      const runs = [...new Set(rows.map(({ run }) => run))];
      const text = 'select srq.take_over($1, $2) as learned';
      return (await ask<{ learned: number }>(text, [runs, jsonOf(rows)]))[0]?.learned ?? 0;
    },
    /** Yields what is known of each request, the oldest first. */
    requests: () => unlessEmpty(() => readRequests(database)),
    /** Tells whether the store was told of a log in a file, and the log has not grown since. */
    knowsFileLog: async ({ log, state }: FileLogId) =>
      (await known('select 1 from srq.file_log where id = $1 and state = $2', [log, state])).length > 0,
    /** Remembers that a log in a file was taken over, or that the store is to do without it. */
    noteFileLog: async ({ log, state }: FileLogId) => {
      await migrate();
      const text = 'insert into srq.file_log values ($1, $2) on conflict (id) do update set state = excluded.state';
      await ask(text, [log, state]);
    },
    close: () => database.close(),
  };
}
