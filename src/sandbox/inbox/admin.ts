import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { mediaTypeOfBytes } from '../../request/lead/media-type.ts';
import { SrqError } from '../../request/words/errors.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from '../messages/answer.ts';
import { readBody } from '../messages/http-message.ts';
import type { KeptExchange } from '../records/kept-exchange.ts';
import type { ReceivedRequest } from '../records/received-request.ts';
import type { ReceivedRequests } from '../records/received-requests.ts';
import { parseFilter } from '../records/request-filter.ts';
import { changeSettings, type SandboxState, settingsOf } from '../records/sandbox-state.ts';
import { describeFault, FAULT_KINDS, parseFaultRates } from '../service/faults.ts';
import type { IdempotencyStore } from '../service/marketplace.ts';

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
    throw new SrqError('sandbox.bad-call', 'The body is not JSON, or longer than 1 MiB.', null, error);
  }
}

function objectFrom(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return Object.fromEntries(Object.entries(body));
  throw new SrqError('sandbox.bad-call', 'The body must be one JSON object.');
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

const DEFAULT_PAGE = 100;
const MAX_PAGE = 10_000;
/** Maximum length of a value in a list, which has no room for more. */
const MAX_BRIEF_LENGTH = 160;
/** Maximum number of bytes of a body that a page shows. A call of its own returns the whole body. */
const MAX_SHOWN_BYTES = 64 * 1024;
const FIRST_SAME = { offset: 0, limit: 100, isNewestFirst: false };

/**
 * Returns the requests that match the query, in the order of arrival, or the newest first with `order=newest`.
 * `brief=true` cuts long values.
 */
async function pageOf(received: ReceivedRequests, query: URLSearchParams): Promise<object> {
  const offset = wholeNumber(query, 'offset', 0);
  const limit = Math.min(MAX_PAGE, wholeNumber(query, 'limit', DEFAULT_PAGE));
  const filter = parseFilter(query, wholeNumber(query, 'until', null));
  const isNewestFirst = query.get('order') === 'newest';
  const { total, items } = await received.page(filter, { offset, limit, isNewestFirst });
  return { offset, limit, total, items: query.get('brief') === 'true' ? items.map(brief) : items };
}

function brief(request: ReceivedRequest): ReceivedRequest {
  const params = Object.entries(request.params).map(([name, value]) => [name, value.slice(0, MAX_BRIEF_LENGTH)]);
  return { ...request, params: Object.fromEntries(params) };
}

/** Returns one request with its exchange, as far as that is still kept, or null if the request is unknown. */
function requestInFull(received: ReceivedRequests, number: number): object | null {
  const request = received.find(number);
  if (!request) return null;
  const exchange = received.exchange(number);
  return { ...request, exchange: exchange && shownExchange(exchange, number) };
}

function shownExchange(exchange: KeptExchange, number: number): object {
  const { body, ...rest } = exchange;
  if (body === null) return { ...rest, body, bodyBytes: null, isBodyCut: false, curl: null };
  return {
    ...rest,
    body: body.toString('utf8', 0, MAX_SHOWN_BYTES),
    bodyBytes: body.length,
    isBodyCut: body.length > MAX_SHOWN_BYTES,
    curl: curlCommand({ ...rest, body }, number),
  };
}

/** Returns the numbers of the other requests that have the same content or name the same identifier, in order. */
async function sameContent(received: ReceivedRequests, number: number): Promise<readonly number[]> {
  const request = received.find(number);
  const marks = [request?.key, request?.requestId].filter((mark) => typeof mark === 'string');
  const numbers = new Set<number>();
  for (const mark of marks) {
    const { items } = await received.page({ words: [mark.toLowerCase()] }, FIRST_SAME);
    // The filter also finds the words within the text of other requests.
    const same = items.filter((each) => each.number !== number && (each.key === mark || each.requestId === mark));
    for (const each of same) numbers.add(each.number);
  }
  return [...numbers].sort((a, b) => a - b);
}

const GONE = refusal(404, 'not_found', 'This is not kept, or no longer.');

/**
 * Returns the headers that make a browser save an answer. Foreign content must never be shown as a page of this origin.
 */
const asFile = (name: string) => ({
  'content-disposition': `attachment; filename="${name}"`,
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'no-store',
});

/** Returns the body of a request as it arrived. */
function bodyOf(received: ReceivedRequests, number: number): SandboxAnswer {
  const body = received.exchange(number)?.body;
  if (!body) return GONE;
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream', ...asFile(`request-${number}.body`) },
    body,
  };
}

/** Returns the recording of a request, decoded from its body once more. */
async function recordingOf({ received, service }: SandboxState, number: number): Promise<SandboxAnswer> {
  const request = received.find(number);
  const exchange = received.exchange(number);
  if (!request?.audio || !exchange?.body) return GONE;
  const { searchParams } = new URL(exchange.path, 'http://localhost');
  const headers = Object.fromEntries(exchange.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const call = { headers, query: searchParams, body: exchange.body };
  const content = await service.offered.decode(request.operation, call);
  if ('status' in content || !content.recording) return GONE;
  const type = mediaTypeOfBytes(content.recording) ?? 'application/octet-stream';
  return { status: 200, headers: { 'content-type': type, ...asFile(`request-${number}`) }, body: content.recording };
}

/** Reads a whole number from a query. Throws `SrqError('usage')` for any other value under this name. */
function wholeNumber<Otherwise>(query: URLSearchParams, name: string, otherwise: Otherwise): number | Otherwise {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SrqError('sandbox.bad-call', `${name} must be a whole number.`);
}

/**
 * Maximum length of a body that the curl command contains. A longer body, or one that no shell can hold, is fetched
 * from the sandbox.
 */
const MAX_WRITTEN_BYTES = 4096;
const PLAIN_TEXT = /^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/;
/** Headers that curl sets itself. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']);

/**
 * Returns the request as a curl command for a POSIX shell. A bearer token is taken from the variable `TOKEN`, and other
 * secrets stay redacted.
 */
function curlCommand(
  { method, path, headers, body }: KeptExchange & { readonly body: Buffer },
  number: number,
): string {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '127.0.0.1';
  const own = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const isWritten = body.length <= MAX_WRITTEN_BYTES && isPlainText(body);
  const data = isWritten ? `--data-raw ${quoted(body.toString('utf8'))}` : '--data-binary @-';
  const parts = [
    `curl -g -X ${quoted(method)} ${quoted(`http://${host}${path}`)}`,
    ...own.map(([name, value]) => `-H ${header(name, value)}`),
    ...(body.length === 0 ? [] : [data]),
  ];
  const command = parts.join(' \\\n  ');
  return isWritten ? command : `curl -s ${quoted(`http://${host}/_sandbox/requests/${number}/body`)} | ${command}`;
}

function isPlainText(body: Buffer): boolean {
  const text = body.toString('utf8');
  return PLAIN_TEXT.test(text) && Buffer.from(text).equals(body);
}

function header(name: string, value: string): string {
  const isToken = name.toLowerCase() === 'authorization' && /^Bearer /i.test(value);
  return isToken ? `"${name}: Bearer $TOKEN"` : quoted(`${name}: ${value}`);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
