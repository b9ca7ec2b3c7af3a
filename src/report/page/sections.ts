import { type Counts, countsLeft, SENT_STATUSES, STATUS, STATUSES, type Status } from '../../request/status.ts';
import { duration, thousands } from '../output.ts';
import { answerTime, answerTimeChart, courseTable, endedIn, shareBar, speed, throughputChart } from './charts.ts';
import { type Html, html, NOTHING } from './html.ts';
import type { RunFigures } from './run-figures.ts';
import { type Bucket, sumOf } from './time-buckets.ts';

const KEY_SHOWN = 12;
const REASONS_SHOWN = 50;

/** Returns the section with the number of rows by status. */
export function totals({ counts, rows }: RunFigures): Html {
  const shown = STATUSES.filter((status) => counts[status] > 0);
  if (shown.length === 0) return html`<p class="empty">Nothing was sent in this run yet.</p>`;
  const tiles = shown.map(
    (status) => html`<div class="tile"><dt>${tag(status)}</dt>
<dd class="count">${thousands(counts[status])}</dd><dd class="note">${share(counts[status], rows)} · ${STATUS[status].brief}</dd></div>`,
  );
  const bar = shareBar(
    shown.map((status) => [status, counts[status]] as const),
    rows,
  );
  return html`${bar}<dl class="tiles">${tiles}</dl>`;
}

/** Returns the section that lists what a person still has to do, in that order. */
export function toDo({ counts, end }: RunFigures): Html {
  const { settle, send, correct } = countsLeft(counts);
  const items = [
    ...(settle > 0
      ? [
          html`<li><strong>${thousands(settle)}</strong> may have been taken. Look each one up at the service, then say what you found: <code>srq resolve</code>.</li>`,
        ]
      : []),
    ...(send > 0
      ? [
          html`<li><strong>${thousands(send)}</strong> ${end ? 'were certainly not taken' : 'are not sent yet'}. Run the same command again: it goes on where it stopped, and sends nothing twice.</li>`,
        ]
      : []),
    ...(correct > 0
      ? [
          html`<li><strong>${thousands(correct)}</strong> were refused. Correct them in the results file and import that: only they are sent.</li>`,
        ]
      : []),
  ];
  if (items.length === 0) return html`<p class="done">Nothing is left to do.</p>`;
  return html`<ol class="todo">${items}</ol>`;
}

export function markets({ markets: found }: RunFigures): Html {
  const sorted = [...found].sort(([, a], [, b]) => totalOf(b) - totalOf(a));
  if (sorted.length === 0) return html`<p class="empty">No request of this run is in the log.</p>`;
  const statuses = STATUSES.filter((status) => sorted.some(([, counts]) => counts[status] > 0));
  const largest = totalOf(sorted[0]?.[1]);
  const lines = sorted.map(
    ([name, counts]) => html`<tr><th scope="row">${name}</th><td>${thousands(totalOf(counts))}</td>
${statuses.map((status) => html`<td>${counts[status] > 0 ? thousands(counts[status]) : '–'}</td>`)}
<td class="bar">${shareBar(
      statuses.map((status) => [status, counts[status]] as const),
      largest,
    )}</td></tr>`,
  );
  return wideTable(
    'Outcome by market',
    html`<thead><tr><th scope="col">Market</th><th scope="col">Rows</th>${statuses.map((status) => html`<th scope="col">${tag(status)}</th>`)}<td class="bar"></td></tr></thead><tbody>${lines}</tbody>`,
  );
}

/** Returns the section on the throughput and the answer times over the run. */
export function course({ course: found }: RunFigures): Html {
  const all = sumOf(found.buckets);
  const ended = endedIn(all);
  if (ended === 0) return html`<p class="empty">No outcome is recorded yet.</p>`;
  const seconds = Math.max(1, (found.buckets.length * found.widthMs) / 1000);
  return html`<p class="lead">${thousands(ended)} outcomes, ${speed(ended / seconds)} on average. Answers: median ${answerTime(all, 0.5)}, 95 of 100 within ${answerTime(all, 0.95)}. ${troubles(all)}</p>
<div class="charts"><figure><figcaption>Requests a second</figcaption>${throughputChart(found)}
<p class="legend">${SENT_STATUSES.map(tag)}<span class="key key-refused">429, 503</span><span class="key key-pause">pause</span><span class="key key-break">breaker</span></p></figure>
<figure><figcaption>Answer time of the service, on a logarithmic scale</figcaption>${answerTimeChart(found)}
<p class="legend"><span class="key key-median">median</span><span class="key key-band">up to 95 of 100</span><span class="key key-pause">pause</span></p></figure></div>
${courseTable(found)}`;
}

