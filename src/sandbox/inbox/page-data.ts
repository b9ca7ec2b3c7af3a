import { parseFilter, type ReceivedRequest } from '../records/received-requests.ts';
import type { SandboxState } from '../records/sandbox-state.ts';
import { indentedJson } from '../service/decode-body.ts';
import { FAULT_KINDS, type FaultKind, faultOf } from '../service/faults.ts';

const ROWS = 100;
/** Maximum length of a value in the list, which has no room for more. */
const MAX_BRIEF_LENGTH = 160;
/** Patterns for the parameters that identify a request best for a person. */
const TELLING = [/name$/i, /text$/i, /phone$/i, /mail$/i];

/** What the page draws: the newest requests that the query asks for, and one in full if it names one. */
export function pageData(state: SandboxState, query: URLSearchParams) {
  const all = state.received.all();
  const fitting = all.filter(parseFilter(query)).reverse();
  const { created } = state.marketplace;
  const requests = fitting.slice(0, ROWS).map(lineOf);
  return {
    texts: {
      totals: `${count(all.length)} ${all.length === 1 ? 'request' : 'requests'}, ${count(created)} created`,
      'in-force': inForce(state),
      shown: requests.length > 0 ? `${requests.length} of ${count(fitting.length)} shown` : nothing(all.length),
    },
    faults: FAULT_KINDS.map((kind) => ({ kind, does: faultOf(kind).description, percent: percentOf(state, kind) })),
    requests,
    request: query.get('request') ? inFull(state, Number(query.get('request'))) : null,
  };
}

const count = (number: number): string => number.toLocaleString('en-US');

const nothing = (received: number): string =>
  received > 0
    ? 'No request fits.'
    : 'Nothing has arrived yet. The terminal in which the sandbox runs says how to log in to it; then: srq bulk FILE --profile sandbox';

const percentOf = ({ faultRates }: SandboxState, kind: FaultKind): number =>
  Number(((faultRates[kind] ?? 0) * 100).toPrecision(12));

function inForce(state: SandboxState): string {
  const { latencyMs, ratePerSecond, tokenTtlSeconds } = state.settings;
  const struck = FAULT_KINDS.filter((kind) => percentOf(state, kind) > 0);
  return [
    struck.map((kind) => `${kind} ${percentOf(state, kind)} %`).join(', ') || 'no faults',
    latencyMs > 0 ? `${latencyMs} ms latency` : 'no latency',
    ratePerSecond === null ? 'no limit of calls' : `${ratePerSecond} calls a second`,
    `tokens live ${tokenTtlSeconds} s`,
  ].join(' · ');
}

/** A request in the list. Its mark is the name of a colour. */
function lineOf(request: ReceivedRequest) {
  const { number, operation, receivedAt, status, requestId, verdict, fault, answerMs } = request;
  const created = status !== null && status < 300 ? 'created' : 'created, answer lost';
  const did = verdict ?? (operation === 'create' && requestId !== null ? created : null);
  return {
    ...{ number, operation, time: receivedAt.slice(11, 23), took: answerMs && Math.round(answerMs) },
    ...{ mark: markOf(request), status: status ?? 'cut', content: briefly(request) },
    note: [did, fault && `fault ${fault}`].filter(Boolean).join(', '),
  };
}

function markOf({ operation, status, verdict, requestId }: ReceivedRequest): string {
  if (status === null) return 'unknown';
  if (verdict !== null) return verdict;
  if (status === 429 || status === 503) return 'slowed';
  if (status >= 400) return status < 500 ? 'rejected' : 'failed';
  return operation === 'create' && requestId !== null ? 'created' : 'clear';
}

function briefly({ params, audio }: ReceivedRequest): string {
  const rank = (name: string): number => [...TELLING, /^/].findIndex((pattern) => pattern.test(name));
  const values = Object.entries(params)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([, value]) => value.slice(0, MAX_BRIEF_LENGTH));
  return [...(audio ? ['♪ recording'] : []), ...values].join(' · ').replace(/\s+/g, ' ');
}

/** One request as programs get it, with bodies that can be read. Names that came with it are texts, too. */
function inFull({ received }: SandboxState, number: number): object {
  const found = received.find(number);
  if (!found) return { number, note: 'Nothing is kept under this number.' };
  const { body, answer, ...exchange } = found.exchange ?? {};
  const answered = answer && { ...answer, body: readable(answer.body) };
  return {
    ...found,
    params: Object.entries(found.params),
    exchange: found.exchange && { ...exchange, body: body && readable(body), answer: answered },
  };
}

const readable = (body: string): string => indentedJson(body) ?? body;
