import { once } from 'node:events';
import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { buildConnector as Connector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { proxyFailure } from './network-failure.ts';

/** A connection as HTTP uses it, and the TCP connection below, which alone can be reset. Without TLS both are one. */
export interface Line {
  readonly socket: Socket;
  readonly tcp: Socket;
}

/** Maximum time for each step of opening a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

export type Route = ReturnType<typeof routeTo>;

/**
 * Returns the route to a service: the two steps of opening a line to it. `proxy` is null for a direct connection. TCP is opened
 * separately from TLS, because Node.js does not give access to the TCP connection of a TLS socket that opened its own.
 */
export function routeTo(proxy: ServiceProxy | null, url: URL, timeoutMs: number | null) {
  const stepMs = Math.min(timeoutMs ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
  const connect = buildConnector({ timeout: stepMs });
  const step = (to: URL, options: Pick<Connector.Options, 'protocol' | 'httpSocket'>) =>
    new Promise<Socket>((resolve, reject) => {
      const hostname = hostOf(to);
      // Named here, because undici takes the first part of an IPv6 address for a name.
      const name = isIP(hostname) ? {} : { servername: hostname };
      const target = { hostname, port: portOf(to), ...name, ...options };
      connect(target, (error, socket) => (socket ? resolve(socket) : reject(error)));
    });
  const begun = async (to: URL): Promise<Line> => {
    const tcp = await step(to, { protocol: 'http:' });
    return { socket: tcp, tcp };
  };
  const completed = async (to: URL, { socket, tcp }: Line): Promise<Line> =>
    to.protocol === 'https:'
      ? { tcp, socket: await step(to, { protocol: 'https:', httpSocket: socket }) }
      : { tcp, socket };
  const toProxy = (by: URL) => begun(by).then((line) => completed(by, line));
  return {
    /** Opens the TCP connection, or a tunnel through the proxy. */
    begin: () => (proxy === null ? begun(url) : openTunnel(proxy, url, toProxy, stepMs)),
    /** Makes the TLS handshake, if there is to be one. */
    complete: (below: Line) => completed(url, below),
  };
}

/** Returns the host of a URL. In a URL, an IPv6 address has brackets. */
export const hostOf = ({ hostname }: URL): string => withoutBrackets(hostname);

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

const portOf = ({ protocol, port }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/**
 * Opens a tunnel to the target through an HTTP proxy (CONNECT, RFC 9110, section 9.3.6). A failure on the way to the proxy
 * is marked as the proxy's.
 */
async function openTunnel(
  { url, authorization }: ServiceProxy,
  to: URL,
  open: (proxy: URL) => Promise<Line>,
  timeoutMs: number,
): Promise<Line> {
  const line = await open(new URL(url)).catch((error) => {
    throw proxyFailure(url, error);
  });
  const target = `${to.hostname}:${portOf(to)}`;
  const headers = { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) };
  const call = request({ method: 'CONNECT', path: target, headers, createConnection: () => line.socket });
  // The error of a call that is given up comes here as well as to `once`.
  call.on('error', () => {});
  try {
    const [{ statusCode }] = await once(call.end(), 'connect', { signal: AbortSignal.timeout(timeoutMs) });
    if (statusCode === 200) return line;
    throw new Error(`Proxy response (${statusCode})`);
  } catch (error) {
    line.socket.destroy();
    throw systemCode(error) === 'ABORT_ERR' ? Object.assign(new Error('no answer'), { code: 'PROXY_TIMEOUT' }) : error;
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
  const host = withoutBrackets(url.hostname);
  const port = url.port || '443';
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, itsPort = port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = withoutBrackets(name)
      .toLowerCase()
      .replace(/^\*?\./, '');
    return domain !== '' && itsPort === port && (host === domain || host.endsWith(`.${domain}`));
  });
}
