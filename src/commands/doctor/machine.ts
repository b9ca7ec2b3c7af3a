import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { LogPlace } from '../../account/host.ts';
import type { Context } from '../../cli/context.ts';
import { requireWritable } from '../../report/output-file.ts';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { Examination, Found } from './examination.ts';

const MIB = 2 ** 20;
const MIN_FREE_BYTES = 100 * MIB;

/** Checks what an import needs of this machine: the log with its lock, room on the disk, a folder for the results. */
export async function takeMachineSteps(context: Context, examination: Examination): Promise<void> {
  const place = await context.logPlace();
  const here = context.process.cwd();
  await examination.runStep('log', () =>
    place.kind === 'store'
      ? { result: 'skip', message: 'The store keeps it.', value: null }
      : checkedLog(context, place),
  );
  await examination.runStep('disk', () =>
    checkedSpace([...(place.kind === 'file' ? [dirname(resolve(place.path))] : []), here]),
  );
  await examination.runStep('results', () => checkedResults(here));
}

/** Opens the log as an import does, and closes it again. One that does not exist yet stays away: its folder is tried. */
async function checkedLog(context: Context, place: Extract<LogPlace, { kind: 'file' }>): Promise<Found<null>> {
  const { path } = place;
  const { minLogBytes } = await import('../../store/file/lock.ts');
  const { kernelLockName } = await import('../../store/file/kernel-lock.ts');
  // A log that is gone is not new: its lock file tells, and an import is refused then.
  if (!existsSync(path) && minLogBytes(path) === null) {
    await requireFolderForLog(context, place);
    return {
      result: 'ok',
      message: `The first import creates ${path}; its lock, ${kernelLockName()}, works there.`,
      value: null,
    };
  }
  const log = await (await context.logStore()).open('doctor', true);
  await log.close();
  return { result: 'ok', message: `${path} can be written, and its lock, ${kernelLockName()}, works.`, value: null };
}

/** Opens a log in a folder of its own beside the path, and removes both. Throws `SrqError('log')` if that fails. */
async function requireFolderForLog(
  { clock, run, uid }: Context,
  { path, isGiven }: Extract<LogPlace, { kind: 'file' }>,
): Promise<void> {
  const { openFileStore } = await import('../../store/file/file-store.ts');
  const user = { uid, isInStateFolder: !isGiven };
  let trial: string | null = null;
  try {
    const { requireOwnFolder } = await import('../../store/file/log-access.ts');
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    requireOwnFolder(path, user);
    trial = await mkdtemp(join(dirname(path), '.srq-doctor-'));
    const store = openFileStore({ path: join(trial, 'trial.ndjson'), clock, run, holder: () => 'srq doctor', user });
    await (await store.open('doctor', true)).close();
  } catch (error) {
    if (error instanceof SrqError) throw error;
    const message = `The log ${path} cannot be created (${systemCode(error)}).`;
    throw new SrqError(
      'log.unwritable',
      message,
      'Name another file with --log FILE, or another folder in SRQ_STATE_DIR.',
      error,
    );
  } finally {
    if (trial !== null) await rm(trial, { recursive: true, force: true });
  }
}

async function checkedSpace(folders: readonly string[]): Promise<Found<null>> {
  try {
    const spaces = await Promise.all(folders.map(async (folder) => ({ folder, freeBytes: await freeBytesIn(folder) })));
    return judgedSpace(spaces.reduce((least, each) => (each.freeBytes < least.freeBytes ? each : least)));
  } catch (error) {
    return {
      result: 'skip',
      message: `The system does not report the free space (${systemCode(error)}).`,
      value: null,
    };
  }
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Judges the free space of the folder that has the least. An import that fills the disk stops, and its log is cut short. */
export function judgedSpace({
  folder,
  freeBytes,
}: {
  readonly folder: string;
  readonly freeBytes: number;
}): Found<null> {
  const free =
    freeBytes < 1024 * MIB ? `${Math.floor(freeBytes / MIB)} MiB` : `${(freeBytes / 1024 / MIB).toFixed(1)} GiB`;
  const message = `${free} are free in ${folder}.`;
  if (freeBytes >= MIN_FREE_BYTES) return { result: 'ok', message, value: null };
  const hint = 'Free some space before a large import: srq stops as soon as the log cannot be written.';
  return { result: 'warn', message, hint, reason: 'disk.nearly-full', value: null };
}

/** A file of leads may lie elsewhere, and its results beside it: so this folder is only warned about. */
async function checkedResults(folder: string): Promise<Found<null>> {
  try {
    await requireWritable(join(folder, 'leads.results.csv'), 'results file', '--results');
    return { result: 'ok', message: `Results files can be written in ${folder}.`, value: null };
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const message = `No results file can be written in ${folder} (${systemCode(error.cause)}).`;
    const hint =
      'This matters only if your leads are in this folder. If so, name another place: srq bulk FILE --results FILE';
    return { result: 'warn', message, hint, reason: error.reason, value: null };
  }
}
