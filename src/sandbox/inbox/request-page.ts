import type { SandboxAnswer } from '../messages/answer.ts';
import type { KeptExchange } from '../records/exchange.ts';
import type { ReceivedRequest } from '../records/received-request.ts';
import type { SandboxState } from '../records/sandbox-state.ts';
import { indentedJson } from '../service/decode-body.ts';
import { html, type Markup } from './html.ts';
import { answerTag, asked, count, foreign, page, timeOf, tookMs } from './page.ts';

/** Returns one request in full. `query` is the query of the list from which it was opened. */
export function requestPage({ received }: SandboxState, number: number, query: URLSearchParams): SandboxAnswer {
  const [request, exchange] = [received.find(number), received.exchange(number)];
  const body = html`<header>
<h1>Request ${number}</h1>
<a href="/${asked(query)}">All requests</a>
</header>
<main id="request">
${request ? summary(request) : html`<p class="card">Nothing is kept under this number.</p>`}
${request && (exchange ? wire(exchange) : html`<p class="card">What went over the wire is no longer kept.</p>`)}
</main>`;
  return page(request ? 200 : 404, `Request ${number}`, body);
}

function summary(request: ReceivedRequest): Markup {
  const { operation, encoding, requestId, params, audio, key } = request;
  const search = (text: string | null) => text && html`<a href="/?text=${text}">${text}</a>`;
  return html`<section class="card">
<p class="answer">${answerTag(request)}</p>
${facts([
  ['Operation', operation],
  ['Received (UTC)', timeOf(request)],
  ['Took, ms', tookMs(request)],
  ['Encoding', encoding],
  ['Identifier', search(requestId)],
  ['Content, by its digest', search(key)],
])}
<h2>Parameters</h2>
${Object.keys(params).length > 0 ? facts(Object.entries(params)) : note('None could be read.')}
${
  audio &&
  html`<h2>Recording</h2>${facts([
    ['Bytes', count(audio.bytes)],
    ['SHA-256', audio.sha256],
  ])}`
}
</section>`;
}

/** Returns what went over the wire. */
function wire(exchange: KeptExchange): Markup {
  const { method, path, headers, body, answer } = exchange;
  const answered = answer
    ? html`<p class="line">HTTP ${answer.status}</p>${headerList(answer.headers)}${bodyParts('Body of the answer', answer.body)}`
    : note('The connection was cut.');
  const received = body
    ? bodyParts('Body as received', body.toString('utf8'))
    : note('The body is not kept: it is longer than 64 kB, or holds the client secret.');
  return html`<section class="card">
<h2>Answered</h2>
${answered}
<h2>As received</h2>
<p class="line">${foreign(`${method} ${path}`)}</p>
${headerList(headers)}
${received}
</section>`;
}

/** Returns a body, JSON indented and followed by the original. */
function bodyParts(label: string, body: string): Markup | null {
  if (body === '') return null;
  const indented = indentedJson(body);
  if (indented === null || indented === body) return listing(label, body);
  return html`${listing(`${label}, indented`, indented)}<details><summary>The same as it came</summary>${listing(label, body)}</details>`;
}

const headerList = (headers: KeptExchange['headers']): Markup =>
  html`<details><summary>${headers.length} ${headers.length === 1 ? 'header' : 'headers'}</summary>${facts(headers)}</details>`;

/** Returns a text of several lines. */
const listing = (label: string, text: string): Markup => html`<pre role="region" aria-label="${label}">${text}</pre>`;

const note = (text: string): Markup => html`<p class="note">${text}</p>`;

/** Returns names with their values, without those that have none. */
function facts(pairs: readonly (readonly [name: string, value: string | Markup | null])[]): Markup {
  const given = pairs.filter(([, value]) => value !== null && value !== '');
  const lines = given.map(([name, value]) => {
    return html`<div><dt>${foreign(name)}</dt><dd>${typeof value === 'string' ? foreign(value) : value}</dd></div>`;
  });
  return html`<dl>${lines}</dl>`;
}
