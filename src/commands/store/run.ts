import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';

/** Creates or updates the tables of the store. It is for the owner of a database whose other users must not do that. */
export async function storeMigrate(context: Context): Promise<number> {
  const store = await context.postgresStore();
  const migrated = await store.migrate();
  const { installBoss } = await import('../../store/postgres/boss.ts');
  await installBoss(store.database);
  const reporter = await context.reporter();
  await reporter.result('store migrate', { store: store.name, migrated }, (paint) => {
    const what = migrated.length === 0 ? 'is up to date' : `now has: ${migrated.join(', ')}`;
    return `${paint.green('✓')} The store ${printable(store.name)} ${what}.`;
  });
  return 0;
}

/**
 * Lets sending continue after a fail-over although some processes have not written their missing records again. By
 * running this command, a person states that these processes will not come back.
 */
export async function storeResume(context: Context): Promise<number> {
  const store = await context.postgresStore();
  const { missing, doubtful } = await store.resume();
  const reporter = await context.reporter();
  await reporter.result('store resume', { store: store.name, missing, doubtful }, (paint) => {
    const name = printable(store.name);
    if (missing.length === 0) return `${paint.green('✓')} The store ${name} waits for nobody.`;
    const gone = missing.map((each) => `  ${printable(each)}`).join('\n');
    const rows = `${doubtful} rows that they had in hand are in doubt: srq resolve lists them.`;
    return `${paint.green('✓')} The store ${name} goes on without:\n${gone}\n${rows}`;
  });
  return 0;
}
