import { basename } from 'node:path';
import type { Context } from '../cli/context.ts';
import { inputName, planWithProgress, readInput } from '../cli/input.ts';
import { warnOfWrongLog } from '../cli/profiles.ts';
import { finishOnSignal, openSession, recordingsBeside, type SessionUse } from '../cli/session.ts';
import type { BulkOptions, PlanOptions } from '../cli/table/options.ts';
import { optimizeForRows } from '../cli/v8-flags.ts';
import { type ImportDeps, type ImportUi, runImport } from '../delivery/import.ts';
import { reportRows } from '../delivery/report-rows.ts';
import type { ImportPlan, RowReport } from '../request/log/import-plan.ts';
import type { RunBegin, RunNotes } from '../request/log/log-store.ts';
import { countReason, type ReasonCounts } from '../request/log/outcome.ts';
import { agreedPlan, sayPlan } from './agree.ts';
import { confirmImport } from './consent.ts';
import type { RunEvents } from './events.ts';
import { type Output, openOutput } from './outputs.ts';
import { requireAnswers } from './questions.ts';
import { openResults, requireOneStatus, writeRunResults } from './results.ts';
import { type EndOfRun, finishDryRun, finishRun } from './summary.ts';
import { showPass } from './watch.ts';

/**
 * Imports a file: reads and checks all of it, shows the plan, sends the requests once the user has agreed, and reports the
 * result of every row. With `--dry-run` it ends with the plan. `command` are the arguments that import this file alone.
 */
export async function importFile(
  context: Context,
  events: RunEvents,
  file: string,
  command: readonly string[],
  asked: BulkOptions,
): Promise<Pick<EndOfRun, 'exitCode' | 'stopped'>> {
  const openedMs = context.clock.monotonicMs();
  const opened = await openImport(context, file, command, asked, { validate: asked.validate });
  const { input, session } = opened;
  if (asked.dryRun) {
    // A dry run writes results only where the user wants them.
    const results = asked.results === undefined ? null : await openResults(context, file, input.table, asked.results);
    return { exitCode: await rehearse(opened, asked, openedMs, results), stopped: null };
  }
  const { preparation, destinationText: where } = session;
  const options = { ...asked, validate: session.validates };
  requireAnswers(context, input, command, options);
  // A place that a flag names goes before the usual one of the results.
  const rule = { flag: '--report', kind: 'report', input: file, hint: ELSEWHERE };
  const page = options.report === undefined ? null : await openOutput(context, options.report, rule);
  const results = await openResults(context, file, input.table, options.results);
  const log = await context.log.open(`bulk ${basename(file)}`, true);
  try {
    const { clock, halt } = context;
    const { note, flush } = (await context.log.store()).openNotes(context.run);
    const notes: RunNotes = {
      note(noted) {
        events.noted(noted);
        note(noted);
      },
      flush,
    };
    const enter = (await context.settings()).live ? 'asks' : 'sends';
    const { plan, remember, ...agreed } = await agreedPlan(session, { input, where, command, enter }, options, (now) =>
      planWithProgress(session, now, log, options),
    );
    events.plan(plan, file);
    await confirmImport(context, options, plan);
    // The time for reading and asking is not counted.
    const startedMs = clock.monotonicMs();
    optimizeForRows(plan.rows);
    await remember();
    notes.note(await beginNote(context, plan, file));
    // What an import comes to know while it runs, for its summary. The path of the results counts once they are written.
    const learned = {
      results: null as string | null,
      reasons: {} as ReasonCounts,
      asides: { withoutIdentifier: 0, unproven: 0 },
    };
    const ui: ImportUi = {
      watch: (pass) => showPass(context, pass, { file, events, asides: learned.asides }),
      async report(reports) {
        const rows = counted(events.withRows(file, reports), learned.reasons);
        await writeRunResults(context, results, plan, rows, { log, preparation });
        learned.results = results.path;
        // Its code is loaded only if it is needed, because it is large and few runs write a page.
        if (page) await (await import('./run-report.ts')).writeOwnPage(context, page);
      },
    };
    const connect: ImportDeps['connect'] = async (columnOf) => {
      const { concurrency } = options;
      // The sandbox in this process needs no adaptive rate.
      const rate = options.rate ?? (context.options.sandbox ? 'max' : 'auto');
      const refused = (http: number, pauseMs: number) =>
        notes.note({ event: 'refused', http, count: 1, pauseMs: Math.round(pauseMs) });
      const connection = await session.connect({ rate, concurrency, columnOf, refused });
      // From the first request on, the first signal lets requests in flight finish.
      finishOnSignal(context);
      return connection;
    };
    const stop = await runImport(
      plan,
      { log, notes, clock, halt, preparation, taken: () => session.takenBefore(), ui, connect },
      {
        ...options,
        maxErrors: options.maxErrors ?? null,
        settleMs: options.settle === undefined ? null : options.settle * 1000,
      },
    );
    const keepsStdout = options.events !== '-';
    const end = await finishRun(context, { ...agreed, ...learned, file, plan, startedMs, stop, keepsStdout });
    events.end(end);
    return end;
  } finally {
    await log.close();
  }
}

const ELSEWHERE = 'The log has all of it: srq report -o FILE writes it elsewhere.';

/** Counts the rows by their reasons. */
async function* counted(rows: AsyncIterable<RowReport>, reasons: ReasonCounts) {
  for await (const row of rows) {
    countReason(reasons, row.reason);
    yield row;
  }
}

/** Plans an open file and shows the plan. Returns the exit code. */
export async function rehearse(
  { file, command, input, session }: Awaited<ReturnType<typeof openImport>>,
  options: PlanOptions & Pick<BulkOptions, 'again'>,
  startedMs: number,
  results: Output | null = null,
): Promise<number> {
  const { context, preparation } = session;
  await warnOfWrongLog(context);
  const log = await session.logReader();
  const plan = await planWithProgress(session, input, log, options);
  await sayPlan(session, plan, 'nobody: this is a dry run');
  if (results !== null) {
    const rows = reportRows(plan, log, preparation, 'It would be sent.', 'ready');
    await writeRunResults(context, results, plan, rows, { log, preparation });
  }
  return finishDryRun(context, { file, plan, results: results?.path ?? null, command, startedMs });
}

/** Opens a file to import, or to queue with what `use` says otherwise. Nothing is written or sent yet. */
export async function openImport(
  context: Context,
  file: string,
  command: readonly string[],
  options: PlanOptions,
  use: Partial<SessionUse> = {},
) {
  const input = await readInput(context, file, options);
  requireOneStatus(input.table, file);
  const session = await openSession(context, {
    audio: recordingsBeside(file),
    needsNoLogin: options.dryRun === true,
    ...use,
  });
  return { file, command, input, session };
}

async function beginNote(context: Context, plan: ImportPlan, file: string): Promise<RunBegin> {
  const { profile, live, baseUrl } = await context.settings();
  const { rows, counts } = plan;
  return {
    ...{ event: 'begin', version: context.version, profile: profile.value, live, rows, counts },
    // Its folder may name people.
    file: basename(inputName(file)),
    service: baseUrl === null ? '' : new URL(baseUrl.value).host,
  };
}
