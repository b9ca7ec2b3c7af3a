import type { Command } from 'commander';
import type { RunCommand } from '../cli/command.ts';
import { destinationOf } from '../cli/connect.ts';
import type { Context } from '../cli/context.ts';
import { type QueueView, queueText } from '../report/terminal/queue-text.ts';
import { rateSummary } from '../service/pacing/account-rate.ts';
import { accountId, openAccountState } from '../store/postgres/account.ts';
import { openQueue, outcomesByMinute, workingProcesses } from '../store/postgres/postgres-queue.ts';
import { examples } from './options.ts';

export function addQueue(program: Command, run: RunCommand): void {
  program
    .command('queue')
    .description('show the queue, its workers and their progress')
    .option('--watch', 'refresh every two seconds, until Ctrl-C')
    .addHelpText('after', examples('srq queue', 'srq queue --watch', 'srq queue --json'))
    .action(run(async () => queue));
}

const WATCH_MS = 2_000;

/** Shows the queue, its workers and their results, repeatedly with --watch. */
export async function queue(context: Context, { watch = false }: { readonly watch?: boolean }): Promise<number> {
  const readView = await openView(context);
  const reporter = await context.reporter();
  if (!watch) {
    const view = await readView();
    await reporter.result('queue', view, (paint) => queueText(view, paint));
    return 0;
  }
  context.interruption.listen(() => {});
  await reporter.lines('queue', views(context, readView), (view, paint) => `${queueText(view, paint)}\n\n`);
  return 0;
}

async function* views(context: Context, readView: () => Promise<QueueView>): AsyncGenerator<QueueView> {
  const { signal } = context.interruption.halt;
  while (!signal.aborted) {
    yield await readView();
    await context.clock.sleep(WATCH_MS, signal);
  }
}

async function openView(context: Context): Promise<() => Promise<QueueView>> {
  const store = await context.requireStore('queue');
  const { database } = store;
  const destination = destinationOf(await context.settings(), await context.contract());
  const { signal: stopping } = context.interruption.halt;
  await store.migrate();
  const requests = await openQueue({ database, destination, worker: null, stopping });
  context.onClose(() => requests.close());
  const account = openAccountState(database, accountId(destination), context.run, stopping);
  context.onClose(() => account.close());
  return async () => {
    const { requests: queued, doubts } = await requests.depth();
    const pace = await account.look('pace', rateSummary);
    const rate = pace && {
      perSecond: pace.ratePerSecond,
      inFlight: pace.inFlight,
      pausedSeconds: Math.round(pace.pausedMs) / 1000,
    };
    const workers = await workingProcesses(database);
    return { store: store.name, queue: queued, doubts, rate, workers, minutes: await outcomesByMinute(database) };
  };
}
