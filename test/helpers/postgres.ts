import { Client } from 'pg';
import {
  postgresIsMissing,
  startPostgres,
  type TemporaryPostgres,
  type TemporaryStandby,
} from '../../scripts/postgres-server.mjs';

export { postgresIsMissing };

/** The password of every role. If it is found anywhere but in the environment of an srq, it has leaked. */
export const STORE_PASSWORD = 'CanaryOfTheStore-5d1f';

const SETTINGS = '-c max_connections=60 -c shared_buffers=64MB';

/** A separate PostgreSQL server with temporary data. */
export class PostgresServer<Server extends TemporaryPostgres = TemporaryPostgres> {
  readonly #server: Server;
  #databases = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts a server, which takes a second or two. */
  static async start(settings = ''): Promise<PostgresServer> {
    return new PostgresServer(await startPostgres(STORE_PASSWORD, `${SETTINGS} ${settings}`));
  }

  /**
   * Starts a hot standby of a server, with everything that the server has now. It replicates through the port
   * `through`.
   */
  static async standbyOf(primary: PostgresServer<TemporaryPostgres>, through: number) {
    return new PostgresServer(await primary.#server.standby({ through, settings: `${SETTINGS} -c fsync=off` }));
  }

  get port(): number {
    return this.#server.port;
  }

  /** Makes a standby the primary. */
  promote(this: PostgresServer<TemporaryStandby>): void {
    this.#server.promote();
  }

  /** Starts a server that was stopped. */
  up(): void {
    this.#server.up();
  }

  /** Stops the server, which cuts all connections, either as for maintenance or as in a crash. */
  down(mode: 'fast' | 'immediate' = 'fast'): void {
    this.#server.down(mode);
  }

  end(): void {
    this.#server.end();
  }

  /** Creates an empty database and returns its URL, without a password. */
  async database(): Promise<string> {
    this.#databases += 1;
    const name = `store${this.#databases}`;
    await this.query('postgres', `create database ${name}`);
    return this.url(name);
  }

  url(database: string, user = 'owner'): string {
    return this.#server.url(database, user);
  }

  /** Runs statements as the owner of everything and returns the rows of the last one. `database` is a name or a URL. */
  async query<Row = Record<string, unknown>>(database: string, text: string, values?: unknown[]): Promise<Row[]> {
    const name = database.split('/').at(-1) ?? '';
    const place = { host: '127.0.0.1', port: this.#server.port, user: 'owner', password: STORE_PASSWORD };
    const client = new Client({ ...place, database: name });
    // The server may end while it is asked.
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query(text, values);
      return rows as Row[];
    } finally {
      await client.end();
    }
  }
}

/** Returns what of the queue contradicts the log: rows that wait although the log has what became of them. */
export const QUEUE_CONTRADICTIONS = `
  select w.key, s.state::text from srq.waiting w join srq.request s on s.key = w.key
  where s.state in ('created', 'duplicate', 'rejected')`;

/** Ends the wait for a process that does not come back to a server that has taken over. Without such a wait it returns no row. */
export const HALF_A_MINUTE_LATER =
  "update srq.meta set met_at = met_at - interval '30 seconds' where met is not null returning met_at";
