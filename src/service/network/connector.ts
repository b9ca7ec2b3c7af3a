import { connect, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector as Connector } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { SrqError } from '../../request/errors.ts';
import { proxyFailure } from './network-failure.ts';

/** Idle time after which TCP keep-alive probes begin. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/**
 * A connection as HTTP uses it, and the TCP connection below, which is the only one that can be reset. Without TLS both
 * are the same socket.
 */
export interface ServiceSocket {
  readonly socket: Socket;
  readonly tcp: Socket;
}

/** Opens a connection to the target, either directly or through the connection `below`. */
export type SocketOpener = (target: Connector.Options, below?: ServiceSocket) => Promise<ServiceSocket>;

/**
 * Creates a function that opens connections: by TCP or through a given connection, with TLS if the target asks for it.
 * The timeout covers all steps together.
 */
export function socketOpener(secureContext: SecureContext | null, timeoutMs: number): SocketOpener {
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

/**
 * Opens the TCP connection separately from TLS, because Node.js does not give access to the TCP connection of a TLS
 * socket that opened its own.
 */
function openTcp({ hostname, port, protocol }: Connector.Options): Socket {
  return connect({
    host: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
}

/** Creates the error of a connection that was not made in time. */
export function connectionTimedOut(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
}

/**
 * Opens tunnels to the service through an HTTP proxy (CONNECT). A failure on the way to the proxy is marked as the
 * proxy's.
 */
export class ProxyTunnels {
  readonly #proxy: ServiceProxy;
  readonly #pool: Pool;
  readonly #lines = new WeakMap<object, ServiceSocket>();

  constructor(proxy: ServiceProxy, secureContext: SecureContext | null, timeoutMs: number) {
    // undici adds this method to every dispatcher, but only when the whole package is loaded.
    Dispatcher.prototype.connect = requestTunnel;
    const open = socketOpener(secureContext, timeoutMs);
    this.#proxy = proxy;
    this.#pool = new Pool(proxy.url, {
      headersTimeout: timeoutMs,
      connect: (target, callback) => {
        // undici takes the server name for TLS from the header `host`, which names the service instead of the proxy.
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

  /** Opens a tunnel to the target, given as `host:port`. */
  async open(target: string): Promise<ServiceSocket> {
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

/** A proxy on the way to the service. */
export interface ServiceProxy {
  /** Scheme, host and port of the proxy, never with a user name or password. */
  readonly url: string;
  /** Value of the header `proxy-authorization`, or null if none is sent. */
  readonly authorization: string | null;
}

/** The proxy settings of the environment: HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly https: string | null;
  readonly no: string | null;
}

/**
 * Returns the proxy through which the service is reached, or null. Plain HTTP is allowed to loopback addresses only,
 * which are never reached through a proxy. Throws `SrqError('settings')` without repeating the address of the proxy,
 * which may hold a password.
 */
export function proxyFor(baseUrl: string, { https, no }: ProxySettings): ServiceProxy | null {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' || https === null || isExempt(url, no ?? '')) return null;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(https) ? https : `http://${https}`;
  const proxy = URL.canParse(address) ? new URL(address) : null;
  if (!proxy || !/^https?:$/.test(proxy.protocol)) throw unusable('is not the address of an http or https proxy');
  return { url: proxy.origin, authorization: authorizationOf(proxy) };
}

function authorizationOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw unusable('holds a user name or password with a "%" that is not written as %25');
  }
}

function unusable(why: string): SrqError {
  return new SrqError(
    'settings',
    `What HTTPS_PROXY says ${why}.`,
    'Set it like this: HTTPS_PROXY=http://user:password@proxy.example.com:3128',
  );
}

/**
 * Tells whether NO_PROXY lists the host of a URL. It lists names, which cover their subdomains, and addresses, each
 * optionally with a port. `*` stands for every host.
 */
function isExempt(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname);
  const port = url.port || '443';
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, itsPort = port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = bare(name).replace(/^\*?\./, '');
    return domain !== '' && itsPort === port && (host === domain || host.endsWith(`.${domain}`));
  });
}

/** Returns a host in lower case, and an IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}
