import { basename, dirname, join } from 'node:path';
import { SrqError } from '../../model/errors.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import type { AudioReader } from '../../model/ports.ts';
import type { QueuedRequest, RequestQueue } from '../../model/request-queue.ts';
import type { Destination } from '../../model/service-request.ts';
import type { Preparation } from '../../pipeline/prepare-row.ts';
import { submissions } from '../../pipeline/rows-again.ts';
import { enqueueText } from '../../report/queue-text.ts';
import { confirmImport, requireConsent } from '../bulk/consent.ts';
import { agreedPlan } from '../bulk/corrections.ts';
import type { BulkOptions } from '../bulk/options.ts';
import { type Input, planAloud, readInput } from '../bulk/plan.ts';
import { sayPlan } from '../bulk/say-plan.ts';
import { finishDryRun } from '../bulk/summary.ts';
import { commandLine, inFull } from '../command-line.ts';
import { destinationOf } from '../connect.ts';
import type { Context } from '../context.ts';
import { destinationText } from '../destination-text.ts';
import { exitNumber } from '../exit-codes.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { requireStore } from '../work/require-store.ts';

/** The flags of `enqueue`, which are some of those of `bulk`. */
export type EnqueueOptions = Omit<BulkOptions, 'again' | 'concurrency' | 'inDoubt'>;

const BATCH_ROWS = 500;

/** Reads and checks a file whole, shows what would happen, and queues the rows that are ready; none that is queued already. */
export async function enqueue(context: Context, file: string, given: EnqueueOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  const options: BulkOptions = { ...given, again: false, concurrency: 1, inDoubt: 'park' };
  const store = await requireStore(context, 'enqueue');
  const settings = await context.settings();
  if (!options.dryRun) requireConsent(context, settings, options);
  const input = await readInput(context, file, options);
  const destination = destinationOf(settings);
  const preparation = await preparationFor(context, destination, options);
  if (!options.dryRun) {
    await store.migrate();
    await context.warnOfFileLog();
  }
  const log = await store.openReader();
  context.onClose(() => log.close());
  const range = { skip: options.skip, limit: options.limit ?? null };
  const planFor = async (now: Input, where: string) => {
    const plan = await planAloud(context, now, preparation, log, range, options);
    await sayPlan(context, preparation.contract, plan, where);
    return plan;
  };
  if (options.dryRun) {
    return finishDryRun(context, await planFor(input, 'nowhere: this is a dry run'), file, startedMs);
  }
  const where = `the queue for ${await destinationText(context, destination)}`;
  const keepAt = join(file === '-' ? '.' : dirname(file), `${basename(file)}.mapping.json`);
  const { plan, command } = await agreedPlan(context, input, options, keepAt, (now) => planFor(now, where));
  if (plan.counts.ready > 0) await confirmImport(context, settings, options, plan);
  const { openQueue } = await import('../../postgres/postgres-queue.ts');
  const { signal: stopping } = context.interruption.halt;
  const queue = await openQueue({ database: store.database, destination, worker: null, stopping });
  context.onClose(() => queue.close());
  return queuePlan(context, plan, queue, preparation, { file, command, startedMs, store: store.name });
}

async function preparationFor(
  context: Context,
  destination: Destination,
  { validate, strict = false }: BulkOptions,
): Promise<Preparation> {
  const operations = validate ? (['create', 'validate'] as const) : (['create'] as const);
  return { destination, audio: noRecordings, contract: await context.contract(), operations, strict };
}

interface Run {
  readonly file: string;
  readonly command: readonly string[];
  readonly startedMs: number;
  readonly store: string;
}

async function queuePlan(
  context: Context,
  plan: ImportPlan,
  queue: RequestQueue,
  preparation: Preparation,
  { file, command, startedMs, store }: Run,
): Promise<number> {
  const { ready, repeated, duplicate, invalid, unknown } = plan.counts;
  const { queued, alreadyQueued } = await queueReady(context, plan, queue, preparation);
  const { code } = context.interruption;
  const isWhole = queued + alreadyQueued === ready;
  const seconds = Math.round(context.clock.monotonicMs() - startedMs) / 1000;
  const next = isWhole ? inFull('srq queue', context.options) : file === '-' ? null : commandLine(command);
  const stopped = isWhole ? null : 'Interrupted.';
  const notQueued = ready - queued - alreadyQueued;
  const counts = { queued, alreadyQueued, notQueued, repeated, duplicate, invalid, unknown };
  const document = { rows: plan.rows, ...counts, seconds, store, stopped, next };
  await (await context.reporter()).result(document, (paint) => enqueueText(document, paint));
  return exitNumber([...(code ? [code] : []), ...(invalid > 0 ? (['rejected'] as const) : [])]);
}

async function queueReady(context: Context, plan: ImportPlan, queue: RequestQueue, preparation: Preparation) {
  const { halt } = context.interruption;
  const reporter = await context.reporter();
  context.interruption.listen(() => reporter.warn('Ending with the rows at hand; press Ctrl-C again to leave now.'));
  const progress = await reporter.progress('Queueing');
  let [queued, seen] = [0, 0];
  const add = async (batch: readonly QueuedRequest[]) => {
    queued += await queue.add(batch);
    seen += batch.length;
    progress.update({ done: seen, total: plan.counts.ready, counts: {} });
  };
  let batch: QueuedRequest[] = [];
  try {
    for await (const { row, key, request } of submissions(plan, { preparation, halt }, 'ready', () => null)) {
      batch.push({ row, key, request });
      if (batch.length < BATCH_ROWS) continue;
      await add(batch);
      batch = [];
    }
    if (batch.length > 0) await add(batch);
  } finally {
    progress.end();
  }
  return { queued, alreadyQueued: seen - queued };
}

/** A path means nothing on another machine, and a recording is too large to lie in a queue. */
const noRecordings: AudioReader = {
  describe: () => Promise.reject(notQueued()),
  readBase64: () => Promise.reject(notQueued()),
};

function notQueued(): SrqError {
  const message = 'A row with a recording cannot be queued: workers on other machines do not have the file.';
  return new SrqError('input', `${message} Import such rows with srq bulk, which may use the same store.`);
}
