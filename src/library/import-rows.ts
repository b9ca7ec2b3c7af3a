import type { Connection } from '../account/connection.ts';
import { type ImportDeps, type ImportUi, runImport } from '../delivery/import.ts';
import type { Preparation } from '../delivery/prepare.ts';
import { runRowOf } from '../delivery/report-rows.ts';
import { type SubmitOptions, shown } from '../delivery/submit.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import { type LogStore, type OpenLog, type RunBegin, takenAt } from '../request/log/log-store.ts';
import type { RowResult } from '../request/log/outcome.ts';
import { noCounts, withUntriedAsFailed } from '../request/log/status.ts';
import type { Clock } from '../request/ports.ts';
import { isLoopback } from '../request/small.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Refused } from '../service/pacing/rate-limiter.ts';
import type { ImportedRow, ImportOptions, ImportResult } from './api.ts';
import { forProgram } from './program-words.ts';
import { mappingOf, type RowTable } from './rows.ts';
import { endedBySignal } from './signals.ts';

/** An open connection. */
export interface OpenedAccount {
  readonly connection: Connection;
  /** Replaces the function that is called when the service refuses because of the rate. */
  listen(refused: Refused): void;
}

interface RowsImportDeps {
  readonly log: OpenLog;
  readonly store: LogStore;
  readonly openAccount: () => Promise<OpenedAccount>;
  readonly preparation: Preparation;
  readonly halt: AbortController;
  readonly clock: Clock;
}

/** The options of an import, with those of the marketplace. */
interface ImportSettings extends Omit<ImportOptions, keyof SubmitOptions>, SubmitOptions {
  readonly concurrency: number;
  readonly profile: string;
  readonly version: string;
}

export async function importTable(
  table: RowTable,
  deps: RowsImportDeps,
  settings: ImportSettings,
): Promise<ImportResult> {
  const { preparation, halt } = deps;
  if (table.count === 0) return halt.signal.aborted ? { ...NOTHING, stopped: endedBySignal() } : NOTHING;
  const results: ImportedRow[] = [];
  const { name = 'importRows', inDoubt = 'validate', settleMs = null, onResult } = settings;
  const mapping = mappingOf(table);
  const telling = resultTeller(onResult, halt);
  const ui: ImportUi = {
    agree: (planTable) => planTable({ table, mapping }, () => {}),
    watch: async () => ({ row: (sent) => telling.tell(shown(sent)), waiting: () => {}, end: () => {} }),
    report: async (_, reports) => {
      for await (const report of reports) {
        const { market: _, at: __, ...result } = runRowOf(report, mapping, true);
        results.push(result);
      }
    },
  };
  const { plan, stop } = await runImport(
    importDeps(deps, settings, name),
    { preparation, ui },
    {
      ...settings,
      ...{ range: { skip: 0, limit: null }, inDoubt, settleMs, maxErrors: limitOf(settings.maxErrors) },
    },
  );
  await telling.done();
  const { ready: _, ...counts } = withUntriedAsFailed(plan.ledger.counts());
  // The import aborts the controller only when it returns a reason to stop. Otherwise the signal has aborted it.
  const stopped = stop ? forProgram(stop) : halt.signal.aborted ? endedBySignal() : null;
  return { rows: results.length, counts, results, stopped };
}

/** Calls the function of the program with each result. Its first error ends the import in order. */
function resultTeller(onResult: ImportOptions['onResult'], halt: AbortController) {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  return {
    tell(result: RowResult): void {
      if (failures.length > 0) return;
      // The function may be an async one, whose promise would otherwise end the process when it is rejected.
      const call = (async () => onResult?.(result))().catch((error: unknown) => {
        failures.push(error);
        halt.abort();
      });
      running.add(call);
      void call.then(() => running.delete(call));
    },
    /** Resolves when all calls have ended. Throws an error with the first of theirs as its cause. */
    async done(): Promise<void> {
      await Promise.all(running);
      if (failures.length === 0) return;
      const message = 'The function onResult failed, so the import ended. What was in flight is recorded.';
      throw new SrqError('interrupted.unfinished', message, 'Its error is the cause.', failures[0]);
    },
  };
}

const { ready: _, ...NO_COUNTS } = noCounts();
const NOTHING: ImportResult = { rows: 0, counts: NO_COUNTS, results: [], stopped: null };

function importDeps(deps: RowsImportDeps, settings: ImportSettings, name: string): ImportDeps {
  const { log, store, openAccount, halt, clock, preparation } = deps;
  const notes = store.openNotes(log.run);
  return {
    ...{ log, notes, clock, halt },
    taken: () => takenAt(store, preparation.destination),
    confirm: async (plan) => notes.note(beginNote(plan, settings, name, preparation.destination.baseUrl)),
    connect: async () => {
      const { connection, listen } = await openAccount();
      listen(notes.refused);
      return { ...connection, api: connection.api.until(halt.signal) };
    },
  };
}

/** Builds the note with which a run begins. */
function beginNote(
  { rows, counts }: ImportPlan,
  { profile, version, concurrency, onDuplicate }: ImportSettings,
  file: string,
  baseUrl: string,
): RunBegin {
  const settings = { concurrency: String(concurrency), onDuplicate };
  const service = new URL(baseUrl).host;
  return { event: 'begin', version, file, profile, live: !isLoopback(baseUrl), service, rows, counts, settings };
}

function limitOf(maxErrors: ImportOptions['maxErrors']) {
  if (maxErrors === undefined) return null;
  return { count: Number.parseFloat(String(maxErrors)), percent: typeof maxErrors === 'string' };
}
