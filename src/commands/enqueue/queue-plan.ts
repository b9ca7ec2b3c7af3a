import { commandLine } from '../../cli/command-line.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { finishOnSignal, type RequestSession } from '../../cli/session.ts';
import { submissions } from '../../delivery/read-rows.ts';
import { enqueueText } from '../../report/terminal/queue-text.ts';
import type { ImportPlan } from '../../request/log/import-plan.ts';
import type { QueuedRequest, RequestQueue } from '../../request/log/request-queue.ts';
import { notSentAdvice } from '../../run/summary.ts';

const BATCH_ROWS = 500;

interface Enqueued {
  readonly file: string;
  readonly command: readonly string[];
  readonly startedMs: number;
  readonly store: string;
}

/**
 * Queues the rows of a plan that are ready, and shows how many of them are new in the queue. After a signal the rows at hand
 * are queued, and the same command goes on with the others. Returns the exit code.
 */
export async function queuePlan(
  session: RequestSession,
  plan: ImportPlan,
  queue: RequestQueue,
  { file, command, startedMs, store }: Enqueued,
): Promise<number> {
  const { context } = session;
  const { ready, repeated, duplicate, invalid, unknown } = plan.counts;
  const { queued, alreadyQueued } = await queueReady(session, plan, queue);
  const isWhole = queued + alreadyQueued === ready;
  const seconds = Math.round(context.clock.monotonicMs() - startedMs) / 1000;
  const work = queued + alreadyQueued === 0 && unknown > 0 ? 'srq resolve' : 'srq work';
  const next = isWhole ? context.withProfile(work) : file === '-' ? null : commandLine(command);
  const stopped = isWhole ? null : context.interruption.failure(next && `To go on: ${next}`);
  const notQueued = ready - queued - alreadyQueued;
  const counts = { queued, alreadyQueued, notQueued, repeated, duplicate, invalid, unknown };
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  const advice = notSentAdvice(context, plan).join(' ') || null;
  const document = { run: context.run, rows: plan.rows, ...counts, seconds, store, ...ending, advice, next };
  await context.reporter.result('enqueue', document, (paint) => enqueueText(document, paint));
  return exitNumber([context.interruption.code, ...codesOfCounts({ ...plan.counts, ready: 0 })]);
}

async function queueReady({ context, preparation }: RequestSession, plan: ImportPlan, queue: RequestQueue) {
  const { halt } = context.interruption;
  finishOnSignal(context, 'the rows at hand');
  const progress = await context.reporter.progress('Queueing');
  let [queued, seen] = [0, 0];
  const add = async (batch: readonly QueuedRequest[]) => {
    queued += await queue.add(batch);
    seen += batch.length;
    progress.update({ done: seen, total: plan.counts.ready, counts: {} });
  };
  let batch: QueuedRequest[] = [];
  try {
    for await (const { row, key, request } of submissions(plan, { preparation, halt }, 'ready')) {
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
