import type { SecureContext } from 'node:tls';
import type { buildConnector as Connector } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { ConnectionTracker } from './connection.ts';
import { ProxyTunnels, type ServiceProxy, socketOpener } from './connector.ts';

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
  close(): Promise<void>;
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
  const openLine = socketOpener(secureContext, connectTimeoutMs);
  const tunnels = proxy && new ProxyTunnels(proxy, secureContext, connectTimeoutMs);
  const connections = new ConnectionTracker(tunnels === null);
  const connect: Connector.connector = (target, callback) => {
    const opening = tunnels
      ? tunnels.open(withPort(target)).then((below) => openLine(target, below))
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
  const close = async () => {
    await Promise.all([agent.destroy(), tunnels?.close()]);
  };
  return { agent, connections, close };
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
