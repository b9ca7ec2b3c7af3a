import { connect, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector as Connector } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { proxyFailure } from './network-failure.ts';
import type { ServiceProxy } from './proxy.ts';

const KEEP_ALIVE_PROBE_MS = 60_000;

/** A connection as HTTP goes on it, and the TCP connection below: that one alone can be reset. Without TLS they are the same. */
export interface Line {
  readonly socket: Socket;
  readonly tcp: Socket;
}

export type LineOpener = (target: Connector.Options, below?: Line) => Promise<Line>;

/** Opens lines by TCP, or on a line that is given, with TLS where the target wants it, all of it within the time. */
export function lineOpener(secureContext: SecureContext | null, timeoutMs: number): LineOpener {
  const encrypt = buildConnector({ timeout: 0, ...(secureContext ? { secureContext } : {}) });
  return (target, below) =>
    new Promise((resolve, reject) => {
      const tcp = below?.tcp ?? openTcp(target);
      const fail = (error: Error) => {
        clearTimeout(timer);
        tcp.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(connectionTimedOut()), timeoutMs);
      const succeed = (socket: Socket) => {
        clearTimeout(timer);
        resolve({ socket, tcp });
      };
      const goOn = (socket: Socket) => {
        if (target.protocol !== 'https:') succeed(socket);
        else
          encrypt({ ...target, httpSocket: socket }, (...[error, secure]) => (error ? fail(error) : succeed(secure)));
      };
      tcp.on('error', fail);
      if (below) goOn(below.socket);
      else tcp.once('connect', () => goOn(tcp));
    });
}

/** TCP is opened apart from TLS: of a TLS connection that made its own, Node.js does not give out the one below. */
function openTcp({ hostname, port, protocol }: Connector.Options): Socket {
  return connect({
    host: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
}

export function connectionTimedOut(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
}

/** The proxy, which is asked to connect to the service. Failures on the way to it say that they are the proxy's. */
export class Tunnels {
  readonly #proxy: ServiceProxy;
  readonly #pool: Pool;
  readonly #lines = new WeakMap<object, Line>();

  constructor(proxy: ServiceProxy, secureContext: SecureContext | null, timeoutMs: number) {
    // A part of undici alone lacks what all of it gives to each dispatcher.
    Dispatcher.prototype.connect = requestTunnel;
    const open = lineOpener(secureContext, timeoutMs);
    this.#proxy = proxy;
    this.#pool = new Pool(proxy.url, {
      headersTimeout: timeoutMs,
      connect: (target, callback) => {
        // undici takes the name for TLS from the header `host`, which is the service's.
        open({ ...target, servername: '' }).then(
          (line) => {
            this.#lines.set(line.socket, line);
            callback(null, line.socket);
          },
          (error) => callback(proxyFailure(proxy.url, error), null),
        );
      },
    });
  }

  /** The line to a host and port. */
  async open(target: string): Promise<Line> {
    const { authorization } = this.#proxy;
    const headers = { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) };
    const { socket, statusCode } = await this.#pool.connect({ path: target, headers });
    const line = this.#lines.get(socket);
    if (statusCode === 200 && line) return line;
    socket.on('error', () => {}).destroy();
    throw new Error(`Proxy response (${statusCode})`);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
