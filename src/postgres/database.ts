import { Socket } from 'node:net';
import { Client, type ClientConfig, Pool } from 'pg';
import pgpass from 'pgpass';
import type { Clock } from '../model/ports.ts';
import { isPassing, storeError } from './failures.ts';
import { storeAddress } from './store-url.ts';

/** A row as the driver gives it: whoever asks knows the columns. */
type DatabaseRow = Readonly<Record<string, unknown>>;

/** Runs one statement; one with a `name` is prepared once a connection. Throws `SrqError('log')`. */
export type Query = <Row extends object = DatabaseRow>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<Row[]>;

/** A connection of its own, for what belongs to a session: advisory locks, cursors. */
export interface Session {
  readonly query: Query;
  /** Fires when the connection is gone, by whoever's doing. */
  readonly gone: AbortSignal;
  /** Calls back for every notification on the channels that this session listens to. */
  onNotice(listen: (payload: string) => void): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Gives the password where the URL does not; null: it may be in `.pgpass`. */
  readonly password: (() => Promise<string | null>) | null;
  /** Shown in the server's list of connections. */
  readonly name: string;
  readonly clock: Clock;
  /** Told when the server is found to be away, with what to say, and with null when it is back. */
  readonly away?: ((message: string | null) => void) | undefined;
}

/** The PostgreSQL server that keeps the store, through few connections. */
export interface Database {
  /** Its URL without the password. */
  readonly shown: string;
  readonly query: Query;
  /** All or nothing: what `work` does by its own `query`. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** `work` is done again until the server is there, if it was there before; `stop` gives that up. */
  persist<Result>(work: () => Promise<Result>, stop: AbortSignal): Promise<Result>;
  /** `patient`: statements may take as long as they do. */
  connect(options?: { readonly patient?: boolean }): Promise<Session>;
  close(): Promise<void>;
}

/** With that which shows that the process lives and that of the account, four a process: servers have 100 by default. */
const POOL_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
/** The server gives a statement up first, so that none is done after its asker has stopped waiting. */
export const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 15_000;
/** What a process that is stopped within a transaction has locked is free again after so long. */
export const IDLE_TIMEOUT_MS = 3_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const FIRST_CONTACT_MS = 3_000;

/** Nothing is connected yet. Throws `SrqError('settings')` for a URL that cannot be used. */
export function openDatabase(options: DatabaseOptions): Database {
  const { shown, config: address, password } = storeAddress(options.url);
  const config: ClientConfig = {
    ...address,
    application_name: options.name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The driver passes on what it has completed by PGUSER and the like.
    password: (completed: ClientConfig = address) => passwordOf(completed, password, options),
  };
  const bounded = { ...config, statement_timeout: STATEMENT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS };
  const pool = new Pool({
    ...bounded,
    Client: StoreClient,
    max: POOL_CONNECTIONS,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    onConnect: (client) => prepareSession(client),
  });
  // A connection that breaks while nobody uses it is replaced by the next use, which tells if that fails.
  pool.on('error', () => {});
  // The pool listens to those that lie idle alone, and a connection may end between two hands; unheard, that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const query = queryOf(pool, shown);
  return {
    shown,
    query,
    transaction: (work) => inTransaction(pool, shown, work),
    persist: persistence(options),
    connect: ({ patient = false } = {}) => openSession(patient ? config : bounded, shown),
    close: () => pool.end(),
  };
}

type Connected = (error: Error | null, client?: Client) => void;

/** Lets go of a connection on which it could not log in: the driver leaves that open until the server ends it, a minute later. */
class StoreClient extends Client {
  readonly #socket: Socket;

  constructor(config: ClientConfig = {}) {
    const socket = new Socket();
    // Among the settings that a pool hands on, the password is hidden.
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

/** Asked for anew for each connection: some passwords live for minutes. */
async function passwordOf(address: ClientConfig, inUrl: string | null, { password }: DatabaseOptions): Promise<string> {
  const given = inUrl ?? (await password?.()) ?? null;
  if (given !== null) return given;
  const fromFile = await new Promise<string | undefined>((resolve) => pgpass(address, resolve));
  return fromFile ?? '';
}

/** What is told as recorded is on the server's disk, whatever the server's own default is. */
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
    // A connection given back with an error is closed, which also rolls back.
    client.release(failure);
  }
}

/**
 * Does work again and again while the server is away. Said once, however many wait, and once when it is back. A server that
 * was never reached is given up soon: its name may be wrong.
 */
function persistence({ clock, away }: DatabaseOptions): Database['persist'] {
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
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS)) {
      const startedMs = clock.monotonicMs();
      try {
        const result = await work();
        isReached = true;
        doneMs = clock.monotonicMs();
        say(null);
        return result;
      } catch (error) {
        if (!isPassing(error) || stop.aborted) throw error;
        if (!isReached && clock.monotonicMs() - firstMs > FIRST_CONTACT_MS) throw error;
        // A restart within a moment is not worth a word, nor is a try that others have overtaken.
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
    onNotice: (listen) => client.on('notification', ({ payload = '' }) => listen(payload)),
    close: () => client.end().catch(() => {}),
  };
}
