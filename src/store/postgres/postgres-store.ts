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
import { IDENTITY_SCHEMA, migrate, NEWEST_SCHEMA, requireKnownSchema, schemaVersion } from './migrations.ts';
import {
  type FileLogState,
  type KnownRequest,
  knowsFileLog,
  type NotedFileLog,
  noteFileLog,
  replacedRecords,
  takeOver,
  takeOverNotes,
} from './moving.ts';
import { PostgresLog } from './postgres-log.ts';
import { followRecords, openReader, readAllRecords, readLatest, readNewest, readRequests } from './read-log.ts';
import { type Resumed, resume } from './timeline.ts';

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
  readonly confirmed?: (newest: { readonly store: string; readonly key: string; readonly id: number }) => void;
}

/** A log in PostgreSQL, for any number of machines. */
export interface PostgresStore extends LogStore {
  readonly database: Database;
  /** Examines whether the store is suitable, without changing anything. */
  examine(): Promise<StoreFindings>;
  /** Lets sending continue without processes that have not come back after a fail-over. */
  resume(): Promise<Resumed>;
  /** Updates the tables. Returns the names of the applied steps. */
  migrate(): Promise<string[]>;
  open(command: string, exclusive: boolean): Promise<PostgresLog>;
  /** Takes over requests of another log. Returns the number of those of which the store has learned something. */
  takeOver(requests: readonly KnownRequest[]): Promise<number>;
  /** Adds notes on runs of which the store has none. */
  takeOverNotes(notes: readonly RecordedNote[]): Promise<void>;
  /** Yields what is known of each request, the oldest first. */
  requests(): AsyncGenerator<KnownRequest, void>;
  /**
   * Goes through the records from before `before` that a later one has replaced, some at a time, and yields the numbers of
   * those that were found. With `deletes` it deletes them.
   */
  replacedRecords(before: Date, deletes: boolean): AsyncGenerator<number, void>;
  /** Identifies the store, also in its backups. Null if it has no tables yet. */
  identity(): Promise<string | null>;
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
  const version = async () => {
    const number = await database.retryWhileAway(() => schemaVersion(database.query), stopping);
    requireKnownSchema(number, database.shown);
    return number;
  };
  const isEmpty = async () => (await version()) === 0;
  /** Reads from the tables, or nothing if the store has none yet. */
  async function* unlessEmpty<Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    if (!(await isEmpty())) yield* read();
  }
  const identity = async () => {
    if ((await version()) < IDENTITY_SCHEMA) return null;
    const text = 'select srq.identity()::text as store';
    const [row] = await database.retryWhileAway(() => database.query<{ store: string }>(text), stopping);
    return row?.store ?? null;
  };
  const migrated = () => database.retryWhileAway(() => migrate(database), stopping);
  return {
    database,
    examine: () => examineStore(database),
    migrate: migrated,
    resume: async () => {
      await migrated();
      return resumeSending(database);
    },
    name: database.shown,
    open: async (command) => {
      await migrated();
      const store = (await identity()) ?? '';
      const joining = {
        ...{ run, clock, stopping, holder: holder(command), warn },
        confirmed: ({ key, id }: { readonly key: string; readonly id: number }) => confirmed?.({ store, key, id }),
      };
      return database.retryWhileAway(() => PostgresLog.open(database, joining), stopping);
    },
    identity,
    has: async ({ key, id }) => {
      const text = 'select 1 from srq.state where key = $1 and record >= $2';
      return (await database.retryWhileAway(() => database.query(text, [key, id]), stopping)).length > 0;
    },
    knowsFileLog: async (file) => {
      // Without the tables of this version nothing was taken over.
      if ((await version()) < NEWEST_SCHEMA) return false;
      return database.retryWhileAway(() => knowsFileLog(database.query, file), stopping);
    },
    takeOver: (requests) => database.retryWhileAway(() => takeOver(database.query, requests), stopping),
    takeOverNotes: (notes) => database.retryWhileAway(() => takeOverNotes(database.query, notes), stopping),
    requests: () => unlessEmpty(() => readRequests(database)),
    replacedRecords: (before, deletes) => unlessEmpty(() => replacedRecords(database, before, deletes)),
    noteFileLog: async (noted) => {
      await migrated();
      await database.retryWhileAway(() => noteFileLog(database.query, noted), stopping);
    },
    openReader: async () => openReader(database, await isEmpty(), clock),
    latest: async function* () {
      return (await isEmpty()) ? BEGINNING : yield* readLatest(database);
    },
    newest: () => unlessEmpty(() => readNewest(database)),
    records: async function* () {
      return (await isEmpty()) ? BEGINNING : yield* readAllRecords(database);
    },
    follow: async function* (from, stop) {
      while ((await isEmpty()) && !stop.aborted) await clock.sleep(TABLES_LOOK_MS, stop);
      yield* followRecords(database, from, clock, stop);
    },
    notes: () => unlessEmpty(() => readNotes(database)),
    openNotes: (noted) => openNotes(database, noted, clock),
    close: () => database.close(),
  };
}

/** Lets sending continue without the missing processes. The server may be one that has not been joined yet. */
async function resumeSending(database: Database): Promise<Resumed> {
  const session = await database.connect({ joins: true });
  try {
    await session.query('begin');
    const resumed = await resume(session.query, session.timeline);
    await session.query('commit');
    return resumed;
  } finally {
    await session.close();
  }
}

const BEGINNING = { end: 0 };
const TABLES_LOOK_MS = 2_000;

async function* readNotes(database: Database): AsyncGenerator<RecordedNote> {
  const rows = await database.query<{ run: string; at: Date; note: object }>(
    'select run, at, note from srq.run_note order by id',
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
    const text = 'insert into srq.run_note (run, at, note) values ($1, $2, $3)';
    kept = kept.then(() => database.query(text, values)).catch(() => {});
  };
  return { ...coalesceNotes(append, clock.nowMs), flush: async () => void (await kept) };
}
