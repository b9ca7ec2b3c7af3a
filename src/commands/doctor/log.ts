import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { type Found, skipped } from './examination.ts';

/**
 * Opens the log like an import, and closes it again. A log that does not exist is not created; its folder is tested
 * instead.
 */
export async function log(context: Context): Promise<Found> {
  const place = await context.logPlace();
  if (place.kind === 'store') return skipped('The store keeps it.');
  const { path, isGiven } = place;
  const { lockFacts } = await import('../../store/file/lock.ts');
  // A log that is missing is not new if it was used for sending, and an import would be refused.
  if (!existsSync(path) && lockFacts(path) === null) {
    await requireFolderForLog(context, path, isGiven);
    return { message: `The first import creates ${path}; its lock works there.` };
  }
  const opened = await (await context.log.store()).open('doctor', true);
  await opened.close();
  return { message: `${path} can be written, and its lock works.` };
}

/**
 * Opens a log in a temporary folder beside the path, or in the nearest folder that is there, and removes it. Throws
 * `SrqError('log')` if that fails.
 */
async function requireFolderForLog({ clock, run, uid }: Context, path: string, isGiven: boolean): Promise<void> {
  const { openFileStore } = await import('../../store/file/file-store.ts');
  const { requireOwnFolder } = await import('../../store/file/log-access.ts');
  const user = { uid, isInStateFolder: !isGiven };
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  let trial: string | null = null;
  try {
    requireOwnFolder(path, user);
    trial = await mkdtemp(join(folder, '.srq-doctor-'));
    const opened = openFileStore({ path: join(trial, 'trial.ndjson'), clock, run, holder: () => 'srq doctor', user });
    await (await opened.open('doctor', true)).close();
  } catch (error) {
    if (error instanceof SrqError) throw error;
    const message = `The log ${path} cannot be created (${systemCode(error)}).`;
    const hint = 'Name another file with --log FILE, or another folder in SRQ_STATE_DIR.';
    throw new SrqError('log.unwritable', message, hint, error);
  } finally {
    if (trial !== null) await rm(trial, { recursive: true, force: true });
  }
}
