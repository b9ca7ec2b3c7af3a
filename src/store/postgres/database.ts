import { type Client, type ClientConfig, Pool } from 'pg';
import pgpass from 'pgpass';
import type { Clock } from '../../request/ports.ts';
import { StoreClient } from './connection.ts';
import { storeError } from './failures.ts';
import { Servers } from './servers.ts';
import { storeAddress } from './store-url.ts';

/** A row as the driver returns it. The caller of the query knows its columns. */
type DatabaseRow = Readonly<Record<string, unknown>>;

/**
 * Runs one statement. A statement with a `name` is prepared once for each connection. Throws `SrqError('log')` if it
 * fails.
 */
export type Query = <Row extends object = DatabaseRow>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<Row[]>;

/** A connection outside of the pool, for what belongs to a session: advisory locks and cursors. */
export interface Session {
  readonly query: Query;
  /** Aborts when the connection is gone, whoever ended it. */
  readonly gone: AbortSignal;
  /** The server's timeline, which changes when a standby takes over. Null for a standby. */
  readonly timeline: number | null;
  /** Calls `listen` for each notification on the channels that this session listens to. */
  onNotification(listen: (payload: string) => void): void;
  close(): Promise<void>;
}

interface SessionOptions {
  /** Whether its statements have no time limit. */
  readonly patient?: boolean;
  /** Whether it may lead to a server that has taken over and was not joined yet. */
  readonly joins?: boolean;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Returns the password if the URL has none. If it is null or returns null, the password may be in `.pgpass`. */
  readonly password: (() => Promise<string | null>) | null;
  /** The application's name in the server's list of connections. */
  readonly name: string;
  readonly clock: Clock;
  /** Called with a message for people when the server is found to be unavailable, and with null when it is back. */
  readonly away?: ((message: string | null) => void) | undefined;
}

/** The PostgreSQL database that holds the store. Few connections are used. */
export interface Database {
  /** The URL without its password. */
  readonly shown: string;
  readonly query: Query;
  /** Runs `work` in one transaction. Its statements must use the `query` that it is given. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** Runs `work`, and again while a server that was reached before is unavailable, until `stop` fires. */
  retryWhileAway<Result>(work: () => Promise<Result>, stop: AbortSignal): Promise<Result>;
  /** Opens a connection outside of the pool. */
  connect(options?: SessionOptions): Promise<Session>;
  /**
   * From now on, uses only servers on this timeline. A server on another one can be reached only by `connect` with
   * `joins`, until it is joined.
   */
  join(timeline: number | null): void;
  close(): Promise<void>;
}

/**
 * Maximum number of pooled connections. With the connection of the process lease and that of the account, a process has
 * four. Servers allow 100 by default.
 */
const MAX_POOL_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * The time limit of a statement at the server. The client waits longer, so that no statement takes effect after the client
 * has stopped waiting for it.
 */
export const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 15_000;
/** Time after which the server releases the locks of a process that was suspended within a transaction. */
export const IDLE_TIMEOUT_MS = 3_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
/** Time for which a server that was never reached is tried. */
const FIRST_CONTACT_MS = 3_000;

/** Creates the database without connecting to it. Throws `SrqError('settings')` if the URL cannot be used. */
export function openDatabase(options: DatabaseOptions): Database {
  const address = storeAddress(options.url);
  const { shown, password } = address;
  const servers = new Servers(address, {
    ...address.config,
    application_name: options.name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The driver passes the address that it has completed from variables such as PGUSER.
    password: (completed: ClientConfig = address.config) => passwordOf(completed, password, options),
  });
  const pool = new Pool({
    ...servers.config,
    query_timeout: ANSWER_TIMEOUT_MS,
    Client: StoreClient,
    max: MAX_POOL_CONNECTIONS,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    onConnect: (client) => servers.prepare(client as StoreClient, { statementMs: STATEMENT_TIMEOUT_MS }),
  });
  // The next use replaces a connection that broke while it was idle, and reports an error if that fails.
  pool.on('error', () => {});
  // The pool listens for errors only on idle connections. An error on another connection without a listener would end
  // the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const reached = async () => {
    await servers.choose().catch((error: unknown) => Promise.reject(storeError(error, shown)));
    return pool;
  };
  const query = queryOf(pool, shown);
  return {
    shown,
    query: async (...asked) => {
      await reached();
      return query(...asked);
    },
    transaction: async (work) => inTransaction(await reached(), shown, work),
    retryWhileAway: persistence(options, servers),
    connect: async (wanted = {}) => {
      await reached();
      return openSession(servers, wanted);
    },
    join: (timeline) => servers.join(timeline),
    close: () => pool.end(),
  };
}

