import type { Context } from '../../cli/context.ts';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import type { Pass } from '../../delivery/import.ts';
import type { EventStream, RunEvent } from '../../report/event-stream.ts';
import type { ImportPlan, RowReport } from '../../request/log/import-plan.ts';
import type { RunListener } from '../../request/log/log-store.ts';
import type { RowResult } from '../../request/log/outcome.ts';
import { sumOfCounts } from '../../request/log/status.ts';
import type { Clock } from '../../request/ports.ts';
import { type Failure, SrqError } from '../../request/words/errors.ts';
import { requireOwnPlaces } from '../output-places.ts';
import type { BulkOptions } from './flags.ts';
import type { PassObserver, PassState } from './show-import.ts';
import { plannedCounts, withoutReady } from './summary.ts';

/** Minimum time between two events about the progress of a pass. */
const PROGRESS_MS = 1_000;

interface End extends Pick<Extract<RunEvent, { event: 'end' }>, 'exitCode' | 'summary'> {
  readonly stopped: Omit<Failure, 'hint'> | null;
}

/** The flags that decide where events are written, and those that name other outputs. */
type EventOptions = Pick<BulkOptions, 'events' | 'onEnd' | 'dryRun' | 'results' | 'report'> & {
  readonly saveMapping?: string;
  readonly healthFile?: string;
};

/**
 * Reports a run as events, if `--events` or `--on-end` asks for them. It has no counts of its own: rows come from their
 * results, progress from the counts that people see, and of pauses and refusals it is told with the notes on the run.
 */
export class RunEvents implements RunListener {
  readonly #stream: EventStream | null;
  readonly #run: string;
  readonly #clock: Clock;
  #end: RunEvent | null = null;

  private constructor(stream: EventStream | null, { run, clock }: Context) {
    this.#stream = stream;
    this.#run = run;
    this.#clock = clock;
  }

  /** Opens the events of a command. Throws `SrqError('usage')` if they cannot be written where the flag says. */
  static async open(context: Context, options: EventOptions): Promise<RunEvents> {
    const { onEnd } = options;
    requireRun(options);
    let events: RunEvents | null = null;
    if (onEnd !== undefined) {
      // The function registered first runs last. By then all events are written, and the command may read the log and
      // the events.
      context.onClose(async () => {
        if (events === null || events.#end === null) return;
        await runOnEnd(context, onEnd, events.#end);
      });
    }
    events = new RunEvents(await openStream(context, options), context);
    return events;
  }

  /** Runs the work of a command, and reports the error that ends it, if there is one. */
  async during(context: Context, work: () => Promise<number>): Promise<number> {
    try {
      return await work();
    } catch (error) {
      const code = context.interruption.code ?? (error instanceof SrqError ? error.code : 'fault');
      const stopped = error instanceof SrqError ? error : FAULT;
      this.end({ exitCode: EXIT_CODES[code].number, stopped, summary: null });
      throw error;
    }
  }

  plan(plans: readonly ImportPlan[], files: readonly string[]): void {
    this.#tell({
      event: 'plan',
      rows: plans.reduce((sum, { rows }) => sum + rows, 0),
      ...plannedCounts(sumOfCounts(plans.map(({ counts }) => counts))),
      files: plans.map(({ rows, counts }, at) => ({ file: files[at] ?? '', rows, ...plannedCounts(counts) })),
    });
  }

  /** Reports a pause of the breaker. */
  breakerOpened(pauseMs: number): void {
    this.#tell({ event: 'pause', seconds: pauseMs / 1000 });
  }

  /** Reports an answer 429 or 503, and the pause after it. */
  refused(http: number, pauseMs: number): void {
    this.#tell({ event: 'refused', http, seconds: Math.round(pauseMs) / 1000 });
  }

  /** Reports the outcome of a row. `file` is null for a queued request. */
  row(file: string | null, { message: _, ...result }: RowResult): void {
    this.#tell({ event: 'row', file, ...result });
  }