function troubles({ refused, breaks, pausedMs }: Bucket): string {
  const said = [
    ...(refused > 0 ? [`${thousands(refused)} answers were 429 or 503`] : []),
    ...(breaks > 0 ? [`the breaker opened ${breaks === 1 ? 'once' : `${breaks} times`}`] : []),
    ...(pausedMs > 0 ? [`nobody sent for ${duration(pausedMs)}`] : []),
  ];
  return said.length > 0 ? `In between, ${said.join(', ')}.` : 'No pause is recorded.';
}

/** Returns the section on the reasons why rows were not taken. A button shows the rows of a reason in the list. */
export function reasons({ reasons: found }: RunFigures): Html {
  const sorted = found.map((reason, number) => ({ ...reason, number })).sort((a, b) => b.count - a.count);
  if (sorted.length === 0) return html`<p class="empty">No row with a reason against it.</p>`;
  const lines = sorted.slice(0, REASONS_SHOWN).map(
    ({ status, text, advice, count, rows, number }) => html`<li><p class="reason">${tag(status)} <bdi>${text}</bdi></p>
<p class="advice">${advice}</p>
<p class="rows"><strong>${thousands(count)}</strong> ${count === 1 ? 'time' : 'times'}: row ${rows.join(', ')}${count > rows.length ? ' …' : ''} <button type="button" class="link" data-reason="${number}" hidden>Show in the list</button></p></li>`,
  );
  const more = sorted.length - lines.length;
  return html`<ol class="reasons">${lines}</ol>${more > 0 ? html`<p class="note">${more} rarer reasons are in the list of rows alone.</p>` : NOTHING}`;
}

/**
 * Returns the section on requests that may have been taken, with the commands that settle them, or null if there are
 * none.
 */
export function doubts({ doubts: found, counts }: RunFigures): Html | null {
  if (counts.unknown === 0) return null;
  const lines = found.map(
    ({ row, ref, key, at, message }) => html`<tr><td>${row}</td><td class="text"><bdi>${ref ?? '–'}</bdi></td>
<td class="text">${at === null ? '–' : html`<time>${moment(at)}</time>`}</td><td class="text message"><bdi>${message ?? ''}</bdi></td>
<td class="text">${key === null ? '–' : html`<code>srq resolve ${key.slice(0, KEY_SHOWN)} --created</code> or <code>--not-created</code>`}</td></tr>`,
  );
  const more = counts.unknown - found.length;
  return html`<p>Nobody can tell from here whether the service took these. They are not sent again before each is settled: look it up at the service, then say what you found.</p>
${wideTable('Requests in doubt', html`<thead><tr><th scope="col">Row</th><th scope="col" class="text">Reference</th><th scope="col" class="text">Since (UTC)</th><th scope="col" class="text">What happened</th><th scope="col" class="text">What to do</th></tr></thead><tbody>${lines}</tbody>`)}
${more > 0 ? html`<p class="note">${thousands(more)} more: <code>srq resolve</code> lists all.</p>` : NOTHING}`;
}

export function settings({ begin }: RunFigures): Html {
  if (!begin) return html`<p class="empty">Settings were not recorded for this run.</p>`;
  const pairs = [
    ['srq', begin.version],
    ['Service', begin.service],
    ['Profile', `${begin.profile} (${begin.live ? 'live' : 'test'})`],
    ['Run', begin.run],
    ['Input', begin.file],
    ...Object.entries(begin.settings),
  ] as const;
  return html`<dl class="settings">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${String(value)}</bdi></dd></div>`)}</dl>`;
}

/** Formats a time as `2026-11-21 18:00:05`, without its zone. */
export function moment(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

function tag(status: Status): Html {
  return html`<span class="tag tag-${status}">${STATUS[status].label}</span>`;
}

function wideTable(label: string, content: Html): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table class="numbers">${content}</table></div>`;
}

function share(count: number, rows: number): string {
  const percent = (count / rows) * 100;
  return count === rows ? 'all' : percent < 0.1 ? 'under 0.1 %' : `${percent.toFixed(1)} %`;
}

function totalOf(counts: Counts | undefined): number {
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
}
