import { createHash } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { MARKETS } from '../request/lead/markets.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { answerCall } from './answer-call.ts';
import { ADMIN_CALLS, ADMIN_PREFIX, answerAdmin } from './inbox/admin.ts';
import style from './inbox/inbox.css?raw';
import markup from './inbox/inbox.html?raw';
import script from './inbox/inbox.js?bundled';
import { refusal, type SandboxAnswer } from './messages/answer.ts';
import { isFromElsewhere, isLoopbackHost, sendAnswer } from './messages/http-message.ts';
import type { ReceivedRequest } from './records/received-request.ts';
import { openState, type SandboxOptions, type SandboxState, settingsOf } from './records/sandbox-state.ts';
import { type FaultRates, type Instruction, parseFaultRates } from './service/faults.ts';
import { findOperation } from './service/routes.ts';
import type { ServiceInterface } from './service/service-interface.ts';

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

/** Returns the interface of the service. It is loaded on demand, because the validator takes a while. */
async function interfaceOf({ contract }: SandboxOptions): Promise<ServiceInterface> {
  const { openInterface } = await import('./service/interface.ts');
  return openInterface(contract ?? DOCUMENTED_CONTRACT);
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
      reject(new SrqError('port.unavailable', `Cannot listen on port ${port} (${systemCode(error)}).`, hint, error));
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

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "media-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Returns the hash of an inline text in the form that Content-Security-Policy expects. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const COUNTRIES = MARKETS.map(({ code, name }) => `<option value="${code}">${code} · ${name}</option>`).join('');

/** The page of the inbox. It contains nothing that was received, and fetches that itself. */
const INBOX_PAGE: SandboxAnswer = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  },
  // The replacements are functions, because `replace` would interpret patterns such as `$&` in a text.
  body: markup
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`)
    .replace('<!-- countries -->', () => COUNTRIES),
};

/** Minimum time between two events to a page, however many requests arrive. */
const MIN_PAUSE_MS = 100;

/**
 * Sends server-sent events: the present state, and again after each change, until the client leaves or the sandbox
 * closes. An event tells how many requests are kept and which ones. The page then fetches only the requests that it
 * shows.
 */
async function sendEvents(response: ServerResponse, state: SandboxState): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const left = new AbortController();
  response.once('close', () => left.abort());
  const signal = AbortSignal.any([left.signal, state.closing]);
  let wake = (): void => {};
  let hasChanged = true;
  const stopWatching = state.received.watch(() => {
    hasChanged = true;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (hasChanged) {
      hasChanged = false;
      const isTaken = response.write(`data: ${JSON.stringify(presentState(state))}\n\n`);
      if (!isTaken) await once(response, 'drain', { signal }).catch(() => undefined);
      await pause(MIN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    } else {
      await woken;
    }
  }
  stopWatching();
  response.end();
}

/** Returns what the page shows beside the list. */
function presentState(state: SandboxState): object {
  const { received, service, faultRates } = state;
  const { first, count } = received.extent;
  return { first, count, created: service.marketplace.created, faults: faultRates, settings: settingsOf(state) };
}
