import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector as Connector } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { proxyFailure } from './network-failure.ts';
import type { ServiceProxy } from './proxy.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Long, because a timeout does not stop the service: a short one manufactures doubt. */
const HEADERS_TIMEOUT_MS = 120_000;
const BODY_TIMEOUT_MS = 60_000;
/** Below the 5 s after which common servers close idle connections, so that we close first. */
const KEEP_ALIVE_MS = 4_000;

/** The way to the service. */
export interface Network {
  /** Null: directly. */
  readonly proxy: ServiceProxy | null;
  /** Null: Node's default. */
  readonly secureContext: SecureContext | null;
}

export interface DispatcherOptions {
  readonly network: Network;
  /** Most connections at once. */
  readonly connections: number;
  /** Longest wait for the head of an answer; null for the default. A shorter one than for connecting bounds that too. */
  readonly timeoutMs: number | null;
}

/** Makes connections and keeps them. HTTP/1.1 without pipelining: HTTP/2 replays buffered bodies. */
export function openDispatcher({ network, connections, timeoutMs }: DispatcherOptions): Dispatcher {
  const connectTimeoutMs = connectTimeoutOf(timeoutMs);
  const { proxy, secureContext } = network;
  const connect = { timeout: connectTimeoutMs, ...(secureContext ? { secureContext } : {}) };
  const settings = {
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: timeoutMs ?? HEADERS_TIMEOUT_MS,
    bodyTimeout: Math.min(timeoutMs ?? BODY_TIMEOUT_MS, BODY_TIMEOUT_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
  if (!proxy) return new Agent({ ...settings, connect });
  return new ProxyAgent({
    ...settings,
    uri: proxy.url,
    ...(proxy.authorization === null ? {} : { token: proxy.authorization }),
    requestTls: connect,
    clientFactory: () => openProxy(proxy, connect, connectTimeoutMs),
  });
}

/** Connections to the proxy itself, on which it is told where to connect to. Their failures say that they are the proxy's. */
export function openProxy({ url }: ServiceProxy, connect: Connector.BuildOptions, timeoutMs: number): Pool {
  // A part of undici alone lacks what all of it gives to each dispatcher.
  Dispatcher.prototype.connect = requestTunnel;
  return new Pool(url, { connect: toProxy(url, connect), headersTimeout: timeoutMs });
}

export function connectTimeoutOf(timeoutMs: number | null): number {
  return Math.min(timeoutMs ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
}

function toProxy(proxyUrl: string, options: Connector.BuildOptions): Connector.connector {
  const connect = buildConnector(options);
  return ({ servername = '', ...target }, callback) =>
    // TLS knows no addresses as names of servers.
    connect({ ...target, servername: isIP(servername) ? '' : servername }, (...[error, socket]) => {
      if (error) callback(proxyFailure(proxyUrl, error), null);
      else callback(null, socket);
    });
}
