import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
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
    requireOwnFolder(path, { uid: context.uid, isInStateFolder: !isGiven });
    requireWritableFolder(path);
    return { message: `The first import creates ${path}.` };
  }
  const opened = await (await context.log.store()).open('doctor', true);
  await opened.close();
  const { kernelLockName } = await import('../../store/file/kernel-lock.ts');
  return { message: `${path} can be written, and its lock, ${kernelLockName()}, works.` };
}

/** Throws `SrqError('log')` if the nearest folder that is there takes no files. */
function requireWritableFolder(path: string): void {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  try {
    // With a separator at its end, the path of a file is refused as well.
    accessSync(join(folder, sep), constants.W_OK);
  } catch (error) {
    const message = `The log ${path} cannot be created (${systemCode(error)}).`;
    const hint = 'Name another file with --log FILE, or another folder in SRQ_STATE_DIR.';
    throw new SrqError('log.unwritable', message, hint, error);
  }
}
