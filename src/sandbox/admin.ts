import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SrqError } from '../model/errors.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from './answer.ts';
import { describeFault, FAULT_KINDS, parseFaultRates } from './faults.ts';
import { readBody } from './http-message.ts';
import type { IdempotencyStore } from './marketplace.ts';
import { bodyOf, pageOf, recordingOf, requestInFull, sameContent, wholeNumber } from './request-calls.ts';
import type { SandboxState } from './sandbox-state.ts';
import { changeSettings, settingsOf } from './settings.ts';

export const ADMIN_PREFIX = '/_sandbox/';

interface Call {
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Number of the request that the path names, or 0 if it names none. */
  readonly number: number;
}

type AdminAction = (state: SandboxState, call: Call) => SandboxAnswer | Promise<SandboxAnswer>;

const MAX_BODY_BYTES = 1024 * 1024;
const DEFAULT_WAIT_MS = 10_000;

/** The table of all admin calls, by method and name. */
const ACTIONS: Readonly<Record<string, AdminAction>> = {
  'GET requests': async ({ received }, { query }) => jsonAnswer(200, await pageOf(received, query)),
  'DELETE requests': (state) => {
    state.forgetRequests();
    return { status: 204, headers: {}, body: '' };
  },
  'GET requests/NUMBER': ({ received }, { number }) => jsonAnswer(200, requestInFull(received, number)),
  'GET requests/NUMBER/same': async ({ received }, { number }) => jsonAnswer(200, await sameContent(received, number)),
  'GET requests/NUMBER/body': ({ received }, { number }) => bodyOf(received, number),
  'GET requests/NUMBER/recording': (state, { number }) => recordingOf(state, number),
  'GET faults': (state) => faultsAnswer(state),
  'PUT faults': (state, { body }) => {
    state.faultRates = parseFaultRates(objectFrom(body));
    state.received.tellWatchers();
    return faultsAnswer(state);
  },
  'GET settings': (state) => jsonAnswer(200, settingsOf(state)),
  'PUT settings': (state, { body }) => {
    changeSettings(state, body);
    state.received.tellWatchers();
    return jsonAnswer(200, settingsOf(state));
  },
  'GET instructions': (state) => jsonAnswer(200, state.instructions.list()),
  'PUT instructions': (state, { body }) => {
    state.instructions.replace(body);
    return jsonAnswer(200, state.instructions.list());
  },
  'GET stats': ({ service }) => jsonAnswer(200, { ...service.marketplace.stats(), ...replayed(service.replays) }),
  'GET wait': async (state, { query }) => {
    const wanted = wholeNumber(query, 'created', 1);
    return jsonAnswer(200, await waitForCreated(state, wanted, wholeNumber(query, 'timeoutMs', DEFAULT_WAIT_MS)));
  },
};

/** The admin calls, one line each, for clients that ask at `/` without a browser. */
export const ADMIN_CALLS: readonly string[] = [...Object.keys(ACTIONS), 'GET events'].map((each) =>
  each.replace(' ', ` ${ADMIN_PREFIX}`),
);

/** Answers a call to a path under {@link ADMIN_PREFIX}. */
export async function answerAdmin(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  state: SandboxState,
): Promise<SandboxAnswer> {
  const { name, number } = namedBy(path.slice(ADMIN_PREFIX.length));
  const called = `${request.method} ${name}`;
  const action = Object.hasOwn(ACTIONS, called) ? ACTIONS[called] : undefined;
  if (!action) return refusal(404, 'not_found', `Admin calls: ${ADMIN_CALLS.join('; ')}.`);
  try {
    return await action(state, { query, number, body: request.method === 'PUT' ? await readJson(request) : null });
  } catch (error) {
    if (error instanceof SrqError) return refusal(400, 'invalid_request', error.message);
    throw error;
  }
}

/**
 * Splits a path into the name of the call and its number: `requests/12/body` is the call `requests/NUMBER/body` for 12.
 */
function namedBy(rest: string): { readonly name: string; readonly number: number } {
  const [, before = '', digits = '', after = ''] = /^(requests\/)(\d{1,15})(|\/\w+)$/.exec(rest) ?? [];
  return digits === '' ? { name: rest, number: 0 } : { name: `${before}NUMBER${after}`, number: Number(digits) };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, MAX_BODY_BYTES);
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

function faultsAnswer(state: SandboxState): SandboxAnswer {
  const kinds = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, describeFault(kind)]));
  return jsonAnswer(200, { rates: state.faultRates, kinds });
}

/** Returns the number of creates that were answered again, if the contract names a header for that. */
const replayed = (replays: IdempotencyStore | null): object => (replays ? { replayed: replays.count } : {});

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
