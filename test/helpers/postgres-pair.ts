import { expect } from 'vitest';
import type { TemporaryStandby } from '../../scripts/postgres-server.mjs';
import { PostgresServer } from './postgres.ts';
import { TcpLine } from './tcp-line.ts';

const PATIENCE = { timeout: 120_000, interval: 100 };

/** A primary and a hot standby that can take over, with an empty database. */
export class PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer<TemporaryStandby>;
  /** The connection from the standby to the primary. If it is silent, the standby does not receive commits. */
  readonly heard: TcpLine;
  /** The connection from clients to the primary, or to the standby once it is promoted. */
  readonly front: TcpLine;
  /** The URL of the database on the primary itself. */
  readonly url: string;

  private constructor(parts: Pick<PostgresPair, 'primary' | 'standby' | 'heard' | 'front' | 'url'>) {
    this.primary = parts.primary;
    this.standby = parts.standby;
    this.heard = parts.heard;
    this.front = parts.front;
    this.url = parts.url;
  }

  static async start(): Promise<PostgresPair> {
    const primary = await PostgresServer.start('-c fsync=off');
    return PostgresPair.#with(primary, await primary.database(), await TcpLine.to(primary.port));
  }

  /**
   * Returns the next pair after the standby was promoted: the former standby and a new standby of its own, behind the
   * same address.
   */
  next(): Promise<PostgresPair> {
    return PostgresPair.#with(this.standby, this.url.replace(/:\d+\//, `:${this.standby.port}/`), this.front);
  }

  static async #with(primary: PostgresServer, url: string, front: TcpLine): Promise<PostgresPair> {
    const heard = await TcpLine.to(primary.port);
    const standby = await PostgresServer.standbyOf(primary, heard.port);
    return new PostgresPair({ primary, standby, heard, front, url });
  }

  /** The URL of the database at the address that leads to whichever server is in force. */
  get behindOne(): string {
    return this.url.replace(/:\d+\//, `:${this.front.port}/`);
  }

  /** The URL of the database with both servers. */
  get listed(): string {
    return this.url.replace(/:\d+\//, `:${this.primary.port},127.0.0.1:${this.standby.port}/`);
  }

  /** From now on a commit waits until the standby has it. */
  async synchronize(): Promise<void> {
    await this.primary.query(this.url, "alter system set synchronous_standby_names = 'standby'");
    await this.primary.query(this.url, 'select pg_reload_conf()');
    const text = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await expect.poll(() => this.primary.query(this.url, text), PATIENCE).toHaveLength(1);
  }

  /** Waits until the standby has everything that was committed so far. */
  async caughtUp(): Promise<void> {
    const [row] = await this.primary.query<{ at: string }>(this.url, 'select pg_current_wal_lsn()::text as at');
    const text = 'select 1 where pg_last_wal_replay_lsn() >= $1::pg_lsn';
    await expect.poll(() => this.standby.query(this.url, text, [row?.at]), PATIENCE).toHaveLength(1);
  }

  /** Stops the primary. Clients reach the standby, which does not accept writes yet. */
  loseThePrimary(): void {
    this.primary.down('immediate');
    this.front.lead(this.standby.port);
    this.front.cut();
  }

  replace(): void {
    this.loseThePrimary();
    this.standby.promote();
  }

  async end(): Promise<void> {
    await Promise.all([this.heard.end(), this.front.end()]);
    this.standby.end();
    this.primary.end();
  }
}
