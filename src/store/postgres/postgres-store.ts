import { SrqError } from '../../request/errors.ts';
import {
  coalesceNotes,
  type LogStore,
  parseNote,
  type RecordedNote,
  type RunNote,
  type RunNotes,
} from '../../request/log-store.ts';
import type { Clock } from '../../request/ports.ts';
import { type Database, openDatabase } from './database.ts';
import { READ_ONLY_HINT } from './failures.ts';
import { migrate, NEWEST_SCHEMA, QUEUE_SCHEMA, requireKnownSchema, schemaVersion } from './migrations.ts';
import { PostgresLog } from './postgres-log.ts';
import { followRecords, openReader, readAllRecords, readLatest, readNewest } from './read-log.ts';
import { type Resumed, resume } from './timeline.ts';

interface PostgresStoreOptions {
  readonly url: string;
  // The pool makes the password a hidden property of the settings, which spreading them would not copy.
  readonly password: (() => Promise<string | null>) | null;
  readonly clock: Clock;
  readonly run: string;
  /** Who we are, as `srq queue` shows it. */
  readonly holder: (command: string) => string;
  /** The run is to end. */
  readonly stopping: AbortSignal;
  /** Told that the server is away, and with null that it is back. */
  readonly away: (message: string | null) => void;
  /** Told what people have to know of a fail-over. */
  readonly warn: (message: string) => void;
}

/** A log in PostgreSQL, for any number of machines. */
export interface PostgresStore extends LogStore {
  readonly database: Database;
  /** Looks what it is fit for, without changing anything. */
  examine(): Promise<StoreFindings>;
  /** Lets sending go on without processes that have not come back after a fail-over. */
  resume(): Promise<Resumed>;
  /** Brings the tables up to date. Returns the names of the steps that this took. */
  migrate(): Promise<string[]>;
  open(command: string, exclusive: boolean): Promise<PostgresLog>;
  /** The tables are there. */
  hasRecords(): Promise<boolean>;
  close(): Promise<void>;
}

/** Creates the database without connecting to it. Throws `SrqError('settings')` if the URL cannot be used. */
export function openPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { url, password, clock, run, stopping, away, holder, warn } = options;
  const database = openDatabase({ url, password, clock, away, name: 'srq' });
  const isEmpty = async () => {
    const number = await database.retryWhileAway(() => schemaVersion(database.query), stopping);
    requireKnownSchema(number, database.shown);
    return number === 0;
  };
  const migrated = () => database.retryWhileAway(() => migrate(database), stopping);
  return {
    database,
    examine: () => examineStore(database),
    migrate: migrated,
    resume: async () => {
      await migrated();
      return resume(database.query);
    },
    name: database.shown,
    open: async (command) => {
      await migrated();
      const joining = { run, clock, stopping, holder: holder(command), warn };
      return database.retryWhileAway(() => PostgresLog.open(database, joining), stopping);
    },
    hasRecords: async () => {
      const found = () => database.query('select 1 from srq.record limit 1');
      return (await database.retryWhileAway(found, stopping)).length > 0;
    },
    openReader: async () => openReader(database, await isEmpty(), clock),
    latest: async function* () {
      return (await isEmpty()) ? BEGINNING : yield* readLatest(database);
    },
    newest: async function* () {
      if (!(await isEmpty())) yield* readNewest(database);
    },
    records: async function* () {
      return (await isEmpty()) ? BEGINNING : yield* readAllRecords(database);
    },
    follow: async function* (from, stop) {
      while ((await isEmpty()) && !stop.aborted) await clock.sleep(TABLES_LOOK_MS, stop);
      yield* followRecords(database, from, clock, stop);
    },
    notes: async function* () {
      if (!(await isEmpty())) yield* readNotes(database);
    },
    openNotes: (noted) => openNotes(database, noted, clock),
    close: () => database.close(),
  };
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

