import { basename, dirname, join } from 'node:path';
import { commandLine, withoutOptions, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import { planWithProgress, readInput } from '../../cli/input.ts';
import { RequestSession } from '../../cli/session.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import { submissions } from '../../delivery/read-rows.ts';
import { thousands } from '../../report/output.ts';
import { enqueueText } from '../../report/terminal/queue-text.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import { operationsOf } from '../../request/operations.ts';
import type { AudioReader } from '../../request/ports.ts';
import type { QueuedRequest, RequestQueue } from '../../request/request-queue.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';
import { agreedPlan, type PlanOptions, rangeOf, requireAnswers, requireKnownFields } from '../bulk/agreement.ts';
import { confirmImport, planId, requireConsent, requireHoldable, requirePlan } from '../bulk/consent.ts';
import { dryRun } from '../bulk/dry-run.ts';
import { refuseRehearsed, requireOneStatus } from '../bulk/results-place.ts';

const BATCH_ROWS = 500;

/** Queues a file: reads and checks all of it, shows the plan, and queues the rows that are ready and not yet queued. */
export async function enqueue(context: Context, file: string, asked: PlanOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  requireHoldable(context, asked);
  const store = await context.requireStore('enqueue');
  const options = { ...asked, again: false, queue: store.name };
  refuseRehearsed(context, file);
  requireConsent(context, await context.settings(), options);
  const input = await readInput(context, file, options);
  requireOneStatus(input.table, file);
  const operations = operationsOf(options);
  const session = await RequestSession.open(context, {
    audio: noRecordings,
    operations,
    strict: options.strict === true,
  });
  requireKnownFields(input.mapping, options.strict);
  // What is left after this command is another plan.
  const given = withoutOptions(context.process.argv.slice(2), ['--plan']);
  const opened = { file, input, session, command: given };
  if (options.dryRun) return dryRun(context, [opened], given, options, startedMs);
  requireAnswers(context, [opened], given, options);
  await context.requireKnownFileLog();
  await store.migrate();
  const log = await session.logReader();
  const where = `the queue for ${session.destinationText}`;
  const keepAt = join(file === '-' ? '.' : dirname(file), `${basename(file)}.mapping.json`);
  const wanted = { ...options, range: rangeOf(options) };
  const proposal = { input, where, command: given, keepAt, oneOfSeveral: null };
  const { plan, command, remember } = await agreedPlan(session, proposal, asked, (now) =>
    planWithProgress(session, now, log, wanted),
  );
  requirePlan(options.plan, () => planId([{ plan, preparation: session.preparation }], options));
  const queue = await openPlanned(session, store, plan);
  await confirmImport(context, options, [plan]);
  await remember();
  const confirmedMs = context.clock.monotonicMs();
  return queuePlan(session, plan, queue, { file, command, startedMs: confirmedMs, store: store.name });
}

/** Opens the queue, and warns if the rows of the plan would expire before the service has taken all. */
async function openPlanned(session: RequestSession, { database }: PostgresStore, plan: ImportPlan) {
  const { context, preparation } = session;
  const { openQueue } = await import('../../store/postgres/postgres-queue.ts');
  const { accountId, openAccountState } = await import('../../store/postgres/account.ts');
  const { QUEUED_LIFE_DAYS } = await import('../../store/postgres/boss.ts');
  const { rateSummary } = await import('../../service/pacing/account-rate.ts');
  const { destination, operations } = preparation;
  const { signal: stopping } = context.interruption.halt;
  const queue = await openQueue({ database, destination, worker: null, stopping });
  context.onClose(() => queue.close());
  const account = openAccountState(database, accountId(destination), context.run, stopping);
  const pace = await account.look('pace', rateSummary);
  await account.close();
  const callsPerSecond = pace?.ratePerSecond ?? null;
  if (callsPerSecond === null) return queue;
  const rows = plan.counts.ready + (await queue.depth()).requests.total;
  const days = (rows * operations.length) / callsPerSecond / DAY_S;
  if (days > QUEUED_LIFE_DAYS) {
    (await context.reporter()).warn(
      `At ${Number(callsPerSecond.toPrecision(2))} calls a second, as last seen, the queue with these rows takes up to ${thousands(Math.ceil(days))} days. A row that was not sent within ${QUEUED_LIFE_DAYS} days expires and is told as failed. Queue fewer at a time.`,
    );
  }
  return queue;
}

const DAY_S = 24 * 60 * 60;

interface Enqueued {
  readonly file: string;
  readonly command: readonly string[];
  readonly startedMs: number;
  readonly store: string;
}

async function queuePlan(
  session: RequestSession,
  plan: ImportPlan,
  queue: RequestQueue,
  { file, command, startedMs, store }: Enqueued,
): Promise<number> {
  const { context } = session;
  const { ready, repeated, duplicate, invalid, unknown } = plan.counts;
  const { queued, alreadyQueued } = await queueReady(session, plan, queue);
  const { code } = context.interruption;
  const isWhole = queued + alreadyQueued === ready;
  const seconds = Math.round(context.clock.monotonicMs() - startedMs) / 1000;
  const next = isWhole ? withProfileFlags('srq queue', context.options) : file === '-' ? null : commandLine(command);
  const stopped = isWhole ? null : context.interruption.failure(next && `To go on: ${next}`);
  const notQueued = ready - queued - alreadyQueued;
  const counts = { queued, alreadyQueued, notQueued, repeated, duplicate, invalid, unknown };
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  const document = { run: context.run, rows: plan.rows, ...counts, seconds, store, ...ending, next };
  await (await context.reporter()).result('enqueue', document, (paint) => enqueueText(document, paint));
  return exitNumber([...(code ? [code] : []), ...(invalid > 0 ? (['rejected'] as const) : [])]);
}

async function queueReady({ context, preparation }: RequestSession, plan: ImportPlan, queue: RequestQueue) {
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

/** Refuses recordings, because a path means nothing on another machine and a recording is too large for the queue. */
const noRecordings: AudioReader = {
  describe: () => Promise.reject(notQueued()),
  readBase64: () => Promise.reject(notQueued()),
};

function notQueued(): SrqError {
  const message = 'A row with a recording cannot be queued: workers on other machines do not have the file.';
  return new SrqError(
    'recording.not-queued',
    `${message} Import such rows with srq bulk, which may use the same store.`,
  );
}
