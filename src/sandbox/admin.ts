import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SrqError } from '../model/errors.ts';
import { type Answer, jsonAnswer, refusal } from './answer.ts';
import { describeFault, FAULT_KINDS, readFaultRates } from './faults.ts';
import { readBody } from './http-message.ts';
import { OPERATIONS, type ReceivedRequests } from './received-requests.ts';
import type { Replays } from './replays.ts';
import type { SandboxState } from './sandbox-state.ts';

export const ADMIN_PREFIX = '/_sandbox/';

type Action = (state: SandboxState, query: URLSearchParams, body: unknown) => Answer | Promise<Answer>;

const LARGEST_BODY_BYTES = 1024 * 1024;
const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 10_000;
const DEFAULT_WAIT_MS = 10_000;

/** Every admin call there is, by method and name. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'GET requests': ({ received }, query) => jsonAnswer(200, pageOf(received, query)),
  'DELETE requests': (state) => {
    state.forgetRequests();
    return { status: 204, headers: {}, body: '' };
  },
  'GET faults': (state) => faultsAnswer(state),
  'PUT faults': (state, _query, body) => {
    state.faultRates = readFaultRates(objectFrom(body));
    return faultsAnswer(state);
  },
  'GET instructions': (state) => jsonAnswer(200, state.instructions.list()),
  'PUT instructions': (state, _query, body) => {
    state.instructions.replace(body);
    return jsonAnswer(200, state.instructions.list());
  },
  'GET stats': ({ service }) => jsonAnswer(200, { ...service.marketplace.stats(), ...replayed(service.replays) }),
  'GET wait': async (state, query) => {
    const wanted = wholeNumber(query, 'created', 1);
    return jsonAnswer(200, await waitForCreated(state, wanted, wholeNumber(query, 'timeoutMs', DEFAULT_WAIT_MS)));
  },
};

/** The admin calls as one line each, for the page at `/`. */
export const ADMIN_CALLS: readonly string[] = Object.keys(ACTIONS).map((each) => each.replace(' ', ` ${ADMIN_PREFIX}`));

/** Answers a path under {@link ADMIN_PREFIX}. Only pages of the sandbox's own origin may change anything. */
export async function answerAdmin(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  state: SandboxState,
): Promise<Answer> {
  const method = request.method ?? '';
  const origin = request.headers.origin;
  if (method !== 'GET' && origin !== undefined && origin !== `http://${request.headers.host}`) {
    return refusal(403, 'forbidden', 'Pages of another origin may not change the sandbox.');
  }
  const name = `${method} ${path.slice(ADMIN_PREFIX.length)}`;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) return refusal(404, 'not_found', `Admin calls: ${ADMIN_CALLS.join('; ')}.`);
  try {
    return await action(state, query, method === 'PUT' ? await readJson(request) : null);
  } catch (error) {
    if (error instanceof SrqError) return refusal(400, 'invalid_request', error.message);
    throw error;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, LARGEST_BODY_BYTES);
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch (error) {
    throw new SrqError('usage', 'The body is not JSON, or longer than 1 MiB.', null, error);
  }
}

function objectFrom(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return Object.fromEntries(Object.entries(body));
  throw new SrqError('usage', 'The body must be one JSON object.');
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SrqError('usage', `${name} must be a whole number.`);
}

function faultsAnswer(state: SandboxState): Answer {
  const kinds = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, describeFault(kind)]));
  return jsonAnswer(200, { rates: state.faultRates, kinds });
}

/** Creates that were answered again, where the contract names a header for that. */
const replayed = (replays: Replays | null): object => (replays ? { replayed: replays.count } : {});

function pageOf(received: ReceivedRequests, query: URLSearchParams): object {
  const offset = wholeNumber(query, 'offset', 0);
  const limit = Math.min(LARGEST_PAGE, wholeNumber(query, 'limit', DEFAULT_PAGE));
  const operation = OPERATIONS.find((each) => each === query.get('operation'));
  if (query.has('operation') && !operation)
    throw new SrqError('usage', `operation is one of ${OPERATIONS.join(', ')}.`);
  // `cut` stands for the connections that ended without an answer.
  const status =
    query.get('status') === 'cut' ? null : query.has('status') ? wholeNumber(query, 'status', 0) : undefined;
  return { offset, limit, ...received.page({ status, operation }, offset, limit) };
}

async function waitForCreated(
  { service, received, closing }: SandboxState,
  wanted: number,
  timeoutMs: number,
): Promise<{ readonly reached: boolean; readonly created: number }> {
  const { marketplace } = service;
  const found = new AbortController();
  const look = (): void => {
    if (marketplace.created >= wanted) found.abort();
  };
  const stopLooking = received.watch(look);
  look();
  const signal = AbortSignal.any([found.signal, closing]);
  await pause(timeoutMs, undefined, { signal }).catch(() => undefined);
  stopLooking();
  return { reached: marketplace.created >= wanted, created: marketplace.created };
}
