import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { ServerPlace } from './store-url.ts';

/** The time that the server has to say goodbye. A line that swallows everything would keep the process alive for long. */
const GOODBYE_MS = 2_000;

/** Passed through the driver's settings: where the next connection goes. */
export interface StoreClientConfig extends ClientConfig {
  readonly place?: () => ServerPlace;
}

type Connected = (error: Error | null, client?: Client) => void;

/**
 * A client that closes its connection if it could not log in, and a while after its end. The driver would leave the first
 * open until the server ends it, a minute later, and the second until the system gives up the line, after many minutes.
 */
export class StoreClient extends Client {
  readonly #socket: Socket;
  /** The timeline of its server, or null while that is not known or is none. */
  timeline: number | null = null;

  constructor(settings: StoreClientConfig = {}) {
    const socket = new Socket();
    // The pool makes the password a hidden property of the settings, which spreading them would not copy.
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

  /** The process of the server, as it was announced when the connection began. A pooler announces another one. */
  get announcedPid(): unknown {
    return Reflect.get(this, 'processID');
  }

  /** Cuts the connection. Whoever waits for an answer on it gets an error. */
  abandon(): void {
    this.#socket.destroy();
  }
}
