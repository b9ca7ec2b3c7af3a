import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { SrqError, systemCode } from '../model/errors.ts';
import { ADMIN_CALLS, ADMIN_PREFIX, answerAdmin } from './admin.ts';
import { refusal, type SandboxAnswer } from './answer.ts';
import { DOCUMENTED_INTERFACE } from './documented-interface.ts';
import { answerCall } from './exchange.ts';
import { type FaultRates, type Instruction, parseFaultRates } from './faults.ts';
import { isFromElsewhere, isLoopbackHost, sendAnswer } from './http-message.ts';
import { INBOX_PAGE } from './inbox-page.ts';
import { sendEvents } from './live-events.ts';
import type { ReceivedRequest } from './received-request.ts';
import { findOperation } from './routes.ts';
import { openState, type SandboxOptions, type SandboxState } from './sandbox-state.ts';
import type { ServiceInterface } from './service-interface.ts';

const EVENTS_PATH = `${ADMIN_PREFIX}events`;

/** A local marketplace that is reachable only from this machine. */
export interface Sandbox {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  requests(): readonly ReceivedRequest[];
  /** Replaces all probabilities. Throws `SrqError('usage')` for one outside 0 to 1. */
  setFaults(faults: FaultRates): void;
  /** Replaces all instructions. Throws `SrqError('usage')` for one that cannot be understood. */
  setInstructions(instructions: readonly Instruction[]): void;
  /** Cuts the connections that are still open and frees the port. It may be called more than once. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox on 127.0.0.1, which is ready when the promise resolves. Throws `SrqError('usage')` if the port is
 * taken, a fault is unknown or the store cannot be used, and `SrqError('input')` for a contract that nothing can be
 * checked against.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const closing = new AbortController();
  // Every waiting answer listens to this signal. The number of listeners is that of the connections, and is not a leak.
  setMaxListeners(0, closing.signal);
  const state = openState(options, await interfaceOf(options), closing.signal);
  const server = createServer((request, response) => {
    handle(request, response, state).catch(() => response.destroy());
  });
  // This is the value of common proxies. The default of Node.js, five seconds, ends connections that a busy client still
  // counts on.
  server.keepAliveTimeout = 75_000;
  const port = await listen(server, options.port).catch((error: unknown) => {
    state.close();
    throw error;
  });
  return sandboxAt(`http://127.0.0.1:${port}`, state, () => closeServer(server, closing, state));
}

/**
 * Returns the interface of the service. It is loaded on demand, because most sandboxes follow no contract and do not
 * need the library that checks one.
 */
async function interfaceOf({ contract }: SandboxOptions): Promise<ServiceInterface> {
  if (contract === null) return DOCUMENTED_INTERFACE;
  const { contractInterface } = await import('./contract-interface.ts');
  return contractInterface(contract);
}

function sandboxAt(baseUrl: string, state: SandboxState, closeOnce: () => Promise<void>): Sandbox {
  let closed: Promise<void> | undefined;
  return {
    baseUrl,
    ...state.service.credentials,
    requests: () => state.received.all(),
    setFaults: (faults) => {
      state.faultRates = parseFaultRates(faults);
      state.received.tellWatchers();
    },
    setInstructions: (instructions) => state.instructions.replace(instructions),
    close: () => {
      closed ??= closeOnce();
      return closed;
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, state: SandboxState): Promise<void> {
  const [path = '', search = ''] = (request.url ?? '').split('?', 2);
  const query = new URLSearchParams(search);
  if (!isLoopbackHost(request.headers.host)) {
    await sendAnswer(response, refusal(403, 'forbidden', 'The sandbox answers under the names of this machine only.'));
  } else if (state.hasInbox && path === '/' && request.method === 'GET') {
    // This path is served before the check of the origin, because a link on any page may lead here.
    await sendAnswer(response, front(request));
  } else if (isFromElsewhere(request)) {
    const message = 'Pages of another origin may neither read nor change the sandbox.';
    await sendAnswer(response, refusal(403, 'forbidden', message));
  } else if (state.hasInbox && path.startsWith(ADMIN_PREFIX)) {
    await handleOwn(request, response, path, query, state);
  } else {
    const operation = findOperation(request.method ?? '', path, state.service.offered);
    if (typeof operation !== 'string') await sendAnswer(response, operation);
    else await answerCall(operation, query, request, response, state);
  }
}

/** Answers the calls that the sandbox has besides the operations of the service. */
async function handleOwn(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  state: SandboxState,
): Promise<void> {
  if (path === EVENTS_PATH && request.method === 'GET') await sendEvents(response, state);
  else await sendAnswer(response, await answerAdmin(request, path, query, state));
}

/**
 * Returns the inbox for browsers, and the list of admin calls for other programs. Neither contains anything that was
 * received.
 */
function front({ headers }: IncomingMessage): SandboxAnswer {
  if (headers.accept?.includes('text/html')) return INBOX_PAGE;
  const lines = ['srq sandbox: a local marketplace to try things against. Nothing sent here leaves this machine.', ''];
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: [...lines, 'Looking in and changing:', ...ADMIN_CALLS.map((call) => `  ${call}`), ''].join('\n'),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const hint = 'Choose another one, or let the system choose: srq sandbox --port 0.';
      reject(new SrqError('usage', `Cannot listen on port ${port} (${systemCode(error)}).`, hint, error));
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function closeServer(server: Server, closing: AbortController, state: SandboxState): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      state.close();
      resolve();
    });
    closing.abort();
    server.closeAllConnections();
  });
}
