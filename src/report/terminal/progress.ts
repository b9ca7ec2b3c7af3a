import type { Writable } from 'node:stream';
import { type Counts, SENT_STATUSES } from '../../request/log/status.ts';
import { clip, columnsOf, duration, thousands } from '../output.ts';

/** The state of an import for its progress line. */
interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly counts: Partial<Counts>;
}

export interface Progress {
  update(state: ProgressState): void;
  end(): void;
}

/** Length of the window over which the current rate is measured. */
const RATE_WINDOW_MS = 10_000;
/** Minimum time between two redraws. A longer one looks jerky, and a shorter one cannot be read. */
const REDRAW_MS = 200;
/**
 * The time until the first line of progress if there is no terminal. Each interval is twice the one before, up to the
 * maximum below, so that the log of a night's run stays readable.
 */
const FIRST_LINE_MS = 5_000;
const MAX_BETWEEN_LINES_MS = 300_000;
/** Minimum time and number of rows before the remaining time is estimated. Until then the rate is still being found. */
const MIN_STEADY_MS = 5_000;
const MIN_STEADY_ROWS = 10;
/** Length of the bar. Even with the longest figures the line fits in 80 columns. */
const BAR_PLACES = 12;

export const noProgress: Progress = { update: () => {}, end: () => {} };

/**
 * Returns a progress that measures the current rate, estimates the remaining time, and shows lines with both: often and with a
 * bar if one line is redrawn, or else at growing intervals.
 */
export function shownProgress(
  label: string,
  monotonicMs: () => number,
  isRedrawn: boolean,
  show: (line: string) => void,
): Progress['update'] {
  const startedMs = monotonicMs();
  const marks = [{ atMs: startedMs, done: 0 }];
  let [shownMs, waitMs] = [startedMs, isRedrawn ? REDRAW_MS : FIRST_LINE_MS];

  function figures({ done, total, counts }: ProgressState, atMs: number): string {
    const [first = { atMs, done }] = marks;
    const tookMs = atMs - first.atMs;
    const perSecond = tookMs > 300 && done > first.done ? ((done - first.done) / tookMs) * 1000 : null;
    const share =
      total > 0 ? `${thousands(done)}/${thousands(total)} (${Math.floor((done / total) * 100)} %)` : thousands(done);
    const rate = perSecond === null ? [] : [`${perSecond < 10 ? perSecond.toFixed(1) : thousands(perSecond)} leads/s`];
    const isSteady = atMs - startedMs >= MIN_STEADY_MS && done >= MIN_STEADY_ROWS;
    const left =
      perSecond === null || !isSteady || total <= done ? [] : [`${duration(((total - done) / perSecond) * 1000)} left`];
    const told = SENT_STATUSES.flatMap((status) => (counts[status] ? [`${thousands(counts[status])} ${status}`] : []));
    return [share, ...rate, ...left, ...told].join(' · ');
  }

  return (state) => {
    const atMs = monotonicMs();
    if (atMs - (marks.at(-1)?.atMs ?? 0) >= REDRAW_MS) marks.push({ atMs, done: state.done });
    while (marks.length > 2 && atMs - (marks[1]?.atMs ?? atMs) > RATE_WINDOW_MS) marks.shift();
    if (atMs - shownMs < waitMs) return;
    [shownMs, waitMs] = [atMs, isRedrawn ? REDRAW_MS : Math.min(waitMs * 2, MAX_BETWEEN_LINES_MS)];
    show([label, ...(isRedrawn ? barOf(state) : []), figures(state, atMs)].join(' '));
  };
}

/** Draws the bar, or nothing if the total is not known. */
function barOf({ done, total }: ProgressState): string[] {
  if (total === 0) return [];
  const full = Math.min(BAR_PLACES, Math.floor((done / total) * BAR_PLACES));
  return ['█'.repeat(full) + '░'.repeat(BAR_PLACES - full)];
}

/** Columns of the spinner, including one that stays free so that the terminal does not wrap the line. */
const SPINNER_PLACES = 3;
/** The interval between two frames of the spinner. The library's default is 12 redraws a second. */
const SPIN_MS = 120;

/** Returns a line of a terminal that can be redrawn. */
export async function redrawnLine(label: string, stream: Writable, fitted: (line: string) => string) {
  // The library is loaded only for terminals, because loading it takes as long as everything else in a report.
  const { default: ora } = await import('ora');
  const spinner = ora({
    text: label,
    stream: stream as NodeJS.WriteStream,
    interval: SPIN_MS,
    spinner: { frames: ['-', '\\', '|', '/'] },
    discardStdin: false,
    isEnabled: true,
  }).start();
  return {
    show(line: string): void {
      spinner.text = fitted(clip(line, (columnsOf(stream) ?? Number.POSITIVE_INFINITY) - SPINNER_PLACES));
    },
    end: () => void spinner.stop(),
  };
}
