import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { ServerPlace } from './store-url.ts';

/**
 * Time that the server has to end a connection. A connection that drops everything would otherwise keep the process
 * alive for long.
 */
const GOODBYE_MS = 2_000;

/** The settings of a connection. The pool passes `place` on, which returns the server of the next connection. */
export interface StoreClientConfig extends ClientConfig {
  readonly place?: () => ServerPlace;
}

type Connected = (error: Error | null, client?: Client) => void;

/**
 * A client that closes its connection if the login failed, and a while after it was ended. The driver would keep the
 * former open until the server ends it after a minute, and the latter until the system gives it up after many minutes.
 */
export class StoreClient extends Client {
  readonly #socket: Socket;
  /** The timeline of its server, or null if it is not known or the server has none. */
  timeline: number | null = null;

  constructor(settings: StoreClientConfig = {}) {
    const socket = new Socket();
    // The pool makes the password a non-enumerable property of the settings, so spreading them does not copy it.
    const { password = '', place, ...config } = settings;
    super({ ...config, ...place?.(), password, stream: () => socket });
    this.#socket = socket;
  }

  override connect(): Promise<Client>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<Client> | undefined {
    const connecting = super.connect().catch((error: unknown) => {
      this.abandon();
      throw error;
    });
    if (!done) return connecting;
    connecting.then((client) => done(null, client), done);
    return undefined;
  }

  override end(): Promise<void>;
  override end(done: (error: Error) => void): void;
  override end(done?: (error: Error) => void): Promise<void> | undefined {
    const socket = this.#socket;
    socket.setTimeout(GOODBYE_MS, () => socket.destroy());
    return done ? void super.end(done) : super.end();
  }

  /** The id of the server's process, as it was announced when the connection began. A pooler announces another one. */
  get announcedPid(): unknown {
    return Reflect.get(this, 'processID');
  }

  /** Cuts the connection. Queries that wait for an answer on it fail. */
  abandon(): void {
    this.#socket.destroy();
  }
}