  /** Returns the observer that reports the rows of a pass while it runs. */
  observe(file: string, { is: pass, rows: total }: Pass): PassObserver {
    let toldMs = this.#clock.monotonicMs();
    const progress = ({ counts, done }: Pick<PassState, 'counts' | 'done'>) => {
      toldMs = this.#clock.monotonicMs();
      this.#tell({ event: 'progress', file, pass, done, total, ...withoutReady(counts) });
    };
    const row: PassObserver['row'] = (result, state) => {
      this.row(file, result);
      if (this.#clock.monotonicMs() - toldMs >= PROGRESS_MS) progress(state);
    };
    return { row, end: progress };
  }

  /** Yields the reports of a file unchanged, and reports the rows that no pass of this run has reported. */
  async *withRows(file: string, reports: AsyncIterable<RowReport>): AsyncGenerator<RowReport> {
    for await (const report of reports) {
      const { row, status, ids, record, reason } = report;
      const isTold = record?.run === this.#run && record.event !== 'sending' && status !== 'repeated';
      const { ref = null, key = null, http = null } = record ?? {};
      if (!isTold)
        await this.#stream?.tell({ event: 'row', file, row: row.number, ref, key, status, ids, http, reason });
      yield report;
    }
  }

  /** Reports the end of the run. */
  end({ exitCode, stopped, summary }: End): void {
    const error = stopped && { code: stopped.code, reason: stopped.reason, message: stopped.message };
    this.#end = { event: 'end', exitCode, error, summary };
    this.#tell(this.#end);
  }

  /** Writes an event. The run does not wait for the reader of the events. */
  #tell(event: RunEvent): void {
    void this.#stream?.tell(event);
  }
}

const FAULT = { code: 'fault', reason: 'srq.fault', message: 'There is an error in srq itself.' } as const;

/** Opens the place of `--events`, or returns null if there is none. */
async function openStream(context: Context, options: EventOptions): Promise<EventStream | null> {
  const { events: path } = options;
  if (path === undefined) return null;
  await requirePlaceOfItsOwn(context, path, options);
  const { EventStream, openEventFile } = await import('../../report/event-stream.ts');
  const { process, run, clock } = context;
  if (path === '-') return new EventStream(process.stdout, run, clock.nowMs);
  const reporter = await context.reporter();
  const { stream, close } = await openEventFile(path, context.uid, (code) =>
    reporter.warn(`The events ${path} can no longer be written (${code}). The run goes on.`),
  );
  context.onClose(close);
  return new EventStream(stream, run, clock.nowMs);
}

/** Throws `SrqError('usage')` for a dry run, because it has no events. */
function requireRun({ events, onEnd, dryRun }: EventOptions): void {
  const flag = events !== undefined ? '--events' : '--on-end';
  if (!dryRun || (events ?? onEnd) === undefined) return;
  const message = `${flag} and --dry-run cannot be used together: a dry run sends nothing. Nothing was sent.`;
  throw new SrqError('flags.contradict', message, `Leave ${flag} or --dry-run out.`);
}

/** Throws `SrqError('usage')` if another output is written to the place of the events. */
async function requirePlaceOfItsOwn(context: Context, path: string, others: EventOptions): Promise<void> {
  const { results, report, saveMapping, healthFile } = others;
  if (path === '-' && context.options.json) {
    throw new SrqError(
      'flags.contradict',
      `--events ${path} and --json cannot be used together: --json writes to standard output as well. Nothing was sent.`,
      'Leave one of them out, or name another file: --events FILE',
    );
  }
  await requireOwnPlaces(context, [
    ['--save-mapping', saveMapping],
    ['--results', results],
    ['--report', report],
    ['--health-file', healthFile],
    ['--events', path],
  ]);
}

/**
 * Runs the command of `--on-end` in the shell, with the end of the run on its standard input, and waits for it. Its
 * output goes to standard error, because standard output is for srq's result. A failure is only a warning. The warning
 * does not repeat the command, which may contain a password.
 */
async function runOnEnd(context: Context, command: string, end: RunEvent): Promise<void> {
  const { process, run, clock } = context;
  const { spawn } = await import('node:child_process');
  const child = spawn(command, { shell: true, env: process.env, stdio: 'pipe' });
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  // The command need not read its input.
  child.stdin.on('error', () => {});
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(`could not be started (${message})`));
    child.once('close', (code, signal) => {
      resolve(code === 0 ? null : `ended with ${signal === null ? `exit code ${code}` : signal}`);
    });
  });
  const { EventStream } = await import('../../report/event-stream.ts');
  await new EventStream(child.stdin, run, clock.nowMs).tell(end);
  child.stdin.end();
  const failed = await ended;
  if (failed !== null) await context.warn(`The command of --on-end ${failed}. The exit code of srq stays as it is.`);
}
