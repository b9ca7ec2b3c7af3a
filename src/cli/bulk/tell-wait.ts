import type { Clock } from '../../model/ports.ts';
import type { Reporter } from '../../report/reporter.ts';

/** The doubts of a run begin to wait one after another; what is told is when the last of those is ripe. */
const GATHER_MS = 1_000;
/** Shorter waits are over before they are read of. */
const LEAST_TOLD_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;

/** Tells until when doubts wait, and again whenever that changes. Returns what is to be called as one begins to wait. */
export function tellWait(reporter: Reporter, clock: Clock, stopping: AbortSignal, rows: () => number) {
  let untilMs = 0;
  let told = '';
  let isTelling = false;
  const tell = () => {
    isTelling = false;
    const until = localTime(untilMs, clock.nowMs());
    if (until === told || stopping.aborted || untilMs - clock.nowMs() < LEAST_TOLD_MS) return;
    told = until;
    reporter.say(
      () =>
        `${rows()} in doubt: waiting until ${until}, then validate is asked about them. Ctrl-C leaves them to the next run.`,
    );
  };
  return (waitMs: number): void => {
    untilMs = Math.max(untilMs, clock.nowMs() + waitMs);
    if (isTelling) return;
    isTelling = true;
    void clock.sleep(GATHER_MS, stopping).then(tell);
  };
}

/** 14:05, and the day where that is not plain. */
function localTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const two = (part: number) => String(part).padStart(2, '0');
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (atMs - nowMs < DAY_MS) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}
