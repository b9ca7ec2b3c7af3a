import { withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import { printable, thousands } from '../../report/output.ts';
import { confirmDeletion } from '../confirm-deletion.ts';

/** The flags of `store prune`, as commander parses them. */
interface PruneOptions {
  /** Age in days. */
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Deletes old records that a later one has replaced. The state and the last record of each request stay, and so does every
 * identifier, so that nothing is sent again and nothing is listed less.
 */
export async function storePrune(context: Context, { olderThan, dryRun, yes }: PruneOptions): Promise<number> {
  const store = await context.requireStore('store prune');
  const { interruption } = context;
  const reporter = await context.reporter();
  const before = new Date(context.clock.nowMs() - olderThan * DAY_MS);
  const sum = async (deletes: boolean) => {
    let total = 0;
    for await (const count of store.replacedRecords(before, deletes)) {
      total += count;
      if (interruption.halt.signal.aborted) break;
    }
    return total;
  };
  const found = await sum(false);
  let deleted = 0;
  if (!dryRun && found > 0) {
    const look = withProfileFlags('srq store prune --dry-run', context.options);
    const question = `Delete ${thousands(found)} records from before ${before.toISOString().slice(0, 10)}?`;
    await confirmDeletion(context, yes === undefined ? {} : { yes }, { question, look });
    interruption.listen(() => reporter.warn('Ending with the records at hand; press Ctrl-C again to leave now.'));
    deleted = await sum(true);
  }
  const stopped = interruption.failure('Run the same command again: it goes on where it stopped.');
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  const document = { store: store.name, before: before.toISOString(), found, deleted, ...ending };
  await reporter.result('store prune', document, (paint) => {
    const what = `records from before ${document.before} that a later one has replaced`;
    const done = dryRun
      ? `${thousands(found)} ${what} would be deleted.`
      : `Deleted ${thousands(deleted)} of ${thousands(found)} ${what}.`;
    return `${paint.green('✓')} The store ${printable(store.name)}: ${done}`;
  });
  return exitNumber(interruption.code ? [interruption.code] : []);
}
