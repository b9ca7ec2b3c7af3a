import { Socket } from 'node:net';
import { Client, type ClientConfig, Pool } from 'pg';
import type { Clock } from '../../request/ports.ts';
import { isReadOnly, isTransient, storeError } from './failures.ts';
import { storeAddress } from './store-url.ts';

/**
 * Runs one statement, whose columns its caller knows. Statements have no names, because a pooler may give each of them another connection. Several without
 * values are one transaction, and the rows are those of the last one. Throws `SrqError('log')` if it fails.
 */
export type Query = <Row extends object = object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface DatabaseOptions {
  readonly url: string;
  /** Returns the password if the URL has none. Null if no password is known. */
  readonly password: (() => Promise<string>) | null;
  /** The application's name in the server's list of connections. */
  readonly name: string;
  readonly clock: Clock;
  /** Called with a message for people at once and every 10 s while something waits, and with null when nothing does. */
  readonly away?: ((message: string | null) => void) | undefined;
}

/** The PostgreSQL database that holds the store. Nothing needs a session, so any pooler may stand in between. */
export type Database = ReturnType<typeof openDatabase>;

/** Maximum number of connections of a process. Two are enough, if the server has no more. */
const MAX_CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection is replaced after this time, so that a process finds a server that has taken over. */
const MAX_CONNECTION_S = 10;
/**
 * The time limit of a statement at the server. The client waits longer, so that no statement takes effect after the client
 * has stopped waiting for it.
 */
const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 15_000;
/** Time that the server has to end a connection. One that drops everything would otherwise keep the process alive. */
const GOODBYE_MS = 2_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
/** Time for which a server that was never reached is tried. */
const FIRST_CONTACT_MS = 3_000;
/** Time after which a statement without an answer is reported, and reported again. */
const SILENT_MS = 5_000;
const TELL_AGAIN_MS = 10_000;

/**
 * Dates are read as ISO, whatever the database is set to. All statements are short: to compile one takes longer than to run
 * it. A pooler in transaction mode may give these to nobody.
 */
const SETTINGS = `select set_config('statement_timeout', $1, false), set_config('datestyle', 'ISO', false),
  set_config('jit', 'off', false)`;

/** Creates the database without connecting to it. Throws `SrqError('settings')` if the URL cannot be used. */
export function openDatabase(options: DatabaseOptions) {
  const { shown, password, config: address } = storeAddress(options.url);
  const config: ClientConfig = {
    ...address,
    application_name: options.name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // It is asked for each connection, because some passwords are valid only for minutes. Without one, the driver would look
    // for a file of passwords and warn.
    password: async () => password ?? (await options.password?.()) ?? '',
  };
  const pool = new Pool({
    ...config,
    query_timeout: ANSWER_TIMEOUT_MS,
    Client: StoreClient,
    max: MAX_CONNECTIONS,
    maxLifetimeSeconds: MAX_CONNECTION_S,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    onConnect: async (client) => void (await client.query(SETTINGS, [String(STATEMENT_TIMEOUT_MS)])),
  });
  // The next use replaces a connection that broke while it was idle, and reports an error if that fails.
  pool.on('error', () => {});
  return {
    /** The URL without its password. */
    shown,
    query: queryOf(pool, shown),
    /** Runs `work`, and again while a server that was reached before is unavailable, until `stop` fires. */
    retryWhileAway: patience(options, shown),
    /** Opens a connection outside of the pool, for a long read: its statements have no time limit. */
    connect: () => openSession(config, shown),
    close: () => pool.end(),
  };
}

function queryOf(on: Pick<Client, 'query'>, shown: string): Query {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    try {
      const results = [await on.query({ text, values: [...values] })].flat();
      return (results.at(-1)?.rows ?? []) as Row[];
    } catch (error) {
      throw storeError(error, shown);
    }
  };
}

async function openSession(config: ClientConfig, shown: string) {
  const client = new StoreClient(config);
  try {
    await client.connect();
    await client.query(SETTINGS, ['0']);
  } catch (error) {
    client.end().catch(() => {});
    throw storeError(error, shown);
  }
  return { query: queryOf(client, shown), close: () => client.end().catch(() => {}) };
}

/** Returns a function that repeats work while the server is unavailable, and tells people what is waited for, however many wait. */
function patience({ clock, away }: DatabaseOptions, shown: string) {
  const stuck = new Set<object>();
  let isReached = false;
  let toldMs = Number.NEGATIVE_INFINITY;
  const tell = (call: object, message: string) => {
    stuck.add(call);
    if (clock.monotonicMs() - toldMs < TELL_AGAIN_MS) return;
    toldMs = clock.monotonicMs();
    away?.(message);
  };
  const done = (call: object, isBack: boolean) => {
    stuck.delete(call);
    if (!isBack || stuck.size > 0 || toldMs === Number.NEGATIVE_INFINITY) return;
    toldMs = Number.NEGATIVE_INFINITY;
    away?.(null);
  };
  /** A server that was never reached is given up soon, because its name may be wrong. */
  return async <Result>(work: () => Promise<Result>, stop: AbortSignal): Promise<Result> => {
    const call = {};
    const firstMs = clock.monotonicMs();
    const ended = new AbortController();
    let wrong = `The store ${shown} does not answer.`;
    let wasReadOnly = false;
    let isBack = true;
    void (async () => {
      for (let waitMs = SILENT_MS; ; waitMs = TELL_AGAIN_MS) {
        await clock.sleep(waitMs, ended.signal);
        if (ended.signal.aborted) return;
        tell(call, wrong);
      }
    })();
    try {
      for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
        try {
          const result = await work();
          isReached = isBack = true;
          return result;
        } catch (error) {
          // No server takes writing while a standby takes over.
          const isPassing = isTransient(error) || (isReadOnly(error) && isReached);
          const isLate = !isReached && clock.monotonicMs() - firstMs > FIRST_CONTACT_MS;
          isBack = !isPassing;
          if (isBack || stop.aborted || isLate) throw error;
          wasReadOnly ||= isReadOnly(error);
          wrong = error instanceof Error ? error.message : String(error);
          // A restart that takes only a moment is not reported.
          if (isReached && (pauseMs > FIRST_RETRY_MS || wasReadOnly)) tell(call, wrong);
        }
        await clock.sleep(pauseMs * (0.75 + Math.random() / 2), stop);
      }
    } finally {
      ended.abort();
      done(call, isBack);
    }
  };
}

/**
 * A client that closes its connection if the login failed, and a while after it was ended. The driver would keep the
 * former open until the server ends it after a minute, and the latter until the system gives it up after many minutes.
 */
class StoreClient extends Client {
  readonly #socket: Socket;

  constructor(settings: ClientConfig = {}) {
    const socket = new Socket();
    // The pool makes the password a non-enumerable property of the settings, so spreading them does not copy it.
    const { password = '', ...config } = settings;
    super({ ...config, password, stream: () => socket });
    this.#socket = socket;
    this.connection.on('error', () => socket.destroy());
    // Whoever uses the connection is told of its error. One that nobody listens for would end the process.
    this.on('error', () => {});
  }

  override end(): Promise<void>;
  override end(done: (error: Error) => void): void;
  override end(done?: (error: Error) => void): Promise<void> | undefined {
    const socket = this.#socket;
    socket.setTimeout(GOODBYE_MS, () => socket.destroy());
    return done ? void super.end(done) : super.end();
  }
}
