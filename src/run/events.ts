import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from '../cli/context.ts';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import type { BulkOptions } from '../cli/table/options.ts';
import type { Pass } from '../delivery/import.ts';
import { terminalSafeJson, writeAll } from '../report/output.ts';
import { type DocumentOf, SCHEMA_VERSION } from '../request/documents/types.ts';
import type { ImportPlan, RowReport } from '../request/log/import-plan.ts';
import type { RunNote } from '../request/log/log-store.ts';
import type { RowResult } from '../request/log/outcome.ts';
import type { Counts } from '../request/log/status.ts';
import { type Failure, SrqError, systemCode } from '../request/words/errors.ts';
import { onlyPath, openNew } from './outputs.ts';
import { plannedCounts, withoutReady } from './summary.ts';

/** Minimum time between two events about the progress of a pass. */
const PROGRESS_MS = 1_000;

interface End extends Pick<Extract<RunEvent, { event: 'end' }>, 'exitCode' | 'summary'> {
  readonly stopped: Omit<Failure, 'hint'> | null;
}

/** Reports a run as events, if `--events` asks for them. */
export type RunEvents = Awaited<ReturnType<typeof openEvents>>;

/**
 * Opens the events of a command. They count nothing themselves: rows come from their results, progress from the counts that
 * people see, pauses and refusals from the notes on the run. Throws `SrqError('usage')` if they cannot be written where the
 * flag says.
 */
export async function openEvents(context: Context, { events }: Pick<BulkOptions, 'events'>) {
  if (events === '-' && context.options.json) {
    const message = '--events - and --json would both write to standard output. Nothing was sent.';
    throw new SrqError('flags.contradict', message, 'Leave one of them out, or name a file: --events FILE');
  }
  // No output of the command may be the log, which may not be there yet.
  const log = await context.log.place();
  if (log.kind === 'file') context.outputs.set(await onlyPath(log.path), log);
  const { clock } = context;
  const stream = events === undefined ? null : await openStream(context, events);

  /** Returns an event for other programs, as a line of JSON. */
  function lineOf({ event, ...members }: RunEvent): string {
    const head = { schemaVersion: SCHEMA_VERSION, event, at: new Date(clock.nowMs()).toISOString(), run: context.run };
    return `${terminalSafeJson({ ...head, ...members })}\n`;
  }

  /** Writes an event. The run does not wait for the reader of the events. */
  function tell(event: RunEvent): void {
    if (stream?.destroyed === false) stream.write(lineOf(event));
  }

  /** Reports the outcome of a row. `file` is null for a queued request. */
  function row(file: string | null, { message: _, ...result }: RowResult): void {
    tell({ event: 'row', file, ...result });
  }

  /** Reports the end of the run. */
  function end({ exitCode, stopped, summary }: End): void {
    const error = stopped && { code: stopped.code, reason: stopped.reason, message: stopped.message };
    tell({ event: 'end', exitCode, error, summary });
  }

  return {
    row,
    end,
    /** Runs the work of a command, and reports the error that ends it, if there is one. */
    async during(work: () => Promise<number>): Promise<number> {
      try {
        return await work();
      } catch (error) {
        const code = context.interruption.code ?? (error instanceof SrqError ? error.code : 'fault');
        const stopped = error instanceof SrqError ? error : FAULT;
        end({ exitCode: EXIT_CODES[code].number, stopped, summary: null });
        throw error;
      }
    },
    plan: ({ rows, counts }: ImportPlan, file: string): void =>
      tell({ event: 'plan', file, rows, ...plannedCounts(counts) }),
    /** Reports a note on the run that is an event of its own: a pause of the breaker, or an answer 429 or 503. */
    noted(note: RunNote): void {
      if (note.event === 'breaker') tell({ event: 'pause', seconds: note.pauseMs / 1000 });
      if (note.event === 'refused')
        tell({ event: 'refused', http: note.http, seconds: Math.round(note.pauseMs) / 1000 });
    },
    /** Returns what reports the rows of a pass, and now and then its progress. */
    observe(file: string, { is: pass, rows: total }: Pass) {
      let toldMs = clock.monotonicMs();
      const progress = ({ counts, done }: { readonly counts: Counts; readonly done: number }) => {
        toldMs = clock.monotonicMs();
        tell({ event: 'progress', file, pass, done, total, ...withoutReady(counts) });
      };
      const rowAndProgress = (result: RowResult, state: Parameters<typeof progress>[0]) => {
        row(file, result);
        if (clock.monotonicMs() - toldMs >= PROGRESS_MS) progress(state);
      };
      return { row: rowAndProgress, end: progress };
    },
    /** Yields the reports of a file unchanged, and reports the rows that no pass of this run has reported. */
    async *withRows(file: string, reports: AsyncIterable<RowReport>): AsyncGenerator<RowReport> {
      for await (const report of reports) {
        const { row, status, ids, record, reason } = report;
        const isTold = record?.run === context.run && record.event !== 'sending' && status !== 'repeated';
        const { ref = null, key = null, http = null } = record ?? {};
        const event = { event: 'row', file, row: row.number, ref, key, status, ids, http, reason } as const;
        // There may be a million of them, so the reader may catch up.
        if (!isTold && stream) await writeAll(stream, lineOf(event));
        yield report;
      }
    },
  };
}

const FAULT = { code: 'fault', reason: 'srq.fault', message: 'There is an error in srq itself.' } as const;

/** Opens the events of a command. Nothing depends on them, so a run goes on if they can no longer be written. */
async function openStream(context: Context, path: string): Promise<Writable> {
  if (path === '-') return context.process.stdout;
  const stream = (await openNew(context, path, { flag: '--events', kind: 'events' })).createWriteStream();
  stream.on('error', (error) =>
    context.reporter.warn(`The events ${path} can no longer be written (${systemCode(error)}). The run goes on.`),
  );
  context.onClose(() => finished(stream.end()).catch(() => {}));
  return stream;
}

/** An event of a run, without the members that all events have. */
export type RunEvent = Without<DocumentOf<'events'>, 'at' | 'run'>;

type Without<Union, Name extends string> = Union extends unknown ? Omit<Union, Name> : never;
