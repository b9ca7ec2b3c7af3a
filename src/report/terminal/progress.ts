import type { Writable } from 'node:stream';
import { SENT_STATUSES } from '../../request/status.ts';
import { duration, thousands } from '../output.ts';
import type { Progress, ProgressState } from '../reporter.ts';

/** The length of the window over which the current rate is measured. */
const RATE_WINDOW_MS = 10_000;
/** Minimum time between two redraws. A longer one looks jerky, and a shorter one cannot be read. */
const REDRAW_MS = 200;
/**
 * The wait before the first line of progress without a terminal. Each wait is twice the one before, up to the maximum
 * below, so that the log of a night's run stays readable.
 */
const FIRST_LINE_MS = 5_000;
const MAX_BETWEEN_LINES_MS = 300_000;

export const noProgress: Progress = { update: () => {}, end: () => {} };

/** Returns a progress that writes plain lines, at growing intervals. */
export function linesProgress(label: string, stream: Writable, monotonicMs: () => number): Progress {
  const meter = new ProgressMeter(monotonicMs);
  let writtenMs = monotonicMs();
  let waitMs = FIRST_LINE_MS;
  return {
    update(state) {
      meter.note(state.done);
      if (monotonicMs() - writtenMs < waitMs) return;
      writtenMs = monotonicMs();
      waitMs = Math.min(waitMs * 2, MAX_BETWEEN_LINES_MS);
      stream.write(`${label} ${meter.describe(state)}\n`);
    },
    end: () => {},
  };
}

/** Measures the current rate and estimates the time left. */
class ProgressMeter {
  readonly #monotonicMs: () => number;
  #marks: { atMs: number; done: number }[] = [];

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#marks.push({ atMs: monotonicMs(), done: 0 });
  }

  note(done: number): void {
    const atMs = this.#monotonicMs();
    const last = this.#marks.at(-1);
    if (last && atMs - last.atMs < REDRAW_MS) return;
    this.#marks.push({ atMs, done });
    while (this.#marks.length > 2 && atMs - (this.#marks[1]?.atMs ?? atMs) > RATE_WINDOW_MS) this.#marks.shift();
  }

  describe({ done, total, counts }: ProgressState): string {
    const share =
      total > 0 ? `${thousands(done)}/${thousands(total)} (${Math.floor((done / total) * 100)} %)` : thousands(done);
    const perSecond = this.#perSecond(done);
    const rate = perSecond === null ? [] : [`${perSecond < 10 ? perSecond.toFixed(1) : thousands(perSecond)}/s`];
    const left = perSecond === null || total <= done ? [] : [`${duration(((total - done) / perSecond) * 1000)} left`];
    const shown = SENT_STATUSES.flatMap((status) => (counts[status] ? [`${thousands(counts[status])} ${status}`] : []));
    return [share, ...rate, ...left, ...shown].join(' · ');
  }

  #perSecond(done: number): number | null {
    const first = this.#marks[0];
    const tookMs = first ? this.#monotonicMs() - first.atMs : 0;
    return first && tookMs > 300 && done > first.done ? ((done - first.done) / tookMs) * 1000 : null;
  }
}

/** The interval between two frames of the spinner. The library's default is 12 redraws a second. */
const SPIN_MS = 120;

/** Returns a progress that redraws one line of a terminal. */
export async function redrawnProgress(label: string, stream: Writable, monotonicMs: () => number): Promise<Progress> {
  // The library is loaded only for terminals, because loading it costs as much as all the rest of a report.
  const { default: ora } = await import('ora');
  const spinner = ora({
    text: label,
    stream: stream as NodeJS.WriteStream,
    interval: SPIN_MS,
    discardStdin: false,
    isEnabled: true,
  });
  const meter = new ProgressMeter(monotonicMs);
  let drawnMs = Number.NEGATIVE_INFINITY;
  spinner.start();
  return {
    update(state) {
      meter.note(state.done);
      if (monotonicMs() - drawnMs < REDRAW_MS) return;
      drawnMs = monotonicMs();
      spinner.text = `${label} ${meter.describe(state)}`;
    },
    end: () => void spinner.stop(),
  };
}
