import { existsSync } from 'node:fs';
import { mkdtemp, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { makeFolder } from '../../request/make-folder.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { requireWritable } from '../../run/outputs.ts';
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
  const { kernelLockName } = await import('../../store/file/kernel-lock.ts');
  // A log that is missing is not new if it was used for sending, and an import would be refused.
  if (!existsSync(path) && lockFacts(path) === null) {
    await requireFolderForLog(context, path, isGiven);
    return { message: `The first import creates ${path}; its lock, ${kernelLockName()}, works there.` };
  }
  const opened = await (await context.log.store()).open('doctor', true);
  await opened.close();
  return { message: `${path} can be written, and its lock, ${kernelLockName()}, works.` };
}

/** Opens a log in a temporary folder beside the path, and removes both. Throws `SrqError('log')` if that fails. */
async function requireFolderForLog({ clock, run, uid }: Context, path: string, isGiven: boolean): Promise<void> {
  const { openFileStore } = await import('../../store/file/file-store.ts');
  const { requireOwnFolder } = await import('../../store/file/log-access.ts');
  const user = { uid, isInStateFolder: !isGiven };
  const folder = dirname(resolve(path));
  let trial: string | null = null;
  let outermost: string | undefined;
  try {
    outermost = makeFolder(folder);
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
    // Only what was made for this is removed, and only if nothing else is in it.
    for (let made = folder; outermost !== undefined && made.length >= outermost.length; made = dirname(made)) {
      await rmdir(made).catch(() => {});
    }
  }
}

const MIB = 2 ** 20;
const MIN_FREE_BYTES = 100 * MIB;

/** Checks the free space where the log and the results are. An import that fills the disk stops. */
export async function disk(context: Context): Promise<Found> {
  const place = await context.logPlace();
  const here = context.process.cwd();
  const folders = place.kind === 'file' ? [nearest(dirname(resolve(place.path))), here] : [here];
  try {
    const spaces = await Promise.all(folders.map(async (folder) => ({ folder, ...(await statfs(folder)) })));
    const [least] = spaces.toSorted((one, other) => one.bavail * one.bsize - other.bavail * other.bsize);
    const free = (least?.bavail ?? 0) * (least?.bsize ?? 0);
    const shown = free < 1024 * MIB ? `${Math.floor(free / MIB)} MiB` : `${(free / 1024 / MIB).toFixed(1)} GiB`;
    const message = `${shown} are free in ${least?.folder}.`;
    if (free >= MIN_FREE_BYTES) return { message };
    const hint = 'Free some space before a large import: srq stops as soon as the log cannot be written.';
    return { message, warning: { reason: 'disk.nearly-full', hint } };
  } catch (error) {
    return skipped(`The system does not report the free space (${systemCode(error)}).`);
  }
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));

/** Only warns, because the file of leads, and with it the results, may be elsewhere. */
export async function results(folder: string): Promise<Found> {
  try {
    await requireWritable(join(folder, 'leads.results.csv'), 'results file', '--results');
    return { message: `Results files can be written in ${folder}.` };
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const hint =
      'This matters only if your leads are in this folder. If so, name another place: srq bulk FILE --results FILE';
    const message = `No results file can be written in ${folder} (${systemCode(error.cause)}).`;
    return { message, warning: { reason: error.reason, hint } };
  }
}
