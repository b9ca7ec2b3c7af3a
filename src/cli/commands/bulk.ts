import { basename, dirname, join } from 'node:path';
import { SrqError } from '../../model/errors.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import type { Destination } from '../../model/service-request.ts';
import { requireResultsPlace } from '../../report/results-file.ts';
import { requireReportPlace } from '../../report/run-report-file.ts';
import { confirmImport, requireConsent } from '../bulk/consent.ts';
import { agreedPlan } from '../bulk/corrections.ts';
import type { BulkOptions } from '../bulk/options.ts';
import { planAloud, readInput } from '../bulk/plan.ts';
import { runPlan } from '../bulk/run.ts';
import { sayPlan } from '../bulk/say-plan.ts';
import { finishDryRun } from '../bulk/summary.ts';
import { destinationOf } from '../connect.ts';
import type { Context } from '../context.ts';
import { destinationText } from '../destination-text.ts';
import { asOffered } from '../offered-validate.ts';
import { audioReader } from '../request-input.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { warnOfUnknownProfile } from '../unknown-profile.ts';

/** Imports a file: reads and checks it whole, shows what would happen, sends, and accounts for every row. */
export async function bulk(context: Context, file: string, asked: BulkOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  requireReportable(asked);
  const settings = await context.settings();
  if (!asked.dryRun) requireConsent(context, settings, asked);
  const input = await readInput(context, file, asked);
  const destination = asked.dryRun ? dryDestination(settings) : destinationOf(settings);
  const audio = audioReader(file === '-' ? '.' : dirname(file));
  const contract = await context.contract();
  const options = await asOffered(context, contract, asked);
  const operations = options.validate ? (['create', 'validate'] as const) : (['create'] as const);
  const say = (plan: ImportPlan, where: string) => sayPlan(context, contract, plan, where);
  const preparation = { destination, audio, contract, operations, strict: options.strict === true };
  const range = { skip: options.skip, limit: options.limit ?? null };

  if (options.dryRun) {
    await warnOfUnknownProfile(context);
    const log = await (await context.logStore()).openReader();
    context.onClose(() => log.close());
    const plan = await planAloud(context, input, preparation, log, range, options);
    await say(plan, 'nowhere: this is a dry run');
    return finishDryRun(context, plan, file, startedMs);
  }
  const results = options.results ?? beside(file, 'results.csv');
  await requireResultsPlace(results, file);
  if (options.report !== undefined) await requireReportPlace(options.report, '--report');
  const log = await context.openLog(`bulk ${basename(file)}`, true);
  const keepAt = beside(file, 'mapping.json');
  const { plan, command } = await agreedPlan(context, input, options, keepAt, async (now) => {
    const planned = await planAloud(context, now, preparation, log, range, options);
    await say(planned, await destinationText(context, destination));
    return planned;
  });
  if (plan.counts.ready > 0) await confirmImport(context, settings, options, plan);
  return runPlan(context, plan, log, preparation, options, { file, results, command, startedMs });
}

/** Throws `SrqError('usage')` for flags of a report that could not have an effect. */
function requireReportable({ report, includeInput, dryRun }: BulkOptions): void {
  if (includeInput && report === undefined) {
    throw new SrqError('usage', '--include-input is about a report.', 'Add: --report run.html');
  }
  if (dryRun && report !== undefined) {
    throw new SrqError('usage', 'A dry run has nothing to report.', 'Leave --report out, or --dry-run.');
  }
}

/** Keys depend on where requests go; a dry run without a login compares with an empty log. */
function dryDestination({ baseUrl, clientId }: Awaited<ReturnType<Context['settings']>>): Destination {
  return { baseUrl: baseUrl?.value ?? '', clientId: clientId?.value ?? '' };
}

/** `leads.csv` has its results in `leads.results.csv`, beside it. */
function beside(file: string, ending: string): string {
  if (file === '-') return `stdin.${ending}`;
  const name = basename(file).replace(/(?:\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx))?(?:\.gz)?$/i, '');
  return join(dirname(file), `${name}.${ending}`);
}
