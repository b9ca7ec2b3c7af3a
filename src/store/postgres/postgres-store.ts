import {
  coalesceNotes,
  type LogStore,
  parseNote,
  type RecordedNote,
  type RunNote,
  type RunNotes,
} from '../../request/log/log-store.ts';
import type { Clock } from '../../request/ports.ts';
import { type Database, openDatabase } from './database.ts';
import { examineStore, type StoreFindings } from './examine-store.ts';
import { type Standing, standing } from './figures.ts';
import {
  type FileLogState,
  type KnownRequest,
  knowsFileLog,
  type NotedFileLog,
  noteFileLog,
  type Resumed,
  resume,
  takeOver,
  takeOverNotes,
} from './moving.ts';
import { type Confirmed, PostgresLog } from './postgres-log.ts';
import { followRecords, openReader, readAllRecords, readLatest, readRequests } from './read-log.ts';
import { makeTables, schemaVersion } from './schema.ts';

interface PostgresStoreOptions {
  readonly url: string;
  /** Returns the password if the URL has none. If it is null or returns null, the password may be in `.pgpass`. */
  readonly password: (() => Promise<string | null>) | null;
  readonly clock: Clock;
  readonly run: string;
  /** Describes this process for `srq queue` and other commands. `command` says what it does. */
  readonly holder: (command: string) => string;
  /** Aborted when the run is to end. */
  readonly stopping: AbortSignal;
  /** Called with a message when the server is unavailable, and with null when it is back. */
  readonly away: (message: string | null) => void;
  /** Called with messages that people need about a fail-over. */
  readonly warn: (message: string) => void;
  /** Called with the newest record of this process after each write, and the identity of the store. */
  readonly confirmed?: (newest: Confirmed) => void;
}

/** A log in PostgreSQL, for any number of machines. */
export interface PostgresStore extends LogStore {
  readonly database: Database;
  /** Examines whether the store is suitable, without changing anything. */
  examine(): Promise<StoreFindings>;
  /**
   * Lets sending go on after a fail-over without processes that have not come back. `hasAll` is the person's word that the
   * server has each commit; null: it only looks.
   */
  resume(hasAll: boolean | null): Promise<Resumed>;
  /** Makes the tables. Returns whether there were none. */
  migrate(): Promise<boolean>;
  open(command: string, exclusive: boolean): Promise<PostgresLog>;
  /** Takes over requests of another log. Returns the number of those of which the store has learned something. */
  takeOver(requests: readonly KnownRequest[]): Promise<number>;
  /** Adds notes on runs of which the store has none. */
  takeOverNotes(notes: readonly RecordedNote[]): Promise<void>;
  /** Yields what is known of each request, the oldest first. */
  requests(): AsyncGenerator<KnownRequest, void>;
  /** Identifies the store, also in its backups, and its epoch. Null if it has no tables yet. */
  identity(): Promise<{ readonly store: string; readonly epoch: number } | null>;
  /** What of the store somebody should get up for. Nothing of a store without tables. */
  standing(): Promise<Standing>;
  /** Tells whether the store has a record, or a later one of the same request. */
  has(record: { readonly key: string; readonly id: number }): Promise<boolean>;
  /** Tells whether the store was told of a log in a file, and knows its newest request. */
  knowsFileLog(file: FileLogState): Promise<boolean>;
  /** Remembers that a log in a file was taken over, or that the store is to do without it. */
  noteFileLog(noted: NotedFileLog): Promise<void>;
  close(): Promise<void>;
}

/** Creates the database without connecting to it. Throws `SrqError('settings')` if the URL cannot be used. */
export function openPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { url, password, clock, run, stopping, away, holder, warn, confirmed } = options;
  const database = openDatabase({ url, password, clock, away, name: 'srq' });
  const steadily = <Result>(work: () => Promise<Result>) => database.retryWhileAway(work, stopping);
  const isEmpty = async () => (await steadily(() => schemaVersion(database.query, database.shown))) === 0;
  /** Reads from the tables, or nothing if the store has none yet. */
  async function* unlessEmpty<Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    if (!(await isEmpty())) yield* read();
  }
  const migrate = () => steadily(() => makeTables(database));
  return {
    database,
    examine: () => examineStore(database),
    migrate,
    resume: async (hasAll) => {
      await migrate();
      return steadily(() => resume(database.query, hasAll));
    },
    name: database.shown,
    open: async (command) => {
      await migrate();
      return PostgresLog.open(database, { run, clock, stopping, holder: holder(command), warn, confirmed });
    },
    identity: async () => {
      if (await isEmpty()) return null;
      const text = 'select store::text, epoch from srq.meta';
      const [row] = await steadily(() => database.query<{ store: string; epoch: number }>(text));
      return row ?? null;
    },
    standing: async () => ((await isEmpty()) ? NOTHING_STANDS : steadily(() => standing(database.query))),
    has: async ({ key, id }) => {
      const text = 'select 1 from srq.request where key = $1 and record >= $2';
      return (await steadily(() => database.query(text, [key, id]))).length > 0;
    },
    knowsFileLog: async (file) => {
      if (await isEmpty()) return false;
      return steadily(() => knowsFileLog(database.query, file));
    },
    takeOver: (requests) => steadily(() => takeOver(database.query, requests)),
    takeOverNotes: (notes) => steadily(() => takeOverNotes(database.query, notes)),
    requests: () => unlessEmpty(() => readRequests(database)),
    noteFileLog: async (noted) => {
      await migrate();
      await steadily(() => noteFileLog(database.query, noted));
    },
    openReader: async () => openReader(database, await isEmpty(), clock),
    latest: () => unlessEmpty(() => readLatest(database)),
    newest: () => unlessEmpty(() => readLatest(database, 'desc')),
    records: () => unlessEmpty(() => readAllRecords(database)),
    follow: async function* (stop) {
      while ((await isEmpty()) && !stop.aborted) await clock.sleep(TABLES_LOOK_MS, stop);
      if (!stop.aborted) yield* followRecords(database, clock, stop);
    },
    notes: () => unlessEmpty(() => readNotes(database)),
    openNotes: (noted) => openNotes(database, noted, clock),
    close: () => database.close(),
  };
}

const NOTHING_STANDS: Standing = { unknown: 0, held: null };
const TABLES_LOOK_MS = 2_000;

async function* readNotes(database: Database): AsyncGenerator<RecordedNote> {
  const rows = await database.query<{ run: string; at: Date; note: object }>(
    'select run, at, note from srq.note order by id',
  );
  for (const { run, at, note } of rows) {
    const read = parseNote({ run, at: at.toISOString(), ...note });
    if (read) yield read;
  }
}

/**
 * Opens the notes of a run. They are stored in the background, in their order, and a note that cannot be stored is
 * lost.
 */
function openNotes(database: Database, run: string, clock: Clock): RunNotes {
  let kept: Promise<unknown> = Promise.resolve();
  const append = (note: RunNote, atMs: number) => {
    const values = [run, new Date(atMs).toISOString(), JSON.stringify(note)];
    const text = 'insert into srq.note (run, at, note) values ($1, $2, $3)';
    kept = kept.then(() => database.query(text, values)).catch(() => {});
  };
  return { ...coalesceNotes(append, clock.nowMs), flush: async () => void (await kept) };
}
