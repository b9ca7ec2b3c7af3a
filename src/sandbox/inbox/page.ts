import type { SandboxAnswer } from '../messages/answer.ts';
import type { ReceivedRequest } from '../records/received-request.ts';
import { html, type Markup } from './html.ts';
import style from './inbox.css?raw';

/** The outcomes of requests whose colours mark answers. */
const MARKS = ['created', 'duplicate', 'slowed', 'rejected', 'failed', 'unknown'];

export const STYLE = style + MARKS.map((name) => `.tag-${name}{--mark:var(--${name})}`).join('\n');

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http%3A//www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%230b5cad'/%3E%3Cpath d='M2.5 5 8 9l5.5-4M2.5 4h11v8h-11z' fill='none' stroke='%23fff' stroke-width='1.3'/%3E%3C/svg%3E";

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // With `no-referrer`, browsers would not say from which origin a form comes.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Returns a page of the inbox. */
export function page(status: number, title: string, body: Markup): SandboxAnswer {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · srq</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/_sandbox/inbox.css">
<script type="module" src="/_sandbox/inbox.js"></script>
</head>
<body>
${body}
<footer><p>What is sent here stays on this machine. Secrets and tokens are never shown. <kbd>j</kbd> <kbd>k</kbd> next and previous in the list.</p></footer>
</body>
</html>
`;
  return { status, headers: HEADERS, body: markup };
}

/** Returns the answer as a colour for its kind, the status, its effect or verdict, and the fault that struck. */
export function answerTag(request: ReceivedRequest): Markup {
  const { operation, status, requestId, verdict, fault } = request;
  const created = status !== null && status < 300 ? 'created' : 'created, answer lost';
  const did = verdict ?? (operation === 'create' && requestId !== null ? created : null);
  const tag = html`<span class="tag tag-${kindOf(request)}">${status ?? 'cut'}</span>`;
  return html`${tag} <span class="note">${did}</span> <small>${fault && `fault ${fault}`}</small>`;
}

function kindOf({ operation, status, verdict, requestId }: ReceivedRequest): string {
  if (status === null) return 'unknown';
  if (verdict !== null) return verdict;
  if (status === 429 || status === 503) return 'slowed';
  if (status >= 400) return status < 500 ? 'rejected' : 'failed';
  return operation === 'create' && requestId !== null ? 'created' : 'clear';
}

/** Returns a foreign text, which cannot change the direction of the texts around it. */
export const foreign = (text: string): Markup => html`<bdi>${text}</bdi>`;

/** Returns the address of a request within the list of a query. */
export const addressOf = ({ number }: ReceivedRequest, query: URLSearchParams): string =>
  `/_sandbox/requests/${number}${asked(query)}`;

/** Returns the query of the list as the end of an address. */
export function asked(query: URLSearchParams): string {
  const kept = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  return kept.size === 0 ? '' : `?${kept}`;
}

export const timeOf = ({ receivedAt }: ReceivedRequest): string => receivedAt.slice(11, 23);

/** Returns the milliseconds from arrival to the end of the answer, or nothing. */
export const tookMs = ({ answerMs }: ReceivedRequest): string => (answerMs === null ? '' : count(Math.round(answerMs)));

export const count = (number: number): string => number.toLocaleString('en-US');