/** Returns the password. It is called for each connection, because some passwords are valid only for minutes. */
async function passwordOf(address: ClientConfig, inUrl: string | null, { password }: DatabaseOptions): Promise<string> {
  const given = inUrl ?? (await password?.()) ?? null;
  if (given !== null) return given;
  const fromFile = await new Promise<string | undefined>((resolve) => pgpass(address, resolve));
  return fromFile ?? '';
}

function queryOf(on: Pick<Client, 'query'>, shown: string): Query {
  return async <Row extends object>(text: string, values: readonly unknown[] = [], name?: string) => {
    try {
      const query = { text, values: [...values], ...(name === undefined ? {} : { name }) };
      return (await on.query(query)).rows as Row[];
    } catch (error) {
      throw storeError(error, shown);
    }
  };
}

async function inTransaction<Result>(
  pool: Pool,
  shown: string,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => Promise.reject(storeError(error, shown)));
  const query = queryOf(client, shown);
  let failure: Error | undefined;
  try {
    await query(`begin; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`);
    const result = await work(query);
    await query('commit');
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // The pool closes a connection that is released with an error, which also rolls back the transaction.
    client.release(failure);
  }
}

/**
 * Returns the function that repeats work while the server is unavailable. It reports that only once, however many
 * callers wait, and once more when the server is back. A server that was never reached is given up soon, because its
 * name may be wrong.
 */
function persistence({ clock, away }: DatabaseOptions, servers: Servers): Database['retryWhileAway'] {
  let isSaid = false;
  let isReached = false;
  let doneMs = Number.NEGATIVE_INFINITY;
  const say = (message: string | null) => {
    if (isSaid === (message !== null)) return;
    isSaid = message !== null;
    away?.(message);
  };
  return async (work, stop) => {
    const firstMs = clock.monotonicMs();
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
      const startedMs = clock.monotonicMs();
      try {
        const result = await work();
        isReached = true;
        doneMs = clock.monotonicMs();
        say(null);
        return result;
      } catch (error) {
        if (!servers.failed(error) || stop.aborted) throw error;
        if (!isReached && clock.monotonicMs() - firstMs > FIRST_CONTACT_MS) throw error;
        // A restart that takes only a moment is not reported. Neither is a failure that began before a later success of
        // another caller.
        if (isReached && pauseMs > FIRST_RETRY_MS && startedMs >= doneMs)
          say(error instanceof Error ? error.message : String(error));
      }
      await clock.sleep(pauseMs * (0.75 + Math.random() / 2), stop);
    }
  };
}

async function openSession(servers: Servers, { patient = false, joins = false }: SessionOptions): Promise<Session> {
  const client = new StoreClient({ ...servers.config, ...(patient ? {} : { query_timeout: ANSWER_TIMEOUT_MS }) });
  const gone = new AbortController();
  client.on('error', () => gone.abort());
  client.on('end', () => gone.abort());
  try {
    await client.connect();
    await servers.prepare(client, { statementMs: patient ? 0 : STATEMENT_TIMEOUT_MS, joins });
  } catch (error) {
    client.end().catch(() => {});
    throw storeError(error, servers.shown);
  }
  return {
    query: queryOf(client, servers.shown),
    gone: gone.signal,
    timeline: client.timeline,
    onNotification: (listen) => client.on('notification', ({ payload = '' }) => listen(payload)),
    close: () => client.end().catch(() => {}),
  };
}
