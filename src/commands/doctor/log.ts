import { existsSync } from 'node:fs';
import type { Context } from '../../cli/context.ts';
import { type Found, skipped } from './examination.ts';

/** Opens the log like an import, and closes it again. A log that does not exist is not created. */
export async function log(context: Context): Promise<Found> {
  const place = await context.logPlace();
  if (place.kind === 'store') return skipped('The store keeps it.');
  const { path, isGiven } = place;
  const { lockFacts } = await import('../../store/file/lock.ts');
  // A log that is missing is not new if it was used for sending, and an import would be refused.
  if (!existsSync(path) && lockFacts(path) === null) {
    const { requireOwnFolder } = await import('../../store/file/log-access.ts');
    const { loadKernelLock } = await import('../../store/file/kernel-lock.ts');
    requireOwnFolder(path, { uid: context.uid, isInStateFolder: !isGiven });
    await loadKernelLock();
    return { message: `The first import creates ${path}.` };
  }
  const opened = await (await context.log.store()).open('doctor', true);
  await opened.close();
  return { message: `${path} can be written, and its lock works.` };
}
