import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { planMapping } from '../../files/mapping.ts';
import { openTable } from '../../files/open-table.ts';
import { openLogIndex } from '../../log/read-log.ts';
import { SrqError, systemCode } from '../../model/errors.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import type { DeliveryLog } from '../../model/ports.ts';
import type { Destination } from '../../model/service-request.ts';
import type { Mapping, Table } from '../../model/table.ts';
import { planImport } from '../../pipeline/plan-import.ts';
import type { Preparation } from '../../pipeline/prepare-row.ts';
import { planText } from '../../report/plan-text.ts';
import { destinationOf } from '../connect.ts';
import type { Context } from '../context.ts';
import { audioReader } from '../request-input.ts';
import { spoolStdin } from '../spool.ts';
import { confirmImport, requireConsent } from './bulk-consent.ts';
import type { BulkOptions } from './bulk-options.ts';
import { runPlan } from './bulk-run.ts';
import { finishDryRun } from './bulk-summary.ts';

/** Imports a file: reads and checks it whole, shows what would happen, sends, and accounts for every row. */
export async function bulk(context: Context, file: string, options: BulkOptions): Promise<number> {
  const startedMs = context.clock.monotonicMs();
  const settings = await context.settings();
  if (!options.dryRun) requireConsent(context, settings, options);
  const path = file === '-' ? await spoolStdin(context) : file;
  const table = await openInput(path, options);
  const mapping = await mappingOf(table, options);
  const destination = options.dryRun ? dryDestination(settings) : destinationOf(settings);
  const audio = audioReader(file === '-' ? '.' : dirname(file));
  const preparation = { destination, audio, strict: options.strict === true };

  if (options.dryRun) {
    const log = await openLogIndex((await context.paths()).log);
    const plan = await planAloud(context, table, mapping, preparation, log, options);
    await sayPlan(context, plan, 'nowhere: this is a dry run');
    return finishDryRun(context, plan, file, startedMs);
  }
  const log = await context.openLog(`bulk ${basename(file)}`, true);
  const plan = await planAloud(context, table, mapping, preparation, log, options);
  const kind = context.options.sandbox
    ? 'the sandbox in this process'
    : `profile ${settings.profile.value}, ${settings.live ? 'live' : 'test'}`;
  await sayPlan(context, plan, `${destination.baseUrl} as client ${destination.clientId} (${kind})`);
  if (plan.counts.ready > 0) await confirmImport(context, settings, options, plan);
  const results = options.results ?? resultsPath(file);
  return runPlan(context, plan, log, preparation, options, { file, results, startedMs });
}

function openInput(path: string, options: BulkOptions): Promise<Table> {
  const { format = null, encoding = null, delimiter = null, skipLines } = options;
  return openTable(path, { format, encoding, delimiter, skipLines });
}

/** Keys depend on where requests go; a dry run without a login compares with an empty log. */
function dryDestination({ baseUrl, clientId }: Awaited<ReturnType<Context['settings']>>): Destination {
  return { baseUrl: baseUrl?.value ?? '', clientId: clientId?.value ?? '' };
}

async function mappingOf(table: Table, options: BulkOptions): Promise<Mapping> {
  const stored = options.mapping === undefined ? { map: {}, set: {} } : await readMapping(options.mapping);
  const map = { ...stored.map, ...Object.fromEntries(options.map) };
  const set = { ...stored.set, ...Object.fromEntries(options.set) };
  const mapping = planMapping(table.columns, { map, set });
  if (options.saveMapping !== undefined) {
    const known = mapping.sources.filter(({ how, template }) => how === 'first' && template === null);
    const found = known.flatMap(({ field, columns }) =>
      columns.map((at) => [mapping.columns[at] ?? '', field] as const),
    );
    await writeFile(
      options.saveMapping,
      `${JSON.stringify({ map: { ...Object.fromEntries(found), ...map }, set }, null, 2)}\n`,
    );
  }
  return mapping;
}

async function readMapping(path: string): Promise<{ map: Record<string, string>; set: Record<string, string> }> {
  const { z } = await import('zod');
  const texts = z.record(z.string(), z.string()).default({});
  try {
    return z.strictObject({ map: texts, set: texts }).parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const why = systemCode(error) || 'it is not {"map":{"COLUMN":"FIELD"},"set":{"FIELD":"VALUE"}}';
    throw new SrqError(
      'usage',
      `The mapping ${path} cannot be used (${why}).`,
      'Write one with --save-mapping FILE.',
      error,
    );
  }
}

async function planAloud(
  context: Context,
  table: Table,
  mapping: Mapping,
  preparation: Preparation,
  log: Pick<DeliveryLog, 'lookup'>,
  options: BulkOptions,
): Promise<ImportPlan> {
  const reporter = await context.reporter();
  const progress = reporter.progress('Reading');
  const range = { skip: options.skip, limit: options.limit ?? null };
  try {
    return await planImport(table, mapping, range, preparation, log, options, (rows) =>
      progress.update({ done: rows, total: 0, counts: {} }),
    );
  } finally {
    progress.end();
  }
}

async function sayPlan(context: Context, plan: ImportPlan, destination: string): Promise<void> {
  const reporter = await context.reporter();
  reporter.say((paint) => planText(plan, destination, paint));
}

/** `leads.csv` has its results in `leads.results.csv`, beside it. */
function resultsPath(file: string): string {
  if (file === '-') return 'stdin.results.csv';
  return join(dirname(file), `${basename(file).replace(/\.(?:csv|tsv|txt|json|ndjson|jsonl)$/i, '')}.results.csv`);
}
