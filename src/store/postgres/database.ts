import { Socket } from 'node:net';
import { Client, type ClientConfig, Pool } from 'pg';
import pgpass from 'pgpass';
import type { Clock } from '../../request/ports.ts';
import { isTransient, storeError } from './failures.ts';
import { storeAddress } from './store-url.ts';

/** A row as the driver returns it. The caller of the query knows its columns. */
type DatabaseRow = Readonly<Record<string, unknown>>;

/** Runs one statement. One with a `name` is prepared once for each connection. Throws `SrqError('log')` if it fails. */
export type Query = <Row extends object = DatabaseRow>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<Row[]>;

/** A connection outside the pool, for things that belong to a session: advisory locks and cursors. */
export interface Session {
  readonly query: Query;
  /** Aborts when the connection is gone, whoever ended it. */
  readonly gone: AbortSignal;
  /** Calls `listen` for each notification on the channels that this session listens to. */
  onNotification(listen: (payload: string) => void): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Returns the password if the URL has none. If it is null or returns null, the password may be in `.pgpass`. */
  readonly password: (() => Promise<string | null>) | null;
  /** The application name in the server's list of connections. */
  readonly name: string;
  readonly clock: Clock;
  /** Called with a message for people when the server is found to be away, and with null when it is back. */
  readonly away?: ((message: string | null) => void) | undefined;
}

/** The PostgreSQL database that holds the store, reached through few connections. */
export interface Database {
  /** The URL without its password. */
  readonly shown: string;
  readonly query: Query;
  /** Runs the statements that `work` gives to its `query` in one transaction. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** Runs `work` again and again while a server that was reached before is away, until `stop` fires. */
  retryWhileAway<Result>(work: () => Promise<Result>, stop: AbortSignal): Promise<Result>;
  /** Opens a connection outside the pool. If `patient` is true, its statements have no time limit. */
  connect(options?: { readonly patient?: boolean }): Promise<Session>;
  close(): Promise<void>;
}

/**
 * Maximum number of pooled connections. With the one that shows that the process is alive and the one of the account, a
 * process has four; servers allow 100 by default.
 */
const MAX_POOL_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * The time limit of a statement at the server. The client waits longer, so that no statement takes effect after the client
 * has stopped waiting for it.
 */
export const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 15_000;
/** The time after which the server frees the locks of a process that was stopped within a transaction. */
export const IDLE_TIMEOUT_MS = 3_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
/** The time for which a server that was never reached is tried. */
const FIRST_CONTACT_MS = 3_000;

/** Creates the database without connecting to it. Throws `SrqError('settings')` if the URL cannot be used. */
export function openDatabase(options: DatabaseOptions): Database {
  const { shown, config: address, password } = storeAddress(options.url);
  const config: ClientConfig = {
    ...address,
    application_name: options.name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The driver passes the address that it has completed from PGUSER and other variables.
    password: (completed: ClientConfig = address) => passwordOf(completed, password, options),
  };
  const bounded = { ...config, statement_timeout: STATEMENT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS };
  const pool = new Pool({
    ...bounded,
    Client: StoreClient,
    max: MAX_POOL_CONNECTIONS,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    onConnect: (client) => prepareSession(client),
  });
  // The next use replaces a connection that broke while it was idle, and reports an error if that fails.
  pool.on('error', () => {});
  // The pool listens for errors on idle connections only. An error on another one that nobody listens for would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const query = queryOf(pool, shown);
  return {
    shown,
    query,
    transaction: (work) => inTransaction(pool, shown, work),
    retryWhileAway: persistence(options),
    connect: ({ patient = false } = {}) => openSession(patient ? config : bounded, shown),
    close: () => pool.end(),
  };
}

type Connected = (error: Error | null, client?: Client) => void;

/**
 * A client that closes its connection if it could not log in. The driver would leave that connection open until the server
 * ends it, a minute later.
 */
class StoreClient extends Client {
  readonly #socket: Socket;

  constructor(config: ClientConfig = {}) {
    const socket = new Socket();
    // The pool makes the password a hidden property of the settings, which spreading them would not copy.
    const { password = '' } = config;
    super({ ...config, password, stream: () => socket });
    this.#socket = socket;
  }

  override connect(): Promise<Client>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<Client> | undefined {
    const connecting = super.connect().catch((error: unknown) => {
      this.#socket.destroy();
      throw error;
    });
    if (!done) return connecting;
    connecting.then((client) => done(null, client), done);
    return undefined;
  }
}

/** Returns the password. It is called for each connection, because some passwords are valid only for minutes. */
async function passwordOf(address: ClientConfig, inUrl: string | null, { password }: DatabaseOptions): Promise<string> {
  const given = inUrl ?? (await password?.()) ?? null;
  if (given !== null) return given;
  const fromFile = await new Promise<string | undefined>((resolve) => pgpass(address, resolve));
  return fromFile ?? '';
}

/** Makes sure that a committed record is on the server's disk, whatever the server's default is. */
async function prepareSession(client: { query(text: string): Promise<unknown> }): Promise<void> {
  await client.query(
    "select set_config('synchronous_commit', 'on', false) " +
      "where current_setting('synchronous_commit') in ('off', 'local', 'remote_write')",
  );
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
 * Returns the function that runs work again and again while the server is away. It reports that once, however many callers
 * wait, and once more when the server is back. It soon gives up a server that was never reached, because its name may be
 * wrong.
 */
function persistence({ clock, away }: DatabaseOptions): Database['retryWhileAway'] {
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
        if (!isTransient(error) || stop.aborted) throw error;
        if (!isReached && clock.monotonicMs() - firstMs > FIRST_CONTACT_MS) throw error;
        // Neither a restart within a moment is reported nor a failure that started before a later success of another
        // caller.
        if (isReached && pauseMs > FIRST_RETRY_MS && startedMs >= doneMs)
          say(error instanceof Error ? error.message : String(error));
      }
      await clock.sleep(pauseMs * (0.75 + Math.random() / 2), stop);
    }
  };
}

async function openSession(config: ClientConfig, shown: string): Promise<Session> {
  const client = new StoreClient(config);
  const gone = new AbortController();
  client.on('error', () => gone.abort());
  client.on('end', () => gone.abort());
  try {
    await client.connect();
    await prepareSession(client);
  } catch (error) {
    client.end().catch(() => {});
    throw storeError(error, shown);
  }
  return {
    query: queryOf(client, shown),
    gone: gone.signal,
    onNotification: (listen) => client.on('notification', ({ payload = '' }) => listen(payload)),
    close: () => client.end().catch(() => {}),
  };
}
