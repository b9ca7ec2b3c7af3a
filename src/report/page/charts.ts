import { SENT_STATUSES } from '../../request/status.ts';
import { duration, thousands } from '../output.ts';
import { type Html, html, NOTHING } from './html.ts';
import { type Bucket, quantileMs, type TimeBuckets } from './time-buckets.ts';

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
export function shareBar(parts: readonly (readonly [string, number])[], max: number): Html {
  let x = 0;
  const bars = parts.map(([name, count]) => {
    const width = max > 0 ? (count / max) * WIDTH : 0;
    x += width;
    return html`<rect class="fill-${name}" x="${round(x - width)}" y="0" width="${round(width)}" height="10"/>`;
  });
  return html`<svg class="share" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

/** Draws the requests a second over the run by status, and marks pauses, refusals and the circuit breaker. */
export function throughputChart(course: TimeBuckets): Html {
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
export function answerTimeChart(course: TimeBuckets): Html {
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
export function courseTable({ buckets, startMs, widthMs }: TimeBuckets): Html {
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

export function answerTime(bucket: Bucket, share: number): string {
  const time = quantileMs(bucket, share);
  return time === null ? '–' : milliseconds(time);
}

export function speed(perSecond: number): string {
  return `${perSecond < 10 ? Number(perSecond.toFixed(1)) : thousands(perSecond)}/s`;
}

export function endedIn({ ended }: Bucket): number {
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
