import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { buildConnector as Connector } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { SrqError } from '../../request/words/errors.ts';
import { ConnectionTracker, type Line } from './connection.ts';
import { proxyFailure } from './network-failure.ts';

/** Where a line leads: the parts of a URL, an IPv6 address without its brackets. */
interface LineTarget {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** Opens a line to the target, either directly or through the line `below`. */
type OpenLine = (target: LineTarget, below?: Line) => Promise<Line>;

/** Maximum length of the head of a proxy's answer. */
const MAX_HEAD_BYTES = 1 << 14;
/** Idle time after which TCP keep-alive probes begin. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/**
 * Returns a function that opens lines: by TCP or through a given line, with TLS if the target asks for it. The timeout
 * covers all steps together. TCP is opened separately from TLS, because Node.js does not give access to the TCP
 * connection of a TLS socket that opened its own.
 */
export function lineOpener(secureContext: SecureContext | null, timeoutMs: number): OpenLine {
  let session: Buffer | undefined;
  const encrypted = (socket: Socket, { hostname, port }: LineTarget) => {
    const secure = connectTls({
      ...{ socket, host: hostname, port: Number(port) || 443, ALPNProtocols: ['http/1.1'] },
      ...(isIP(hostname) ? {} : { servername: hostname }),
      ...(secureContext ? { secureContext } : {}),
      ...(session ? { session } : {}),
    });
    return secure.on('session', (next) => {
      session = next;
    });
  };
  return (target, below) =>
    new Promise((resolve, reject) => {
      const isSecure = target.protocol === 'https:';
      const port = Number(target.port) || (isSecure ? 443 : 80);
      const keepAlive = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS };
      const tcp = below?.tcp ?? connect({ host: target.hostname, port, noDelay: true, ...keepAlive });
      const fail = (error: Error) => {
        clearTimeout(timer);
        tcp.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(failed('no connection in time', 'ETIMEDOUT')), timeoutMs);
      const succeed = (socket: Socket) => {
        clearTimeout(timer);
        resolve({ socket, tcp });
      };
      const goOn = (socket: Socket) => {
        if (!isSecure) return succeed(socket);
        let isOpen = false;
        const secure = encrypted(socket, target);
        // Whoever gets the line listens for its errors.
        secure.on('error', (error) => isOpen || fail(error));
        secure.once('secureConnect', () => {
          isOpen = true;
          succeed(secure);
        });
      };
      tcp.on('error', fail);
      if (below) goOn(below.socket);
      else tcp.once('connect', () => goOn(tcp));
    });
}

const failed = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/** Returns where a URL leads. In a URL, an IPv6 address has brackets. */
export function targetOf({ protocol, hostname, port }: URL): LineTarget {
  return { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

/**
 * Opens a tunnel to `host:port` through an HTTP proxy (CONNECT, RFC 9110, section 9.3.6). A failure on the way to the proxy
 * is marked as the proxy's.
 */
export async function openTunnel(
  { url, authorization }: ServiceProxy,
  target: string,
  open: OpenLine,
  timeoutMs: number,
): Promise<Line> {
  const line = await open(targetOf(new URL(url))).catch((error) => Promise.reject(proxyFailure(url, error)));
  const credentials = authorization === null ? '' : `proxy-authorization: ${authorization}\r\n`;
  line.socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credentials}\r\n`);
  try {
    const status = await connectStatus(line.socket, AbortSignal.timeout(timeoutMs));
    if (status === 200) return line;
    throw new Error(`Proxy response (${status})`);
  } catch (error) {
    line.socket.on('error', () => {}).destroy();
    throw error;
  }
}

/** Reads the answer to a CONNECT up to the end of its head, and returns its status. */
async function connectStatus(socket: Socket, late: AbortSignal): Promise<number> {
  for (let head = ''; ; ) {
    await once(socket, 'readable', { signal: late }).catch((error) => {
      throw late.aborted ? failed('no answer to CONNECT in time', 'PROXY_TIMEOUT') : error;
    });
    const chunk: Buffer | null = socket.read();
    if (chunk === null || head.length > MAX_HEAD_BYTES) throw failed('the proxy gave no answer', 'ECONNRESET');
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end >= 0) return Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1] ?? 0);
  }
}

/** A proxy on the way to the service. */
interface ServiceProxy {
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
    'proxy.unusable',
    `The value of HTTPS_PROXY ${why}.`,
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

/** Maximum time for opening a connection, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Maximum time for a whole answer unless the user sets another. It is long because a timeout does not stop the service,
 * so a short one produces requests in doubt.
 */
const ANSWER_TIMEOUT_MS = 120_000;
/** Maximum pause between two parts of a body. */
const BODY_TIMEOUT_MS = 60_000;
/** Longest delay of a Node.js timer. Node.js treats a longer one as 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/**
 * Time after which an idle connection is closed. It is below the 5 s of common servers, so that this side closes first.
 */
const KEEP_ALIVE_MS = 4_000;

/** The route to the service: the proxy and the TLS settings. */
export interface Network {
  /** The proxy on the way, or null for a direct connection. */
  readonly proxy: ServiceProxy | null;
  /** The TLS context, or null for the default of Node.js. */
  readonly secureContext: SecureContext | null;
}

/** The options of the connections to one service. */
export interface DispatcherOptions {
  readonly network: Network;
  /** Maximum number of concurrent connections. */
  readonly connections: number;
  /**
   * Maximum time for a whole answer, see {@link answerTimeoutOf}. If it is shorter than the timeout for connecting, it
   * limits connecting as well.
   */
  readonly timeoutMs: number | null;
}

/** The dispatcher of undici with the connections that it uses. */
export interface ServiceDispatcher {
  readonly agent: Agent;
  readonly connections: ConnectionTracker;
}

/**
 * Opens the dispatcher, which makes connections and keeps them for further calls. It speaks HTTP/1.1 without
 * pipelining, because HTTP/2 replays buffered bodies.
 */
export function openDispatcher({
  network,
  connections: maxConnections,
  timeoutMs,
}: DispatcherOptions): ServiceDispatcher {
  const { proxy, secureContext } = network;
  const connectTimeoutMs = connectTimeoutOf(timeoutMs);
  const openLine = lineOpener(secureContext, connectTimeoutMs);
  const connections = new ConnectionTracker();
  const connect: Connector.connector = (target, callback) => {
    const opening = proxy
      ? openTunnel(proxy, withPort(target), openLine, connectTimeoutMs).then((below) => openLine(target, below))
      : openLine(target);
    opening.then(
      (line) => callback(null, connections.add(line)),
      (error) => callback(error, null),
    );
  };
  const agent = new Agent({
    connect,
    connections: maxConnections,
    pipelining: 1,
    allowH2: false,
    // The caller sets a deadline for the whole answer. The timeout of undici would start again with each interim answer.
    headersTimeout: 0,
    bodyTimeout: Math.min(answerTimeoutOf(timeoutMs), BODY_TIMEOUT_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  return { agent, connections };
}

/** Returns the maximum time for connecting. Null means the default. */
export function connectTimeoutOf(timeoutMs: number | null): number {
  return Math.min(timeoutMs ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
}

/** Returns the maximum time from the first byte written to the last byte of the answer read. Null means the default. */
export function answerTimeoutOf(timeoutMs: number | null): number {
  return Math.min(timeoutMs ?? ANSWER_TIMEOUT_MS, MAX_TIMER_MS);
}

function withPort({ host = '', port }: Connector.Options): string {
  return port === '' ? `${host}:443` : host;
}
