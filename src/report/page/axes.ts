import { thousands } from '../output.ts';
import type { TimeForm } from './time-forms.ts';

/** A mark on an axis. `share` is its place from 0, the beginning of the axis, to 1, its end. */
interface Tick {
  readonly share: number;
  readonly label: string;
}

/** An axis of a chart, with the place of each value on it. */
interface Axis {
  readonly ticks: readonly Tick[];
  readonly shareOf: (value: number) => number;
}

const MAX_TICKS = 6;

/** Returns an axis of requests per second from 0 to at least `peak` with three to six round marks. */
export function rateAxis(peak: number): Axis {
  const step = roundUp(peak / (MAX_TICKS - 1));
  const count = Math.max(1, Math.ceil(peak / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, at) => ({
    share: at / count,
    label: `${numberText(at * step)}/s`,
  }));
  return { ticks, shareOf: (value) => value / (count * step) };
}

/** Returns a logarithmic axis of milliseconds that holds all times from `lowMs` to `peakMs`. */
export function timeSpanAxis(lowMs: number, peakMs: number): Axis {
  const values = [roundDown(lowMs)];
  for (let last = values[0] ?? 1; last < peakMs || values.length < 2; values.push(last)) last = roundUp(last * 1.5);
  const [first = 1, end = 10] = [values[0], values.at(-1)];
  const shareOf = (ms: number) => Math.max(0, Math.log(ms / first) / Math.log(end / first));
  // If there are too many marks, only the beginning of the axis and the powers of ten are labelled.
  const isShown = (ms: number) => values.length <= MAX_TICKS || ms === first || Number.isInteger(Math.log10(ms));
  const shown = values.filter(isShown);
  return { ticks: shown.map((ms) => ({ share: shareOf(ms), label: milliseconds(ms) })), shareOf };
}

/** Formats a round number without the traces of binary fractions: 0.6, not 0.6000000000000001. */
const numberText = (value: number): string => (value >= 1000 ? thousands(value) : String(Number(value.toPrecision(6))));
const milliseconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${numberText(ms / 1000)} s`);

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 4, 7, 14, 28].map((count) => count * DAY),
];
/**
 * Maximum numbers of steps on the time axis, so that a phone's screen has room for times of day, and for dates, which
 * are longer.
 */
const [MAX_TIMES, MAX_DATES] = [4, 3];

/** A mark on the axis of time. */
interface TimeTick {
  readonly share: number;
  readonly at: string;
  readonly form: TimeForm;
}

/** Returns at least one and at most five marks at round times between two times. */
export function timeTicks(startMs: number, endMs: number): TimeTick[] {
  const spanMs = endMs - startMs;
  const max = spanMs >= DAY ? MAX_DATES : MAX_TIMES;
  const stepMs = TIME_STEPS.find((step) => spanMs / step <= max) ?? spanMs;
  const form = spanMs >= DAY ? 'day' : stepMs >= MINUTE ? 'minute' : 'second';
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil(startMs / stepMs) * stepMs; at <= endMs; at += stepMs) {
    ticks.push({ share: (at - startMs) / spanMs, at: new Date(at).toISOString(), form });
  }
  return ticks;
}

/** Returns the least 1, 2 or 5 times a power of ten that is not below a value. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value * (1 - 1e-9)) ?? 10 * power;
}

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2].map((factor) => factor * power).find((each) => each <= value * (1 + 1e-9)) ?? power;
}
