import type { Context } from '../cli/context.ts';
import { exitNumber } from '../cli/exit-codes.ts';
import { destinationOf, finishOnSignal } from '../cli/session.ts';
import { rowsText, thousands } from '../report/output.ts';
import { queueText } from '../report/terminal/queue-text.ts';
import { requireYes } from '../run/consent.ts';
import { workingProcesses } from '../store/postgres/figures.ts';

/** Shows the queue and its workers. */
export async function queue(context: Context): Promise<number> {
  const { store, requests } = await openRequests(context);
  await store.requireTables();
  const { oldestMs, ...depth } = await requests.depth();
  const { unknown, held } = await store.standing();
  const view = {
    ...{ store: store.name, queue: depth, oldestSeconds: Math.round(oldestMs / 1000), unknown, isHeld: held !== null },
    workers: await workingProcesses(store.database),
  };
  await context.reporter.result('queue', view, (paint) => queueText(view, paint));
  return 0;
}

/**
 * Forgets the rows that wait to be sent, after a confirmation. What workers have in hand stays, because it may have
 * been sent.
 */
export async function queuePurge(context: Context, options: { readonly yes?: boolean }): Promise<number> {
  const { store, requests } = await openRequests(context);
  await store.migrate();
  const { interruption } = context;
  const before = await requests.depth();
  const found = before.total - before.inWork;
  let purged = 0;
  if (found > 0) {
    const question = `Forget ${rowsText(found)} that ${found === 1 ? 'waits' : 'wait'} to be sent?`;
    const look = 'Look first: srq queue    Then run the same command with --yes.';
    const said = { reason: 'deletion.not-confirmed', kept: 'Nothing was deleted.', look } as const;
    await requireYes(context, options.yes, question, said);
    finishOnSignal(context, 'the rows at hand');
    for (let count = 1; count > 0 && !interruption.halt.signal.aborted; ) purged += count = await requests.purge();
  }
  const left = await requests.depth();
  const document = {
    store: store.name,
    purged,
    left: left.total - left.inWork,
    inWork: left.inWork,
  };
  await context.reporter.result('queue purge', document, (paint) => {
    const others = `${thousands(document.left)} wait, ${thousands(document.inWork)} in progress`;
    return `${paint.green('✓')} Forgot ${rowsText(purged)}; ${others}.`;
  });
  return exitNumber([interruption.code]);
}

async function openRequests(context: Context) {
  const store = await context.log.postgresStore();
  return { store, requests: store.queue(destinationOf(await context.settings())) };
}
