import type { Context } from '../../cli/context.ts';
import { planWithProgress } from '../../cli/input.ts';
import type { PlanOptions } from '../../cli/table/options.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import type { AudioReader } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import { agreedPlan, rangeOf } from '../../run/agree.ts';
import { confirmImport, requireConsent } from '../../run/consent.ts';
import { openImport, rehearse } from '../../run/import-file.ts';
import { requireAnswers } from '../../run/questions.ts';
import { refuseRehearsed } from '../../run/results.ts';
import { queuePlan } from './queue-plan.ts';

/** Queues a file: reads and checks all of it, shows the plan, and queues the rows that are ready and not yet queued. */
export async function enqueue(context: Context, file: string, asked: PlanOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  const store = await context.postgresStore();
  const options = { ...asked, again: false };
  refuseRehearsed(context, file);
  const settings = await context.settings();
  requireConsent(context, settings, options);
  const given = context.process.argv.slice(2);
  const use = { audio: noRecordings, isAsOffered: false, needsNoLogin: false };
  const opened = await openImport(context, file, given, options, use);
  if (options.dryRun) return rehearse(opened, options, startedMs);
  const { input, session } = opened;
  requireAnswers(context, input, given, options);
  await context.log.requireKnown();
  await store.migrate();
  const log = await session.logReader();
  const where = `the queue for ${session.destinationText}`;
  const wanted = { ...options, range: rangeOf(options) };
  const enter = settings.live ? 'asks' : 'queues';
  const proposal = { input, where, command: given, enter } as const;
  const { plan, command, remember } = await agreedPlan(session, proposal, asked, (now) =>
    planWithProgress(session, now, log, wanted),
  );
  const { openQueue } = await import('../../store/postgres/queue.ts');
  const { destination } = session.preparation;
  const { signal: giveUp } = context.interruption.halt;
  const queue = openQueue({ database: store.database, destination, process: null, giveUp });
  await confirmImport(context, options, plan);
  await remember();
  const confirmedMs = context.clock.monotonicMs();
  return queuePlan(session, plan, queue, { file, command, startedMs: confirmedMs, store: store.name });
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
