import { SrqError } from '../../request/words/errors.ts';
import { jsonAnswer, type SandboxAnswer } from '../messages/answer.ts';
import { parseFilter } from '../records/received-requests.ts';
import type { SandboxState } from '../records/sandbox-state.ts';
import { FAULT_KINDS, faultOf, parseFaultRates } from '../service/faults.ts';

/** `body` is the JSON of a PUT, and `number` that of the request which the path names, or 0 if it names none. */
type InboxAction = (
  state: SandboxState,
  call: { readonly query: URLSearchParams; readonly body: unknown; readonly number: number },
) => SandboxAnswer;

/** The calls for programs, by method and name. */
export const CALLS: Readonly<Record<string, InboxAction>> = {
  'GET requests': ({ received }, { query }) => {
    const found = received.all().filter(parseFilter(query));
    const newest = Math.max(0, found.length - limitIn(query));
    return jsonAnswer(200, { total: found.length, items: found.slice(newest) });
  },
  // What was created is forgotten with them, so that it is no duplicate any more.
  'DELETE requests': ({ received, marketplace }) => {
    received.clear();
    marketplace.forgetRequests();
    return { status: 204, headers: {}, body: '' };
  },
  'GET requests/NUMBER': ({ received }, { number }) => jsonAnswer(200, received.find(number)),
  'GET faults': (state) => {
    const kinds = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, faultOf(kind).description]));
    return jsonAnswer(200, { rates: state.faultRates, kinds });
  },
  'PUT faults': (state, call) => {
    state.faultRates = parseFaultRates(objectFrom(call.body));
    return jsonAnswer(200, { rates: state.faultRates });
  },
  'GET instructions': ({ instructions }) => jsonAnswer(200, instructions.list()),
  'PUT instructions': ({ instructions }, { body }) => {
    instructions.replace(body);
    return jsonAnswer(200, instructions.list());
  },
  'GET stats': ({ marketplace }) => jsonAnswer(200, marketplace.stats()),
};

/** The calls, one line each. */
export const ADMIN_CALLS: readonly string[] = Object.keys(CALLS).map((each) => each.replace(' ', ' /_sandbox/'));

function objectFrom(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return Object.fromEntries(Object.entries(body));
  throw new SrqError('sandbox.bad-call', 'The body must be one JSON object.');
}

/** Throws `SrqError('usage')` for a limit that is no whole number. */
function limitIn(query: URLSearchParams): number {
  const text = query.get('limit') ?? '100';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SrqError('sandbox.bad-call', 'limit must be a whole number.');
}
