import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/account/system-clock.ts';
import type { LogStore } from '../../src/request/log/log-store.ts';
import { openFileStore } from '../../src/store/file/file-store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from './postgres.ts';

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
