import type { Writable } from 'node:stream';
import ora from 'ora';
import type { Progress } from '../reporter.ts';
import { ProgressMeter, REDRAW_MS } from './progress.ts';

/** The interval between two frames of the spinner. The library's default is 12 redraws a second. */
const SPIN_MS = 120;

/** Returns a progress that redraws one line of a terminal. */
export function redrawnProgress(label: string, stream: Writable, monotonicMs: () => number): Progress {
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
