import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/account/system-clock.ts';
import type { LogReader, LogStore } from '../../src/request/log/log-store.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import { LOG_EVENTS, LOGGED_STATES, nextState, noCounts, SENT_STATUSES } from '../../src/request/log/status.ts';
import type { Clock, LogRecord, LogSubject } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { openFileLog } from '../../src/store/file/file-log.ts';
import { openFileStore, openLogReader, openRunNotes, readLog, readRunNotes } from '../../src/store/file/file-store.ts';
import type { LogUser } from '../../src/store/file/log-access.ts';
import { loadIndex, saveIndex } from '../../src/store/file/log-index.ts';
import { readLines } from '../../src/store/file/record.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';

/*
 * The door to the log, in a file and in a store: records go in, and what a later process knows of them comes out.
 */

export { LOG_EVENTS, LOGGED_STATES, nextState, openLogReader, openRunNotes, readLog, readRunNotes, SENT_STATUSES };

export const NO_COUNTS = noCounts();

export const keyOf = (row: number) => createHash('sha256').update(`row ${row}`).digest('hex').slice(0, 32);

export const subjectOf = (row: number): LogSubject => ({ key: keyOf(row), row, ref: `lead-${row}` });

export const CREATED: Outcome = {
  status: 'created',
  ids: { request_id: '12345678901234567890' },
  http: 201,
  message: null,
  raw: null,
  ms: 87,
};

/** Opens a log for a bulk run, or for one-off requests beside one. */
export const openLog = (path: string, exclusive = true, { clock = {}, ...changes }: LogChanges = {}) =>
  openFileLog({
    ...{ path, run: 'test', exclusive, holder: `a test, process ${process.pid}`, ...changes },
    clock: { ...systemClock, ...clock },
  });

interface LogChanges {
  readonly holder?: string;
  readonly run?: string;
  readonly user?: LogUser;
  readonly clock?: Partial<Clock>;
}

/** Opens the log only to look up keys, as they are now. */
export async function openLogIndex(path: string): Promise<Pick<LogReader, 'lookup' | 'prefetch'>> {
  const { lookup, prefetch: know, close } = await openLogReader(path);
  await close();
  return { lookup, prefetch: know };
}

export async function readAll(path: string, user: LogUser | null = null): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of readLog(path, user)) records.push(record);
  return records;
}

/** Returns the `SrqError` with which a promise rejects. */
export async function failureOf(action: Promise<unknown>): Promise<SrqError> {
  try {
    await action;
  } catch (error) {
    if (error instanceof SrqError) return error;
    throw error;
  }
  throw new Error('It was expected to fail.');
}

/** A log that is empty at first, with all processes that use it. */
export interface LogPlaceOfTest {
  /** The path or the URL by which a process finds the log. */
  readonly at: string;
  /** Opens the same log as another process would. `run` identifies its records. */
  store(run: string): LogStore;
  remove(): Promise<void>;
}

export interface KindOfLog {
  readonly kind: string;
  /** The reason why this kind cannot be tested here, or null if it can. */
  readonly missing: string | null;
  begin(): Promise<void>;
  /** Creates a new log. Only one may exist at a time. */
  fresh(): Promise<LogPlaceOfTest>;
  end(): void;
}

const FILE: KindOfLog = {
  kind: 'file',
  missing: null,
  begin: async () => {},
  fresh: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'srq-log-'));
    const at = join(folder, 'log.ndjson');
    return {
      at,
      store: (run) => openFileStore({ path: at, clock: systemClock, run, holder: (command) => command }),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
  end: () => {},
};

export type Store = ReturnType<typeof openPostgresStore>;

/** Returns the store at a URL for a process with this run's id. It is closed with the place, or by the caller. */
export function storeAt(url: string, run: string, options: Partial<Parameters<typeof openPostgresStore>[0]> = {}) {
  return openPostgresStore({
    url,
    password: async () => STORE_PASSWORD,
    clock: systemClock,
    run,
    holder: (command) => `srq ${command} of ${run}`,
    stopping: new AbortController().signal,
    away: () => {},
    warn: () => {},
    ...options,
  });
}

function postgres(): KindOfLog {
  let server: PostgresServer | null = null;
  let at = '';
  return {
    kind: 'PostgreSQL',
    missing: postgresIsMissing,
    begin: async () => {
      server = await PostgresServer.start();
      at = await server.database();
    },
    fresh: async () => {
      await server?.query(at, 'drop schema if exists srq cascade');
      const open: ReturnType<typeof storeAt>[] = [];
      const store = (run: string) => {
        const opened = storeAt(at, run);
        open.push(opened);
        return opened;
      };
      return { at, store, remove: async () => void (await Promise.all(open.map((each) => each.close()))) };
    },
    end: () => server?.end(),
  };
}

/** Returns all kinds of logs that srq has. */
export const kindsOfLog = (): KindOfLog[] => [FILE, postgres()];

/** Makes the index beside a log say that a request was created, which shows whether it is believed. */
export function lieInIndex(path: string, key: string): void {
  const fd = openSync(path, 'r');
  const index = loadIndex(fd, path, null);
  if (index.end === 0) throw new Error('There is no index.');
  index.set(key, 'created', null, 0);
  saveIndex(index, fd, path, Number.NEGATIVE_INFINITY, 'test');
  closeSync(fd);
}

/** Reads the whole lines of a log. `between` is called after each block of them. */
export async function linesOf(path: string, between: () => void): Promise<{ texts: string[]; end: number }> {
  const file = await open(path, 'r+');
  const texts: string[] = [];
  let end = 0;
  for await (const lines of readLines(file, 0)) {
    texts.push(...lines.map(({ text }) => `${text}`));
    end = lines.at(-1)?.end ?? end;
    between();
  }
  await file.close();
  return { texts, end };
}
