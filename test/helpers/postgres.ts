import { Client } from 'pg';
import { postgresIsMissing, startPostgres, type TemporaryPostgres } from '../../scripts/postgres-server.mjs';

export { postgresIsMissing };

/** Password of every role: found anywhere but in the environment of a srq, it is a leak. */
export const STORE_PASSWORD = 'CanaryOfTheStore-5d1f';

/** A PostgreSQL server of its own, with throw-away data. */
export class PostgresServer {
  readonly #server: TemporaryPostgres;
  #databases = 0;

  private constructor(server: TemporaryPostgres) {
    this.#server = server;
  }

  /** Takes a second or two. */
  static async start(): Promise<PostgresServer> {
    return new PostgresServer(await startPostgres(STORE_PASSWORD, '-c max_connections=60 -c shared_buffers=64MB'));
  }

  /** Starts a server that was stopped. */
  up(): void {
    this.#server.up();
  }

  /** Cuts all connections off: as for maintenance, or as in a crash. */
  down(mode: 'fast' | 'immediate' = 'fast'): void {
    this.#server.down(mode);
  }

  end(): void {
    this.#server.end();
  }

  /** An empty database; the URL has no password. */
  async database(): Promise<string> {
    this.#databases += 1;
    const name = `store${this.#databases}`;
    await this.query('postgres', `create database ${name}`);
    return this.url(name);
  }

  url(database: string, user = 'owner'): string {
    return this.#server.url(database, user);
  }

  /** Runs statements as the owner of all; the rows of the last one. `database`: a name, or a URL. */
  async query<Row = Record<string, unknown>>(database: string, text: string, values?: unknown[]): Promise<Row[]> {
    const name = database.split('/').at(-1) ?? '';
    const place = { host: '127.0.0.1', port: this.#server.port, user: 'owner', password: STORE_PASSWORD };
    const client = new Client({ ...place, database: name });
    await client.connect();
    try {
      const { rows } = await client.query(text, values);
      return rows as Row[];
    } finally {
      await client.end();
    }
  }
}
