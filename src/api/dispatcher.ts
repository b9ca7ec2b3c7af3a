import type { SecureContext } from 'node:tls';
import type { buildConnector as Connector } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { Connections } from './connection.ts';
import { lineOpener, Tunnels } from './connector.ts';
import type { ServiceProxy } from './proxy.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Long, because a timeout does not stop the service: a short one manufactures doubt. */
const ANSWER_TIMEOUT_MS = 120_000;
const BODY_TIMEOUT_MS = 60_000;
/** Node.js takes a longer one for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
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
  /** Longest wait for a whole answer, see {@link answerTimeoutOf}. A shorter one than for connecting bounds that too. */
  readonly timeoutMs: number | null;
}

export interface ServiceDispatcher {
  readonly agent: Agent;
  readonly connections: Connections;
  close(): Promise<void>;
}

/** Makes connections and keeps them. HTTP/1.1 without pipelining: HTTP/2 replays buffered bodies. */
export function openDispatcher({ network, connections: most, timeoutMs }: DispatcherOptions): ServiceDispatcher {
  const { proxy, secureContext } = network;
  const connectTimeoutMs = connectTimeoutOf(timeoutMs);
  const openLine = lineOpener(secureContext, connectTimeoutMs);
  const tunnels = proxy && new Tunnels(proxy, secureContext, connectTimeoutMs);
  const connections = new Connections(tunnels === null);
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
    connections: most,
    pipelining: 1,
    allowH2: false,
    // Whoever sends has a deadline for the whole answer; undici's would begin anew with each interim answer.
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

export function connectTimeoutOf(timeoutMs: number | null): number {
  return Math.min(timeoutMs ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
}

/** How long an answer may take, from the first byte written to the last byte read; null for the default. */
export function answerTimeoutOf(timeoutMs: number | null): number {
  return Math.min(timeoutMs ?? ANSWER_TIMEOUT_MS, LONGEST_TIMER_MS);
}

function withPort({ host = '', port }: Connector.Options): string {
  return port === '' ? `${host}:443` : host;
}
