import { SrqError } from '../../model/errors.ts';
import type { PostgresStore } from '../../postgres/postgres-store.ts';
import type { Context } from '../context.ts';

/** The store in force. Throws `SrqError('usage')` where there is none, or under --sandbox, whose service ends with the command. */
export async function requireStore(context: Context, command: string): Promise<PostgresStore> {
  if (context.options.sandbox) {
    const message = `srq ${command} takes no --sandbox: other processes could not reach it.`;
    throw new SrqError('usage', message, 'Start one of its own: srq sandbox');
  }
  return context.postgresStore();
}
