import { labelOf, SENT_STATUSES, type SentStatus, type Status } from '../../request/log/status.ts';
import { duration, thousands } from '../output.ts';
import { rateAxis, timeSpanAxis, timeTicks } from './axes.ts';
import { type Html, html, NOTHING } from './html.ts';
import { type Bucket, quantileMs, sumOf, type TimeBuckets } from './time-buckets.ts';
import { type TimeForm, timeText } from './time-forms.ts';

const DAY_MS = 86_400_000;

/** Returns the colour and the word of a status. */
export function tag(status: Status): Html {
  return html`<span class="tag tag-${status}">${labelOf(status)}</span>`;
}

/** Formats a time as an element that the page's script shows on the reader's clock, with UTC beside it. */
export function moment(at: string, form: TimeForm = 'full'): Html {
  return html`<time datetime="${at}" data-form="${form}">${timeText(at, form)} UTC</time>`;
}

/** Returns a table that scrolls by itself if it is wider than the page. */
export function wideTable(label: string, content: Html): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table class="numbers">${content}</table></div>`;
}

/**
 * Draws shares of `total` as one bar. It is hidden from screen readers, because the table beside it has the same
 * figures.
 */
export function shareBar(parts: readonly (readonly [string, number])[], total: number): Html {
  let x = 0;
  const bars = parts.map(([name, count]) => {
    const width = total > 0 ? count / total : 0;
    x += width;
    return rect(`fill-${name}`, x - width, 0, width, 1);
  });
  return html`<svg class="share" aria-hidden="true">${bars}</svg>`;
}

/** Returns the section on the throughput and the answer times over the run. */
export function course({ course: found }: { readonly course: TimeBuckets }): Html {
  const all = sumOf(found.buckets);
  const ended = endedIn(all);
  if (ended === 0) return html`<p class="empty">No outcome is recorded yet.</p>`;
  const seconds = Math.max(1, (found.buckets.length * found.widthMs) / 1000);
  const hasTimes = quantileMs(all, 0.5) !== null;
  const answers = hasTimes
    ? ` Answers: median ${answerTime(all, 0.5)}, 95 of 100 within ${answerTime(all, 0.95)}.`
    : '';
  return html`<p class="lead">${thousands(ended)} ${ended === 1 ? 'outcome' : 'outcomes'}, ${speed(ended / seconds)} on average.${answers} ${troubles(all)}</p>
<div class="charts"><figure><figcaption>Outcomes a second</figcaption>${throughputChart(found)}
${legend([...statusesOf(all).map(tag), ...markKeys(all)])}</figure>
${
  hasTimes
    ? html`<figure><figcaption>Answer time of the service, on a logarithmic scale</figcaption>${answerTimeChart(found)}
${legend([key('median', 'median'), key('band', 'up to 95 of 100'), ...pauseKey(all)])}</figure>`
    : NOTHING
}</div>
${courseTable(found, all)}`;
}

function troubles({ refused, breaks, pausedMs }: Bucket): string {
  const said = [
    ...(refused > 0 ? [`${thousands(refused)} ${refused === 1 ? 'answer was' : 'answers were'} 429 or 503`] : []),
    ...(breaks > 0 ? [`the breaker opened ${breaks === 1 ? 'once' : `${breaks} times`}`] : []),
    ...(pausedMs > 0 ? [`nobody sent for ${duration(pausedMs)}`] : []),
  ];
  return said.length > 0 ? `In between, ${said.join(', ')}.` : 'No pause is recorded.';
}

const legend = (keys: readonly Html[]): Html => html`<p class="legend">${keys}</p>`;
const key = (name: string, text: string): Html => html`<span class="key key-${name}">${text}</span>`;
const pauseKey = ({ pausedMs }: Bucket): Html[] => (pausedMs > 0 ? [key('pause', 'pause')] : []);

/** Returns the legend of a chart. It lists only marks that the chart has. */
function markKeys(all: Bucket): Html[] {
  return [
    ...(all.refused > 0 ? [key('refused', '429, 503')] : []),
    ...pauseKey(all),
    ...(all.breaks > 0 ? [key('break', 'breaker')] : []),
  ];
}

const statusesOf = ({ ended }: Bucket): SentStatus[] => SENT_STATUSES.filter((status) => ended[status] > 0);

/** Draws the outcomes a second over the run by status, and marks pauses, refusals and the circuit breaker. */
function throughputChart(found: TimeBuckets): Html {
  const { buckets, widthMs } = found;
  const perSecond = (count: number) => (count * 1000) / widthMs;
  const peak = Math.max(...buckets.map((bucket) => perSecond(endedIn(bucket))));
  const axis = rateAxis(peak);
  const step = 1 / buckets.length;
  const bars = buckets.flatMap((bucket, at) => {
    let y = 1;
    return statusesOf(bucket).map((part) => {
      const height = axis.shareOf(perSecond(bucket.ended[part]));
      y -= height;
      return rect(`fill-${part}`, (at + 0.08) * step, y, 0.84 * step, height);
    });
  });
  const title = `Outcomes a second over the run; at most ${speed(peak)}`;
  return plot(found, title, axis.ticks, [...pauses(found, step), ...bars, ...marks(found, step)]);
}

/** Draws the answer times of the service over the run as a band from the median to the 95th percentile. */
function answerTimeChart(found: TimeBuckets): Html {
  const times = found.buckets.map((bucket) => [quantileMs(bucket, 0.5), quantileMs(bucket, 0.95)] as const);
  const medians = times.flatMap(([median]) => (median === null ? [] : [median]));
  const peak = Math.max(...times.map(([, p95]) => p95 ?? 0), 1);
  const axis = timeSpanAxis(Math.max(0.5, Math.min(...medians)), peak);
  const y = (ms: number) => 1 - axis.shareOf(Math.max(ms, 0.5));
  const step = 1 / times.length;
  const bars = times.flatMap(([median, p95], at) => {
    if (median === null || p95 === null) return [];
    const [x, width] = [(at + 0.08) * step, 0.84 * step];
    return [rect('band', x, y(p95), width, y(median) - y(p95)), rect('median', x, y(median) - 0.01, width, 0.02)];
  });
  const title = `Time of the service's answers over the run; 95 of 100 within ${milliseconds(peak)} at the slowest`;
  return plot(found, title, axis.ticks, [...pauses(found, step), ...bars]);
}

