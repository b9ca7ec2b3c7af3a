import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SrqError } from '../../request/words/errors.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from '../messages/answer.ts';
import { readBody } from '../messages/http-message.ts';
import { parseFilter } from '../records/request-filter.ts';
import { changeSettings, forgetRequests, type SandboxState, settingsOf } from '../records/sandbox-state.ts';
import { describeFault, FAULT_KINDS, parseFaultRates } from '../service/faults.ts';
import { curlCommand } from './curl.ts';
import script from './inbox.js?raw';
import { listPage } from './list-page.ts';
import { STYLE } from './page.ts';
import { requestPage } from './request-page.ts';

/** Prefix of the calls that are not the API's. */
const PREFIX = '/_sandbox/';

interface Call {
  readonly query: URLSearchParams;
  /** The JSON of a PUT, or the fields of a form. */
  readonly body: unknown;
  /** Number of the request that the path names, or 0 if it names none. */
  readonly number: number;
  /** Whether a browser asks for a page. */
  readonly wantsPage: boolean;
}

type Action = (state: SandboxState, call: Call) => SandboxAnswer | Promise<SandboxAnswer>;

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_PAGE = 10_000;
/** Maximum number of bytes of a body that an answer shows. A call of its own returns the whole body. */
const MAX_SHOWN_BYTES = 64 * 1024;
const DONE: SandboxAnswer = { status: 303, headers: { location: '/' }, body: '' };

/** The calls for programs, by method and name. */
const CALLS: Readonly<Record<string, Action>> = {
  'GET requests': ({ received }, { query }) => {
    const [offset, limit] = [wholeNumber(query, 'offset', 0), Math.min(MAX_PAGE, wholeNumber(query, 'limit', 100))];
    const found = received.all().filter(parseFilter(query));
    return jsonAnswer(200, { offset, limit, total: found.length, items: found.slice(offset, offset + limit) });
  },
  'DELETE requests': (state) => {
    forgetRequests(state);
    return { status: 204, headers: {}, body: '' };
  },
  'GET requests/NUMBER': (state, { number, query, wantsPage }) =>
    wantsPage ? requestPage(state, number, query) : jsonAnswer(200, requestInFull(state, number)),
  'GET requests/NUMBER/body': ({ received }, { number }) => {
    const body = received.exchange(number)?.body;
    // Foreign content must never be shown as a page of this origin, so a browser saves it.
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="request-${number}.body"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    };
    return body ? { status: 200, headers, body } : refusal(404, 'not_found', 'This is not kept, or no longer.');
  },
  'GET faults': (state) => {
    const kinds = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, describeFault(kind)]));
    return jsonAnswer(200, { rates: state.faultRates, kinds });
  },
  'PUT faults': (state, call) => {
    state.faultRates = parseFaultRates(objectFrom(call.body));
    return jsonAnswer(200, { rates: state.faultRates });
  },
  'GET settings': (state) => jsonAnswer(200, settingsOf(state)),
  'PUT settings': (state, { body }) => {
    changeSettings(state, body);
    return jsonAnswer(200, settingsOf(state));
  },
  'GET instructions': ({ instructions }) => jsonAnswer(200, instructions.list()),
  'PUT instructions': ({ instructions }, { body }) => {
    instructions.replace(body);
    return jsonAnswer(200, instructions.list());
  },
  'GET stats': ({ service: { marketplace, replays } }) =>
    // How many creates were answered again, if the contract names a header for that.
    jsonAnswer(200, { ...marketplace.stats(), ...(replays && { replayed: replays.count }) }),
  'GET wait': async (state, { query }) =>
    jsonAnswer(
      200,
      await waitForCreated(state, wholeNumber(query, 'created', 1), wholeNumber(query, 'timeoutMs', 10_000)),
    ),
};

