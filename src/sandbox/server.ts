import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { answerCall } from './answer-call.ts';
import { answerInbox } from './inbox/inbox.ts';
import { refusal, type SandboxAnswer } from './messages/answer.ts';
import { isFromElsewhere, isLoopbackHost, opensWindow, sendAnswer } from './messages/http-message.ts';
import { openState, type SandboxOptions, type SandboxState } from './records/sandbox-state.ts';
import { type FaultRates, type Instruction, parseFaultRates } from './service/faults.ts';
import { findOperation } from './service/routes.ts';

/** A local marketplace that is reachable only from this machine. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts a sandbox on 127.0.0.1, which is ready when the promise resolves. Throws `SrqError('usage')` if the port is
 * taken or a fault is unknown, and `SrqError('input')` for a contract that nothing can be checked against.
 */
export async function startSandbox(options: SandboxOptions) {
  const closing = new AbortController();
  // Every waiting answer listens to this signal. There is one listener for each connection, so their number is not a
  // leak.
  setMaxListeners(0, closing.signal);
  // It is loaded on demand, because the validator takes a while.
  const { serviceInterface } = await import('./service/interface.ts');
  const state = openState(options, serviceInterface(options.contract ?? DOCUMENTED_CONTRACT), closing.signal);
  const server = createServer((request, response) => {
    handle(request, response, state).catch(() => response.destroy());
  });
  // This is the value of common proxies. The default of Node.js, five seconds, ends connections that a busy client still
  // counts on.
  server.keepAliveTimeout = 75_000;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    const message = `Cannot listen on port ${options.port} (${systemCode(error)}).`;
    throw new SrqError(
      'port.unavailable',
      message,
      'Choose another one, or let the system choose: srq sandbox --port 0.',
      error,
    );
  });
  // A connection for which no file can be opened is not answered.
  server.on('error', () => {});
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...state.credentials,
    requests: () => state.received.all(),
    /** Replaces all probabilities. Throws `SrqError('usage')` for one outside 0 to 1. */
    setFaults: (faults: FaultRates): void => {
      state.faultRates = parseFaultRates(faults);
    },
    /** Replaces all instructions. Throws `SrqError('usage')` for one that cannot be understood. */
    setInstructions: (instructions: readonly Instruction[]): void => state.instructions.replace(instructions),
    /** Sets the delay of each answer from now on. */
    setLatency: (latencyMs: number): void => {
      state.settings.latencyMs = latencyMs;
    },
    /** Cuts the connections that are still open and frees the port. It may be called more than once. */
    close: async (): Promise<void> => {
      if (!server.listening) return;
      server.close();
      closing.abort();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, state: SandboxState): Promise<void> {
  const [path = '', search = ''] = (request.url ?? '').split('?', 2);
  const query = new URLSearchParams(search);
  const refused = refuseStranger(request, path);
  const own = refused ?? (state.hasInbox ? await answerInbox(request, path, query, state) : null);
  const called = own ?? findOperation(request.method ?? '', path, state.offered);
  if (typeof called !== 'string') sendAnswer(response, called);
  else await answerCall(called, query, request, response, state);
}

/** Refuses callers that a page of another site may stand behind. */
function refuseStranger(request: IncomingMessage, path: string): SandboxAnswer | null {
  if (!isLoopbackHost(request.headers.host)) {
    return refusal(403, 'forbidden', 'The sandbox answers under the names of this machine only.');
  }
  // A link on any page may lead to the inbox, in a window of its own that the other page cannot look into.
  const isOpened = path === '/' && request.method === 'GET' && opensWindow(request);
  if (isOpened || !isFromElsewhere(request)) return null;
  return refusal(403, 'forbidden', 'Pages of another origin may neither read nor change the sandbox.');
}
