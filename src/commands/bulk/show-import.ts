import type { Context } from '../../cli/context.ts';
import type { Pass, PassWatch } from '../../delivery/import.ts';
import type { Submitted } from '../../delivery/submit.ts';
import type { Reporter } from '../../report/reporter.ts';
import type { Clock } from '../../request/ports.ts';
import { noCounts } from '../../request/status.ts';

/** Rows among the created of one run. */
export interface Asides {
  /** The service took them and named no identifier. */
  withoutIdentifier: number;
  /** It took them and told of an error besides. */
  withRemark: number;
}

/** Shows a pass of an import; creations that are told with less, or with more, than an identifier are added to `asides`. */
export async function showPass(context: Context, pass: Pass, asides: Asides): Promise<PassWatch> {
  const reporter = await context.reporter();
  const { is, rows } = pass;
  if (is === 'settling') {
    reporter.say(() => `${rows} in doubt: ${settlingText(pass)}.`);
    return showSettling(context, 'Settling what is in doubt', rows, pass.stillInDoubt);
  }
  if (is !== 'sending') return showRows(reporter, 'Looking what other runs made of theirs', rows);
  return showRows(reporter, 'Sending', rows, ({ result, hasRemark }) => {
    if (result.status === 'created' && Object.keys(result.ids).length === 0) asides.withoutIdentifier += 1;
    if (hasRemark) asides.withRemark += 1;
  });
}

function settlingText({ byKey, byValidate }: Extract<Pass, { is: 'settling' }>): string {
  if (!byKey) return 'validate is asked about each once it is old enough';
  const repeated = 'each is sent once more under its idempotency key';
  return byValidate ? `${repeated}; about those that are too old for that validate is asked` : repeated;
}

/** Shows how doubts are settled: until when they wait, and why those stay that do, each reason once. */
export async function showSettling(
  context: Context,
  label: string,
  total: number,
  stillInDoubt: () => number,
): Promise<PassWatch> {
  const { clock, interruption } = context;
  const reporter = await context.reporter();
  const reasons = new Map<string, number>();
  const waiting = tellWait(reporter, clock, interruption.halt.signal, stillInDoubt);
  const watch = await showRows(reporter, label, total, ({ result: { status, message } }) => {
    if (status === 'unknown' && message !== null) reasons.set(message, (reasons.get(message) ?? 0) + 1);
  });
  const end = () => {
    watch.end();
    for (const [reason, count] of reasons)
      reporter.warn(`${count} ${count === 1 ? 'stays' : 'stay'} in doubt: ${reason}`);
  };
  return { ...watch, waiting, end };
}

/** Shows how many rows of a pass are done, and what the log could not keep of them. */
async function showRows(
  reporter: Reporter,
  label: string,
  total: number,
  note: (submitted: Submitted) => void = () => {},
): Promise<PassWatch> {
  const progress = await reporter.progress(label);
  const counts = noCounts();
  let done = 0;
  const row = (submitted: Submitted) => {
    const { result, unrecorded } = submitted;
    note(submitted);
    done += 1;
    counts[result.status] += 1;
    if (unrecorded) reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
    progress.update({ done, total, counts });
  };
  return { row, waiting: () => {}, end: () => progress.end() };
}

/** The doubts of a run begin to wait one after another; what is told is when the last of those is ripe. */
const GATHER_MS = 1_000;
/** Shorter waits are over before they are read of. */
const MIN_TOLD_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;

/** Tells until when doubts wait, and again whenever that changes. Returns what is to be called as one begins to wait. */
function tellWait(reporter: Reporter, clock: Clock, stopping: AbortSignal, rows: () => number) {
  let untilMs = 0;
  let told = '';
  let isTelling = false;
  const tell = () => {
    isTelling = false;
    const until = localTime(untilMs, clock.nowMs());
    if (until === told || stopping.aborted || untilMs - clock.nowMs() < MIN_TOLD_MS) return;
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
