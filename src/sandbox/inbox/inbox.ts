import type { IncomingMessage } from 'node:http';
import { webPage } from '../../page/web-page.ts';
import { SrqError } from '../../request/words/errors.ts';
import { refusal, type SandboxAnswer } from '../messages/answer.ts';
import { readBody } from '../messages/http-message.ts';
import type { SandboxState } from '../records/sandbox-state.ts';
import { ADMIN_CALLS, CALLS } from './admin.ts';
import style from './inbox.css?raw';
import script from './inbox.js?bundled';
import body from './inbox.template?raw';

/** Prefix of the paths that are not the API's. */
const PREFIX = '/_sandbox/';
const MAX_BODY_BYTES = 1024 * 1024;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Returns the answer to a browser or a program that looks in, or null if the path belongs to the service. */
export async function answerInbox(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  state: SandboxState,
): Promise<SandboxAnswer | null> {
  if (path === '/' && request.method === 'GET')
    return {
      status: 200,
      headers: PAGE_HEADERS,
      body: webPage({
        body,
        texts: { title: 'Sandbox inbox', host: request.headers.host ?? '' },
        style,
        script,
        isConnected: true,
      }),
    };
  if (!path.startsWith(PREFIX)) return null;
  try {
    // `requests/12` is the call `requests/NUMBER` for 12.
    const [, number = ''] = /^\/_sandbox\/requests\/(\d{1,15})(?!\d)/.exec(path) ?? [];
    const called = `${request.method} ${path.slice(PREFIX.length).replace(number, number && 'NUMBER')}`;
    const action = Object.hasOwn(CALLS, called) ? CALLS[called] : undefined;
    if (!action) return refusal(404, 'not_found', `Admin calls: ${ADMIN_CALLS.join('; ')}.`);
    return action(state, { query, number: Number(number), body: await bodyOf(request) });
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return refusal(400, 'invalid_request', error.message);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method !== 'PUT') return null;
  const text = (await readBody(request, MAX_BODY_BYTES))?.toString('utf8') ?? '';
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SrqError('sandbox.bad-call', 'The body is not JSON, or longer than 1 MiB.', null, error);
  }
}
