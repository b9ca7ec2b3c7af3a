import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';

/** Makes the tables of the store, or brings them up to date: for the owner of a database whose users may not. */
export async function storeMigrate(context: Context): Promise<number> {
  const store = await context.postgresStore();
  const migrated = await store.migrate();
  const { installBoss } = await import('../../store/postgres/boss.ts');
  await installBoss(store.database);
  const reporter = await context.reporter();
  await reporter.result({ store: store.name, migrated }, (paint) => {
    const what = migrated.length === 0 ? 'is up to date' : `now has: ${migrated.join(', ')}`;
    return `${paint.green('✓')} The store ${printable(store.name)} ${what}.`;
  });
  return 0;
}