/** What the inbox loads, and the forms on it. */
const OF_THE_PAGE: Readonly<Record<string, Action>> = {
  'GET inbox.css': () => ({ status: 200, headers: { 'content-type': 'text/css; charset=utf-8' }, body: STYLE }),
  'GET inbox.js': () => ({ status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: script }),
  'POST faults': (state, { body }) => {
    const given = Object.entries(objectFrom(body)).filter(([, percent]) => percent !== '');
    state.faultRates = parseFaultRates(
      Object.fromEntries(given.map(([kind, percent]) => [kind, Number(percent) / 100])),
    );
    return DONE;
  },
  'POST settings': (state, { body }) => {
    const numbers = Object.entries(objectFrom(body)).map(([name, text]) => [name, text === '' ? null : Number(text)]);
    changeSettings(state, Object.fromEntries(numbers));
    return DONE;
  },
  'POST forget': (state) => {
    forgetRequests(state);
    return DONE;
  },
};

const ACTIONS: Readonly<Record<string, Action>> = { ...CALLS, ...OF_THE_PAGE };

/** The calls for programs, one line each, for clients that ask at `/` without a browser. */
export const ADMIN_CALLS: readonly string[] = Object.keys(CALLS).map((each) => each.replace(' ', ` ${PREFIX}`));

/** Returns the answer to a call of the inbox or of a program that looks in, or null if the path is another. */
export async function answerAdmin(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  state: SandboxState,
): Promise<SandboxAnswer | null> {
  const wantsPage = request.headers.accept?.includes('text/html') ?? false;
  try {
    if (path === '/' && request.method === 'GET') return wantsPage ? listPage(state, query) : overview();
    if (!path.startsWith(PREFIX)) return null;
    // `requests/12/body` is the call `requests/NUMBER/body` for 12.
    const [, before = '', digits = '', after = ''] =
      /^(requests\/)(\d{1,15})(|\/\w+)$/.exec(path.slice(PREFIX.length)) ?? [];
    const called = `${request.method} ${digits === '' ? path.slice(PREFIX.length) : `${before}NUMBER${after}`}`;
    const action = Object.hasOwn(ACTIONS, called) ? ACTIONS[called] : undefined;
    if (!action) return refusal(404, 'not_found', `Admin calls: ${ADMIN_CALLS.join('; ')}.`);
    return await action(state, { query, number: Number(digits), body: await bodyOf(request), wantsPage });
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return wantsPage
      ? listPage(state, new URLSearchParams(), error.message)
      : refusal(400, 'invalid_request', error.message);
  }
}

function overview(): SandboxAnswer {
  const lines = ['srq sandbox: a local marketplace to try things against. Nothing sent here leaves this machine.', ''];
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: [...lines, 'Looking in and changing:', ...ADMIN_CALLS.map((call) => `  ${call}`), ''].join('\n'),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method !== 'PUT' && request.method !== 'POST') return null;
  const text = (await readBody(request, MAX_BODY_BYTES))?.toString('utf8') ?? '';
  if (request.method === 'POST') return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SrqError('sandbox.bad-call', 'The body is not JSON, or longer than 1 MiB.', null, error);
  }
}

function objectFrom(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return Object.fromEntries(Object.entries(body));
  throw new SrqError('sandbox.bad-call', 'The body must be one JSON object.');
}

/** Reads a whole number from a query. Throws `SrqError('usage')` for any other value under this name. */
function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SrqError('sandbox.bad-call', `${name} must be a whole number.`);
}

/** Returns one request with its exchange, as far as that is still kept, or null if the request is unknown. */
function requestInFull({ received }: SandboxState, number: number): object | null {
  const [request, exchange] = [received.find(number), received.exchange(number)];
  if (!request || !exchange) return request && { ...request, exchange: null };
  const bodyBytes = exchange.body?.length ?? null;
  const body = exchange.body?.toString('utf8', 0, MAX_SHOWN_BYTES) ?? null;
  const shown = { ...exchange, body, bodyBytes, isBodyCut: (bodyBytes ?? 0) > MAX_SHOWN_BYTES };
  return { ...request, exchange: { ...shown, curl: curlCommand(exchange, number) } };
}

async function waitForCreated(
  { service: { marketplace }, received, closing }: SandboxState,
  wanted: number,
  timeoutMs: number,
): Promise<{ readonly reached: boolean; readonly created: number }> {
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
