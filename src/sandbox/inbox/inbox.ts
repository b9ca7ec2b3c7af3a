import type { IncomingMessage } from 'node:http';
import { SrqError } from '../../request/words/errors.ts';
import { refusal, type SandboxAnswer } from '../messages/answer.ts';
import { readBody } from '../messages/http-message.ts';
import type { SandboxState } from '../records/sandbox-state.ts';
import { parseFaultRates } from '../service/faults.ts';
import { ADMIN_CALLS, CALLS, type InboxAction } from './admin.ts';
import script from './inbox.js?raw';
import { listPage } from './list-page.ts';
import { STYLE } from './page.ts';
import { requestPage } from './request-page.ts';

/** Prefix of the paths that are not the API's. */
const PREFIX = '/_sandbox/';
const MAX_BODY_BYTES = 1024 * 1024;

/** What a browser asks for, besides the calls for programs. */
const OF_BROWSERS: Readonly<Record<string, InboxAction>> = {
  'GET inbox.css': () => ({ status: 200, headers: { 'content-type': 'text/css; charset=utf-8' }, body: STYLE }),
  'GET inbox.js': () => ({ status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: script }),
  'GET requests/NUMBER': (state, { number, query }) => requestPage(state, number, query),
  // What was left empty is off.
  'POST faults': (state, { body }) => {
    const percents = Object.entries(body ?? {}).filter(([, percent]) => percent !== '');
    state.faultRates = parseFaultRates(Object.fromEntries(percents.map(([kind, text]) => [kind, Number(text) / 100])));
    return { status: 303, headers: { location: '/' }, body: '' };
  },
};

/** Returns the answer to a browser or a program that looks in, or null if the path belongs to the service. */
export async function answerInbox(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  state: SandboxState,
): Promise<SandboxAnswer | null> {
  const isBrowser = request.headers.accept?.includes('text/html') ?? false;
  try {
    if (path === '/' && request.method === 'GET') return listPage(state, query);
    if (!path.startsWith(PREFIX)) return null;
    // `requests/12` is the call `requests/NUMBER` for 12.
    const [, number = ''] = /^\/_sandbox\/requests\/(\d{1,15})(?!\d)/.exec(path) ?? [];
    const called = `${request.method} ${path.slice(PREFIX.length).replace(number, number && 'NUMBER')}`;
    // Both have a request in full: as a page, and as JSON.
    const actions = isBrowser ? { ...CALLS, ...OF_BROWSERS } : { ...OF_BROWSERS, ...CALLS };
    const action = Object.hasOwn(actions, called) ? actions[called] : undefined;
    if (!action) return refusal(404, 'not_found', `Admin calls: ${ADMIN_CALLS.join('; ')}.`);
    return await action(state, { query, number: Number(number), body: await bodyOf(request) });
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    if (isBrowser) return listPage(state, new URLSearchParams(), error.message);
    return refusal(400, 'invalid_request', error.message);
  }
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
