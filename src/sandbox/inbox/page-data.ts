import type { KeptExchange } from '../records/exchange.ts';
import type { ReceivedRequest } from '../records/received-request.ts';
import { parseFilter } from '../records/request-filter.ts';
import { type SandboxState, settingsOf } from '../records/sandbox-state.ts';
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
  const { created } = state.service.marketplace;
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
  const { latencyMs, ratePerSecond, tokenTtlSeconds } = settingsOf(state);
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

/** One request with what went over the wire, as far as they are still kept. */
function inFull({ received }: SandboxState, number: number) {
  const [request, exchange] = [received.find(number), received.exchange(number)];
  if (!request) return { number };
  const { operation, encoding, requestId, key, params, audio } = request;
  const line = lineOf(request);
  return {
    ...{ number, line },
    facts: Object.entries({
      Operation: operation,
      'Received (UTC)': line.time,
      'Took, ms': line.took,
      Encoding: encoding,
    }),
    searches: Object.entries({ Identifier: requestId, 'Content, by its digest': key }),
    params: [
      ...Object.entries(params),
      ...(audio ? [['Recording', `${audio.bytes} bytes, SHA-256 ${audio.sha256}`]] : []),
    ],
    wire: exchange && wireOf(exchange),
  };
}

function wireOf({ method, path, headers, body, answer }: KeptExchange) {
  const bodyOf = (text: string) => ({ text, indented: indentedJson(text) });
  return [
    answer
      ? { title: 'Answered', line: `HTTP ${answer.status}`, headers: answer.headers, ...bodyOf(answer.body) }
      : { title: 'Answered', line: 'The connection was cut.' },
    {
      ...{ title: 'As received', line: `${method} ${path}`, headers },
      ...(body
        ? bodyOf(body.toString('utf8'))
        : { note: 'The body is not kept: it is longer than 64 kB, or holds the client secret.' }),
    },
  ];
}
