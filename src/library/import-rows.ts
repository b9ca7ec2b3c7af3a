import { type ImportDeps, type ImportUi, runImport } from '../delivery/import.ts';
import { planImport } from '../delivery/plan.ts';
import { mapRow } from '../delivery/prepare.ts';
import { requireOwnReferences } from '../delivery/sent-before.ts';
import { type SubmitOptions, shown } from '../delivery/submit.ts';
import type { Mapping } from '../request/lead/table.ts';
import type { RowReport } from '../request/log/import-plan.ts';
import type { RowResult } from '../request/log/outcome.ts';
import { noCounts, withUntriedAsFailed } from '../request/log/status.ts';
import { isLoopback } from '../request/small.ts';
import { SrqError } from '../request/words/errors.ts';
import type { ImportedRow, ImportOptions, ImportResult } from './api.ts';
import type { LibraryHost } from './host.ts';
import { forProgram } from './program-words.ts';
import { mappingOf, type RowTable } from './rows.ts';
import { endedBySignal } from './signals.ts';

/** The options of an import, with how its requests are sent. */
type ImportSettings = Omit<ImportOptions, keyof SubmitOptions> & SubmitOptions;

export async function importTable(
  table: RowTable,
  host: LibraryHost,
  { preparation, halt }: Pick<ImportDeps, 'preparation' | 'halt'>,
  settings: ImportSettings,
): Promise<ImportResult> {
  const log = await host.openLog();
  if (table.count === 0) return halt.signal.aborted ? { ...NOTHING, stopped: endedBySignal() } : NOTHING;
  const results: ImportedRow[] = [];
  const { name: file = 'importRows', inDoubt = 'validate', settleMs = null, onResult } = settings;
  const mapping = mappingOf(table);
  const telling = resultTeller(onResult, halt);
  const store = await host.log.store();
  const notes = store.openNotes(log.run);
  const taken = () => host.takenBefore();
  const rules = { ...settings, taken };
  const plan = await planImport({ table, mapping }, { skip: 0, limit: null }, preparation, log, rules, () => {});
  if (!settings.again) await requireOwnReferences(plan, log, OTHER_LEADS);
  const { version } = host;
  const { profile, concurrency } = host.settings;
  const { baseUrl } = preparation.destination;
  const service = { service: new URL(baseUrl).host, live: !isLoopback(baseUrl) };
  notes.note({ event: 'begin', version, file, profile, ...service, rows: plan.rows, counts: plan.counts });
  const ui: ImportUi = {
    watch: async () => ({ row: (sent) => telling.tell(shown(sent)), waiting: () => {}, end: () => {} }),
    report: async (reports) => {
      for await (const report of reports) results.push(importedRow(report, mapping));
    },
  };
  const connect: ImportDeps['connect'] = async () => {
    const connection = await host.connection();
    host.refused = (http, pauseMs) => notes.note({ event: 'refused', http, count: 1, pauseMs: Math.round(pauseMs) });
    return { ...connection, api: connection.api.until(halt.signal) };
  };
  const deps: ImportDeps = { log, notes, halt, clock: host.clock, preparation, taken, ui, connect };
  const maxErrors = limitOf(settings.maxErrors);
  const stop = await runImport(plan, deps, { ...settings, concurrency, inDoubt, settleMs, maxErrors });
  await telling.done();
  const { ready: _, ...counts } = withUntriedAsFailed(plan.ledger.counts());
  // The import aborts the controller only when it returns a reason to stop. Otherwise the signal has aborted it.
  const stopped = stop ? forProgram(stop) : halt.signal.aborted ? endedBySignal() : null;
  return { rows: results.length, counts, results, stopped };
}

function importedRow(report: RowReport, mapping: Mapping): ImportedRow {
  const { row, status, ids, message, reason, record, problems } = report;
  const { ref } = row.problem === null ? mapRow(row, mapping).fields : {};
  const [key, http] = [record?.key ?? null, record?.http ?? null];
  return { row: row.number, ref: ref?.trim() || null, key, status, ids, http, message, reason, problems };
}

const OTHER_LEADS = 'If they are other leads, give each a ref of its own, or none. To create them in any case: again.';

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

function limitOf(maxErrors: ImportOptions['maxErrors']) {
  if (maxErrors === undefined) return null;
  return { count: Number.parseFloat(String(maxErrors)), percent: typeof maxErrors === 'string' };
}