/** Kept in the background, in their order; what cannot be kept is lost. */
function openNotes(database: Database, run: string, clock: Clock): RunNotes {
  let kept: Promise<unknown> = Promise.resolve();
  const append = (note: RunNote, atMs: number) => {
    const values = [run, new Date(atMs).toISOString(), JSON.stringify(note)];
    const text = 'insert into srq.run_note (run, at, note) values ($1, $2, $3)';
    kept = kept.then(() => database.query(text, values)).catch(() => {});
  };
  return { ...coalesceNotes(append, clock.nowMs), flush: async () => void (await kept) };
}

/** What a store is fit for. */
interface StoreFindings {
  /** `PostgreSQL 15.4`. */
  readonly server: string;
  readonly role: string;
  /** Whether the next command that sends makes tables, or brings them up to date. */
  readonly isBehind: boolean;
  /** What endangers records that are told as recorded. */
  readonly danger: string | null;
}

const MIN_VERSION = 130_000;

interface Server {
  readonly version: string;
  readonly number: number;
  readonly role: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly fsync: string;
  readonly full_page_writes: string;
}

/** Looks without changing anything. Throws `SrqError('log')` for what cannot be used. */
async function examineStore({ query, shown }: Database): Promise<StoreFindings> {
  const [server] = await query<Server>(`select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as number, current_user as role, pg_is_in_recovery() as standby,
    current_setting('transaction_read_only')::boolean as read_only,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes`);
  if (!server || server.number < MIN_VERSION) {
    const message = `The store ${shown} is PostgreSQL ${server?.version ?? 'of an unknown version'}; 13 or later is needed.`;
    throw new SrqError('store.version', message, 'Name a newer server: --store postgres://USER@HOST:5432/DATABASE');
  }
  if (server.standby) {
    const message = `The store ${shown} is a standby and takes no writing.`;
    throw new SrqError(
      'store.read-only',
      message,
      'Name the primary server: --store postgres://USER@HOST:5432/DATABASE',
    );
  }
  if (server.read_only) {
    const message = `The store ${shown} takes no writing: its database, or the role ${server.role}, is set to read only.`;
    throw new SrqError('store.read-only', message, READ_ONLY_HINT);
  }
  const number = await schemaVersion(query);
  requireKnownSchema(number, shown);
  if (number > 0) await requireRights(query, shown, server.role);
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => server[name] === 'off');
  return {
    server: `PostgreSQL ${server.version}`,
    role: server.role,
    isBehind: number < NEWEST_SCHEMA,
    danger: off.length === 0 ? null : `The server runs with ${off.join(' and ')} off: a power cut can lose records.`,
  };
}

async function requireRights(query: Database['query'], shown: string, role: string): Promise<void> {
  const lacking = await query<{ lacked: string }>(
    `select need || ' on srq.' || name as lacked
    from (values ('state', 'SELECT'), ('state', 'INSERT'), ('state', 'UPDATE'), ('record', 'SELECT'), ('record', 'INSERT'),
      ('worker', 'SELECT'), ('worker', 'INSERT'), ('worker', 'UPDATE'), ('run_note', 'SELECT'), ('run_note', 'INSERT'),
      ('migration', 'SELECT'), ('account', 'SELECT'), ('account', 'INSERT'), ('account', 'UPDATE'), ('queue_claim', 'SELECT'),
      ('queue_claim', 'INSERT'), ('queue_claim', 'UPDATE'), ('queue_claim', 'DELETE')) as t (name, need)
    where to_regclass('srq.' || name) is not null and not has_table_privilege('srq.' || name, need)
    union all
    select 'USAGE on srq.record_id' where not has_sequence_privilege('srq.record_id', 'USAGE')
    union all
    select 'USAGE on schema ' || nspname from pg_namespace where nspname = $1 and not has_schema_privilege(oid, 'USAGE')`,
    [QUEUE_SCHEMA],
  );
  if (lacking.length === 0) return;
  throw new SrqError(
    'store.not-ready',
    `The role ${role} lacks rights in the store ${shown}: ${lacking.map(({ lacked }) => lacked).join(', ')}.`,
    'Let its owner grant them; docs/scale.md lists them. Then: srq doctor',
  );
}
