import type { Context } from '../cli/context.ts';
import type { Pass, PassWatch } from '../delivery/import.ts';
import { type Sent, shown } from '../delivery/submit.ts';
import { rowsText } from '../report/output.ts';
import type { Reporter } from '../report/reporter.ts';
import type { RowResult } from '../request/log/outcome.ts';
import { type Counts, noCounts } from '../request/log/status.ts';
import type { Clock } from '../request/ports.ts';

/** Numbers of created rows that need a word. */
export interface Asides {
  /** Number of rows that the service created without naming an identifier. */
  withoutIdentifier: number;
}

/** Called for each row of a pass, with the state after it, and at the end of the pass. */
export interface PassObserver {
  row(result: RowResult, state: PassState): void;
  end(state: PassState): void;
}

/** The progress of a pass. */
export interface PassState {
  readonly done: number;
  readonly total: number;
  readonly counts: Counts;
}

const UNOBSERVED: PassObserver = { row: () => {}, end: () => {} };

/** Shows a pass of an import. Created rows without an identifier are counted in `asides`. */
export async function showPass(
  context: Context,
  pass: Pass,
  asides: Asides,
  observer: PassObserver,
): Promise<PassWatch> {
  const reporter = await context.reporter();
  const { is, rows } = pass;
  if (is === 'settling') {
    reporter.say(() => `${rowsText(rows)} with an unknown outcome: ${settlingText(pass)}.`);
    return showSettling(context, 'Settling unknown outcomes', rows, pass.stillInDoubt, observer);
  }
  return showRows(reporter, 'Sending', rows, observer, ({ status, ids }) => {
    if (status === 'created' && Object.keys(ids).length === 0) asides.withoutIdentifier += 1;
  });
}

function settlingText({ byKey, byValidate }: Extract<Pass, { is: 'settling' }>): string {
  if (!byKey) return 'validate is asked about each once it is old enough';
  const repeated = 'each is sent once more with its idempotency key';
  return byValidate ? `${repeated}; validate is asked about those that are too old for that` : repeated;
}

/** Shows the settling of requests in doubt: how long they wait, and why some remain. Each reason is shown only once. */
async function showSettling(
  context: Context,
  label: string,
  total: number,
  stillInDoubt: () => number,
  observer: PassObserver = UNOBSERVED,
): Promise<PassWatch> {
  const { clock, interruption } = context;
  const reporter = await context.reporter();
  const reasons = new Map<string, number>();
  const waiting = waitAnnouncer(reporter, clock, interruption.halt.signal, stillInDoubt);
  const watch = await showRows(reporter, label, total, observer, ({ status, message }) => {
    if (status === 'unknown' && message !== null) reasons.set(message, (reasons.get(message) ?? 0) + 1);
  });
  const end = () => {
    watch.end();
    for (const [reason, count] of reasons)
      reporter.warn(`${count} ${count === 1 ? 'stays' : 'stay'} unknown: ${reason}`);
  };
  return { ...watch, waiting, end };
}

/** Shows the progress of a pass, and the results that the log could not store. */
async function showRows(
  reporter: Reporter,
  label: string,
  total: number,
  observer: PassObserver,
  note: (sent: Sent) => void = () => {},
): Promise<PassWatch> {
  const progress = await reporter.progress(label);
  const counts = noCounts();
  let done = 0;
  const row = (sent: Sent) => {
    const result = shown(sent);
    note(sent);
    done += 1;
    counts[sent.status] += 1;
    if (sent.unrecorded) reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
    progress.update({ done, total, counts });
    observer.row(result, { done, total, counts });
  };
  const end = () => {
    progress.end();
    observer.end({ done, total, counts });
  };
  return { row, waiting: () => {}, end };
}

/** Time to collect waits that begin one after another, so that the end of the last one can be shown. */
const GATHER_MS = 1_000;
/** Minimum wait that is announced. Shorter ones end before the user has read the message. */
const MIN_ANNOUNCED_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns a function to call when a request in doubt begins to wait. It shows until when such requests wait, and shows
 * it again if that changes.
 */
function waitAnnouncer(reporter: Reporter, clock: Clock, stopping: AbortSignal, rows: () => number) {
  let untilMs = 0;
  let told = '';
  let isTelling = false;
  const tell = () => {
    isTelling = false;
    const until = localTime(untilMs, clock.nowMs());
    if (until === told || stopping.aborted || untilMs - clock.nowMs() < MIN_ANNOUNCED_MS) return;
    told = until;
    reporter.say(
      () =>
        `${rowsText(rows())} with an unknown outcome: waiting until ${until}, then asking validate. Ctrl-C leaves this to the next run.`,
    );
  };
  return (waitMs: number): void => {
    untilMs = Math.max(untilMs, clock.nowMs() + waitMs);
    if (isTelling) return;
    isTelling = true;
    void clock.sleep(GATHER_MS, stopping).then(tell);
  };
}

/** Formats a local time such as 14:05, with the date if it is a day or more ahead. */
function localTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const two = (part: number) => String(part).padStart(2, '0');
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (atMs - nowMs < DAY_MS) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}