/** Returns the figures of both charts as a table, without the intervals in which nothing happened. */
function courseTable({ buckets, startMs, widthMs }: TimeBuckets, all: Bucket): Html {
  const columns: (readonly [title: string, cell: (bucket: Bucket) => string])[] = [
    ...statusesOf(all).map((part) => [labelOf(part), ({ ended }: Bucket) => thousands(ended[part])] as const),
    ...(all.refused > 0 ? [['429, 503', ({ refused }: Bucket) => thousands(refused)] as const] : []),
    ...(all.breaks > 0 ? [['breaker', ({ breaks }: Bucket) => thousands(breaks)] as const] : []),
    ...(all.pausedMs > 0
      ? [['paused', ({ pausedMs }: Bucket) => (pausedMs > 0 ? duration(pausedMs) : '–')] as const]
      : []),
    ['median', (bucket) => answerTime(bucket, 0.5)],
    ['95 of 100', (bucket) => answerTime(bucket, 0.95)],
  ];
  const form = buckets.length * widthMs >= DAY_MS ? 'day' : 'second';
  const rows = buckets.flatMap((bucket, at) => {
    if (endedIn(bucket) + bucket.refused + bucket.breaks + bucket.pausedMs === 0) return [];
    const from = new Date(startMs + at * widthMs).toISOString();
    return html`<tr><th scope="row">${moment(from, form)}</th>${columns.map(([, cell]) => html`<td>${cell(bucket)}</td>`)}</tr>`;
  });
  const heads = ['From', ...columns.map(([title]) => title)].map((head) => html`<th scope="col">${head}</th>`);
  return html`<details><summary>The same as a table, ${duration(widthMs)} a line</summary>
${wideTable('Course of the run', html`<thead><tr>${heads}</tr></thead><tbody>${rows}</tbody>`)}</details>`;
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

/**
 * Returns a drawing with its axes. Positions are percentages, because the drawing is stretched to the page's width
 * while its texts keep their size. Screen readers read the title here, and the figures in the table.
 */
function plot(
  { startMs, widthMs, buckets }: TimeBuckets,
  title: string,
  ticks: readonly { readonly share: number; readonly label: string }[],
  drawn: readonly Html[],
): Html {
  const times = timeTicks(startMs, startMs + buckets.length * widthMs);
  const lines = ticks.map(
    ({ share }) => html`<line class="grid" x1="0" x2="100%" y1="${percent(1 - share)}" y2="${percent(1 - share)}"/>`,
  );
  const values = ticks.map(
    ({ share, label }) => html`<text x="100%" y="${percent(1 - share)}" dy="0.35em" text-anchor="end">${label}</text>`,
  );
  const dates = times.map(
    ({ share, at, form }) =>
      html`<text x="${percent(share)}" y="1.3em" text-anchor="middle" data-at="${at}" data-form="${form}">${timeText(at, form)}</text>`,
  );
  return html`<div class="plot"><svg class="y-axis" aria-hidden="true">${values}</svg>
<svg class="drawing" role="img" aria-label="${title}">${lines}${drawn}</svg>
<svg class="x-axis" aria-hidden="true">${dates}</svg></div>
<p class="axis-title">Time (<span data-zone>UTC</span>)</p>`;
}

function pauses({ buckets, widthMs }: TimeBuckets, step: number): Html[] {
  return buckets.map(({ pausedMs }, at) =>
    pausedMs > 0 ? rect('pause', at * step, 0, Math.max(0.001, (pausedMs / widthMs) * step), 1) : NOTHING,
  );
}

function marks({ buckets }: TimeBuckets, step: number): Html[] {
  return buckets.flatMap(({ refused, breaks }, at) => [
    ...(refused > 0 ? [rect('refused', at * step, 0, step, 0.04)] : []),
    ...(breaks > 0 ? [rect('break', (at + 0.5) * step - 0.0015, 0, 0.003, 1)] : []),
  ]);
}

function rect(name: string, x: number, y: number, width: number, height: number): Html {
  return html`<rect class="${name}" x="${percent(x)}" y="${percent(y)}" width="${percent(width)}" height="${percent(height)}"/>`;
}

const percent = (share: number): string => `${Math.round(share * 100_000) / 1000}%`;

function milliseconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms);
}
