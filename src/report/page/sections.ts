import { type Counts, countsLeft, SENT_STATUSES, STATUS, STATUSES, type Status } from '../../request/status.ts';
import { duration, thousands } from '../output.ts';
import { type Html, html, NOTHING } from './html.ts';
import type { RunFigures } from './run-figures.ts';
import { type Bucket, quantileMs, sumOf, type TimeBuckets } from './time-buckets.ts';

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

/**
 * The size of a drawing in its own units. It is stretched to the page's width; texts stand outside it, to keep their
 * size.
 */
const WIDTH = 1000;
const HEIGHT = 160;

/**
 * Draws shares of `total` as one bar. It is hidden from screen readers, because the table beside it has the same
 * figures.
 */
function shareBar(parts: readonly (readonly [string, number])[], max: number): Html {
  let x = 0;
  const bars = parts.map(([name, count]) => {
    const width = max > 0 ? (count / max) * WIDTH : 0;
    x += width;
    return html`<rect class="fill-${name}" x="${round(x - width)}" y="0" width="${round(width)}" height="10"/>`;
  });
  return html`<svg class="share" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

/** Draws the requests a second over the run by status, and marks pauses, refusals and the circuit breaker. */
function throughputChart(course: TimeBuckets): Html {
  const { buckets, widthMs } = course;
  const perSecond = (count: number) => (count * 1000) / widthMs;
  const peak = Math.max(...buckets.map((bucket) => perSecond(endedIn(bucket))), 0);
  const step = WIDTH / Math.max(1, buckets.length);
  const bars = buckets.flatMap((bucket, at) => {
    let y = HEIGHT;
    return SENT_STATUSES.filter((part) => bucket.ended[part] > 0).map((part) => {
      const height = (perSecond(bucket.ended[part]) / peak) * HEIGHT;
      y -= height;
      return rect(`fill-${part}`, at * step + step * 0.08, y, step * 0.84, height);
    });
  });
  const title = `Requests a second over the run; at most ${speed(peak)}`;
  return plot(course, title, [...pauses(course, step), ...bars, ...marks(course, step)], `up to ${speed(peak)}`);
}

/** Draws the answer times of the service over the run as a band from the median to the 95th percentile. */
function answerTimeChart(course: TimeBuckets): Html {
  const times = course.buckets.map((bucket) => [quantileMs(bucket, 0.5), quantileMs(bucket, 0.95)] as const);
  const medians = times.flatMap(([median]) => (median === null ? [] : [median]));
  const peak = Math.max(...times.map(([, p95]) => p95 ?? 0), 1);
  const low = Math.max(0.5, Math.min(...medians, peak) / 2);
  const y = (ms: number) => HEIGHT * (1 - Math.log(Math.max(ms, low) / low) / Math.log(peak / low));
  const step = WIDTH / Math.max(1, times.length);
  const bars = times.flatMap(([median, p95], at) => {
    if (median === null || p95 === null) return [];
    const [x, width] = [at * step + step * 0.08, step * 0.84];
    return [rect('band', x, y(p95), width, y(median) - y(p95)), rect('median', x, y(median) - 1, width, 3)];
  });
  const title = `Time of the service's answers over the run; 95 of 100 within ${milliseconds(peak)} at the slowest`;
  return plot(course, title, [...pauses(course, step), ...bars], `from ${milliseconds(low)} to ${milliseconds(peak)}`);
}

/** Returns the figures of both charts as a table, without the intervals in which nothing happened. */
function courseTable({ buckets, startMs, widthMs }: TimeBuckets): Html {
  const rows = buckets.flatMap((bucket, at) => {
    if (endedIn(bucket) + bucket.refused + bucket.breaks + bucket.pausedMs === 0) return [];
    const cells = SENT_STATUSES.map((part) => html`<td>${thousands(bucket.ended[part])}</td>`);
    return html`<tr><th scope="row">${clockTime(startMs + at * widthMs)}</th>${cells}<td>${thousands(bucket.refused)}</td><td>${thousands(bucket.breaks)}</td><td>${bucket.pausedMs > 0 ? duration(bucket.pausedMs) : '–'}</td><td>${answerTime(bucket, 0.5)}</td><td>${answerTime(bucket, 0.95)}</td></tr>`;
  });
  const heads = ['From (UTC)', ...SENT_STATUSES, '429, 503', 'breaker', 'paused', 'median', '95 of 100'];
  return html`<details><summary>The same as a table, ${duration(widthMs)} a line</summary>
<div class="wide" tabindex="0" role="region" aria-label="Course of the run"><table class="numbers">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div></details>`;
}

function answerTime(bucket: Bucket, share: number): string {
  const time = quantileMs(bucket, share);
  return time === null ? '–' : milliseconds(time);
}

function speed(perSecond: number): string {
  return `${perSecond < 10 ? Number(perSecond.toFixed(1)) : thousands(perSecond)}/s`;
}

function endedIn({ ended }: Bucket): number {
  return SENT_STATUSES.reduce((total, part) => total + ended[part], 0);
}

function plot(course: TimeBuckets, title: string, drawn: readonly Html[], scale: string): Html {
  const { startMs, widthMs, buckets } = course;
  const halves = [1, 2, 3].map((at) => html`<line class="grid" x1="0" x2="${WIDTH}" y1="${at * 40}" y2="${at * 40}"/>`);
  const middleMs = startMs + (buckets.length * widthMs) / 2;
  return html`<div class="plot"><p aria-hidden="true">${scale}</p>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}">${halves}${drawn}</svg>
<p class="times" aria-hidden="true"><span>${clockTime(startMs)}</span><span>${clockTime(middleMs)}</span><span>${clockTime(startMs + buckets.length * widthMs)}</span></p></div>`;
}

function pauses({ buckets, widthMs }: TimeBuckets, step: number): Html[] {
  return buckets.map(({ pausedMs }, at) =>
    pausedMs > 0 ? rect('pause', at * step, 0, Math.max(1, (pausedMs / widthMs) * step), HEIGHT) : NOTHING,
  );
}

function marks({ buckets }: TimeBuckets, step: number): Html[] {
  return buckets.flatMap(({ refused, breaks }, at) => [
    ...(refused > 0 ? [rect('refused', at * step, 0, step, 5)] : []),
    ...(breaks > 0 ? [rect('break', at * step + step / 2 - 1.5, 0, 3, HEIGHT)] : []),
  ]);
}

function rect(name: string, x: number, y: number, width: number, height: number): Html {
  return html`<rect class="${name}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/>`;
}

const round = (length: number) => Math.round(length * 100) / 100;

function milliseconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms);
}

function clockTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
