import { commandLine } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { codesOfCounts, exitNumber } from '../cli/exit-codes.ts';
import { planWithProgress, withProgress } from '../cli/input.ts';
import { finishOnSignal, type RequestSession } from '../cli/session.ts';
import type { PlanOptions } from '../cli/table/options.ts';
import { keepHeapSmall } from '../cli/v8-flags.ts';
import { submissions } from '../delivery/read-rows.ts';
import { enqueueText } from '../report/terminal/queue-text.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { RequestQueue } from '../request/log/request-queue.ts';
import { SrqError } from '../request/words/errors.ts';
import { agreedPlan } from '../run/agree.ts';
import { inBatches } from '../run/batches.ts';
import { confirmImport, requireConsent } from '../run/consent.ts';
import { openImport, rehearse } from '../run/import-file.ts';
import { requireAnswers } from '../run/questions.ts';
import { refuseRehearsed } from '../run/results.ts';
import { notSentAdvice } from '../run/summary.ts';

/** Queues a file: reads and checks all of it, shows the plan, and queues the rows that are ready and not yet queued. */
export async function enqueue(context: Context, file: string, asked: PlanOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  const store = await context.log.postgresStore();
  const options = { ...asked, again: false };
  refuseRehearsed(context, file);
  const settings = await context.settings();
  requireConsent(context, settings, options);
  const given = context.process.argv.slice(2);
  const use = { audio: refuseRecording, needsNoLogin: false };
  const opened = await openImport(context, file, given, options, use);
  if (options.dryRun) return rehearse(opened, options, startedMs);
  const { input, session } = opened;
  requireAnswers(context, input, given, options);
  await context.log.requireKnown();
  await store.migrate();
  const log = await session.logReader();
  const where = `the queue for ${session.destinationText}`;
  const enter = settings.live ? 'asks' : 'queues';
  const proposal = { input, where, command: given, enter } as const;
  const { plan, command, remember } = await agreedPlan(session, proposal, asked, (now) =>
    planWithProgress(session, now, log, options),
  );
  const queue = store.queue(session.preparation.destination);
  await confirmImport(context, options, plan);
  await remember();
  const confirmedMs = context.clock.monotonicMs();
  const { queued, alreadyQueued } = await queueReady(session, plan, queue);
  const { ready, repeated, duplicate, invalid, unknown } = plan.counts;
  const notQueued = ready - queued - alreadyQueued;
  const seconds = Math.round(context.clock.monotonicMs() - confirmedMs) / 1000;
  const work = queued + alreadyQueued === 0 && unknown > 0 ? 'srq resolve' : 'srq work';
  const next = notQueued === 0 ? context.withProfile(work) : file === '-' ? null : commandLine(command);
  const stopped = notQueued === 0 ? null : context.interruption.failure(next && `To go on: ${next}`);
  const counts = { queued, alreadyQueued, notQueued, repeated, duplicate, invalid, unknown };
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  const advice = notSentAdvice(context, plan).join(' ') || null;
  const { run } = context;
  const document = { run, rows: plan.rows, ...counts, seconds, store: store.name, ...ending, advice, next };
  await context.reporter.result('enqueue', document, (paint) => enqueueText(document, paint));
  return exitNumber([context.interruption.code, ...codesOfCounts({ ...plan.counts, ready: 0 })]);
}

const BATCH_ROWS = 500;

/** Queues the rows that are ready. After a signal those at hand are queued, and the same command goes on with the others. */
async function queueReady({ context, preparation }: RequestSession, plan: ImportPlan, queue: RequestQueue) {
  const { halt } = context.interruption;
  finishOnSignal(context, 'the rows at hand');
  let [queued, seen] = [0, 0];
  await withProgress(context, 'Queueing', async (tick) => {
    const ready = submissions(plan, { preparation, halt }, 'ready');
    for await (const batch of inBatches(ready, BATCH_ROWS)) {
      queued += await queue.add(batch.map(({ row, key, request }) => ({ row, key, request })));
      seen += batch.length;
      tick(seen, plan.counts.ready);
    }
  });
  return { queued, alreadyQueued: seen - queued };
}

/** Refuses a recording, because a path means nothing on another machine and a recording is too large for the queue. */
async function refuseRecording(): Promise<never> {
  const message = 'A row with a recording cannot be queued: workers on other machines do not have the file.';
  const instead = 'Import such rows with srq bulk, which may use the same store.';
  throw new SrqError('recording.not-queued', `${message} ${instead}`);
}
