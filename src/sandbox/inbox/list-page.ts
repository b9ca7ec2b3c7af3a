import type { SandboxAnswer } from '../messages/answer.ts';
import type { ReceivedRequest } from '../records/received-request.ts';
import { parseFilter } from '../records/request-filter.ts';
import { type SandboxState, settingsOf } from '../records/sandbox-state.ts';
import { describeFault, FAULT_KINDS, type FaultKind } from '../service/faults.ts';
import { html, type Markup } from './html.ts';
import { addressOf, answerTag, count, foreign, page, timeOf, tookMs } from './page.ts';

const ROWS = 100;
/** Maximum length of a value in the list, which has no room for more. */
const MAX_BRIEF_LENGTH = 160;
/** Patterns for the parameters that identify a request best for a person. */
const TELLING = [/name$/i, /text$/i, /phone$/i, /mail$/i];

/** Returns the list of requests that the query asks for, the newest first. `trouble` is why a change was refused. */
export function listPage(state: SandboxState, query: URLSearchParams, trouble: string | null = null): SandboxAnswer {
  const all = state.received.all();
  const fitting = all.filter(parseFilter(query)).reverse();
  const shown = fitting.slice(0, ROWS);
  const { created } = state.service.marketplace;
  const body = html`<header>
<div>
<h1>Sandbox inbox</h1>
<p class="lead" id="totals" data-live>${count(all.length)} ${all.length === 1 ? 'request' : 'requests'}, ${count(created)} created</p>
</div>
<p class="state" id="state" hidden></p>
</header>
<main>
<p class="trouble" role="alert">${trouble}</p>
${controls(state, trouble !== null)}
<section class="card" aria-label="Requests">
<search><form id="filter" action="/">
<label>Search <input name="text" type="search" autocomplete="off" spellcheck="false" placeholder="Words, operation, status, identifier" value="${query.get('text')}"></label>
<button>Search</button> <a href="/">Reset</a>
</form></search>
<div id="list" data-live>
<p class="note">${shown.length > 0 && `${count(shown.length)} of ${count(fitting.length)} shown`}</p>
${shown.length > 0 ? table(shown, query) : nothing(all.length)}
</div>
</section>
</main>`;
  return page(trouble === null ? 200 : 400, 'Sandbox inbox', body);
}

function controls(state: SandboxState, isOpen: boolean): Markup {
  const { latencyMs, ratePerSecond, tokenTtlSeconds } = settingsOf(state);
  const percent = (kind: FaultKind): number => Number(((state.faultRates[kind] ?? 0) * 100).toPrecision(12));
  const struck = FAULT_KINDS.filter((kind) => percent(kind) > 0).map((kind) => `${kind} ${percent(kind)} %`);
  const inForce = [
    struck.join(', ') || 'no faults',
    latencyMs > 0 ? `${latencyMs} ms latency` : 'no latency',
    ratePerSecond === null ? 'no limit of calls' : `${ratePerSecond} calls a second`,
    `tokens live ${tokenTtlSeconds} s`,
  ];
  const faults = FAULT_KINDS.map((kind) => {
    const field = html`<input name="${kind}" type="number" min="0" max="100" step="any" placeholder="0" value="${percent(kind) || ''}">`;
    return html`<label><span><strong>${kind}</strong> ${describeFault(kind)}</span> <span>${field} %</span></label>`;
  });
  return html`<details class="card"${isOpen && html` open`}>
<summary><strong>Faults</strong> <span class="note" id="in-force" data-live>${inForce.join(' · ')}</span></summary>
<form class="columns" method="post" action="/_sandbox/faults">
<p class="note">Each call is struck with this probability. A change acts at once.</p>
${faults}
<button>Set faults</button>
</form>
</details>`;
}

function table(requests: readonly ReceivedRequest[], query: URLSearchParams): Markup {
  const rows = requests.map((request) => {
    const { number, operation } = request;
    return html`<tr>
<td class="number"><a id="r${number}" href="${addressOf(request, query)}" aria-label="Request ${number}, ${operation}">${number}</a></td>
<td class="time">${timeOf(request)}</td>
<td class="operation">${operation}</td>
<td class="answer">${answerTag(request)}</td>
<td>${foreign(briefly(request))}</td>
<td class="took">${tookMs(request)}</td>
</tr>
`;
  });
  return html`<table>
<thead><tr><th scope="col" class="number">No.</th><th scope="col" class="time">Time (UTC)</th><th scope="col" class="operation">Operation</th><th scope="col" class="answer">Answer</th><th scope="col">Content</th><th scope="col" class="took">ms</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

function briefly({ params, audio }: ReceivedRequest): string {
  const rank = (name: string): number => [...TELLING, /^/].findIndex((pattern) => pattern.test(name));
  const values = Object.entries(params)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([, value]) => value.slice(0, MAX_BRIEF_LENGTH));
  return [...(audio ? ['♪ recording'] : []), ...values].join(' · ').replace(/\s+/g, ' ');
}

const nothing = (received: number): Markup =>
  received > 0
    ? html`<p class="empty">No request fits.</p>`
    : html`<p class="empty">Nothing has arrived yet. The terminal in which the sandbox runs says how to log in to it; then <code>srq bulk FILE --profile sandbox</code></p>`;
