import { existsSync } from 'node:fs';
import { mkdtemp, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Connection } from '../../account/connection.ts';
import type { LogPlace } from '../../account/host.ts';
import { withProfileFlags } from '../../cli/command-line.ts';
import { connect } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import { askYesNo } from '../../cli/prompt.ts';
import { recordingsBeside } from '../../cli/session.ts';
import { requireWritable } from '../../report/output-file.ts';
import { secretAddressText } from '../../report/terminal/contract-text.ts';
import { diagnosisText } from '../../report/terminal/doctor-text.ts';
import { type Diagnosis, STEP_NAMES } from '../../request/documents/diagnosis.ts';
import { makeFolder } from '../../request/make-folder.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { Examination, type Found } from './examination.ts';
import {
  ClockReading,
  takeContractStep,
  takeCreateStep,
  takeNetworkSteps,
  takeServiceSteps,
  takeStoreStep,
} from './steps.ts';

/** The flags of `doctor`, as commander parses them. */
export interface DoctorOptions {
  readonly create?: boolean;
  readonly yes?: boolean;
}

/** Checks everything that is needed to send a request, step by step. It creates nothing unless the user asks for it. */
export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  if (options.create) await requireConsent(context, options);
  const examination = await examine(context, options.create === true);
  const { failure } = examination;
  const diagnosis = withHintsInFull(examination.diagnosis, context);
  const reporter = await context.reporter();
  const next = withProfileFlags(diagnosis.ok ? 'srq bulk FILE --dry-run' : 'srq doctor', context.options);
  await reporter.result('doctor', diagnosis, (paint) => diagnosisText(diagnosis, next, paint));
  const { code } = context.interruption;
  return exitNumber([...(code ? [code] : []), ...(failure === null ? [] : [failure])]);
}

function withHintsInFull({ ok, steps }: Diagnosis, { options }: Context): Diagnosis {
  return { ok, steps: steps.map((step) => ({ ...step, hint: step.hint && withProfileFlags(step.hint, options) })) };
}

async function examine(context: Context, create: boolean): Promise<Examination> {
  const hasStore = (await context.logPlace()).kind === 'store';
  const names = STEP_NAMES.filter((name) => (create || name !== 'create') && (hasStore || name !== 'store'));
  const examination = new Examination(names, context.clock);
  const reading = new ClockReading();
  const connection = await examination.runStep('settings', () => settled(context, reading));
  if (!connection) return examination;
  if (hasStore) await takeStoreStep(context, examination);
  await takeNetworkSteps(context, examination, connection);
  await takeServiceSteps(context, examination, connection, reading);
  await takeMachineSteps(context, examination);
  if (create) await takeCreateStep(context, examination, connection);
  await takeContractStep(context, examination);
  return examination;
}

async function settled(context: Context, reading: ClockReading): Promise<Found<Connection>> {
  const settings = await context.settings();
  const connection = await connect(context, {
    rate: 'auto',
    concurrency: 1,
    audio: recordingsBeside('-'),
    isAlone: true,
    watch: (call) => reading.note(call, context.clock.nowMs()),
  });
  const { baseUrl, clientId } = connection.destination;
  const kind = settings.live ? 'live' : 'test';
  const address = secretAddressText(await context.contract(), baseUrl);
  // Connecting has read the secret, so a locked keychain would have failed this step.
  const secret = settings.secret.state === 'keychain' ? ' The keychain gave the secret.' : '';
  const message = `Profile ${settings.profile.value} (${kind}): ${baseUrl} as client ${clientId}. ${address}${secret}`;
  return { result: 'ok', message, value: connection };
}

/** Requires the user's consent to send a test request to a live service, before anything is tried. */
async function requireConsent(context: Context, { yes }: DoctorOptions): Promise<void> {
  const settings = await context.settings();
  if (!settings.live || yes) return;
  if (!context.interactive) {
    throw new SrqError(
      'live.not-confirmed',
      'This profile is live, and without a terminal nobody can confirm the test request. Nothing was sent.',
      'To send it anyway: srq doctor --create --yes',
    );
  }
  if (!(await askYesNo(context, `Send a test request to ${settings.baseUrl?.value}?`))) {
    throw new SrqError('prompt.declined', 'Not confirmed. Nothing was sent.', 'Without a test request: srq doctor');
  }
}

const MIB = 2 ** 20;
const MIN_FREE_BYTES = 100 * MIB;

/**
 * Checks what an import needs from this machine: the log with its lock, space on the disk, and a folder for the
 * results.
 */
async function takeMachineSteps(context: Context, examination: Examination): Promise<void> {
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

/**
 * Opens the log like an import, and closes it again. A log that does not exist is not created; its folder is tested
 * instead.
 */
async function checkedLog(context: Context, place: Extract<LogPlace, { kind: 'file' }>): Promise<Found<null>> {
  const { path } = place;
  const { lockFacts } = await import('../../store/file/lock.ts');
  const { kernelLockName } = await import('../../store/file/kernel-lock.ts');
  // A log that is missing is not new if it was used for sending, and an import would be refused.
  if (!existsSync(path) && lockFacts(path) === null) {
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

/** Opens a log in a temporary folder beside the path, and removes both. Throws `SrqError('log')` if that fails. */
async function requireFolderForLog(
  { clock, run, uid }: Context,
  { path, isGiven }: Extract<LogPlace, { kind: 'file' }>,
): Promise<void> {
  const { openFileStore } = await import('../../store/file/file-store.ts');
  const user = { uid, isInStateFolder: !isGiven };
  let trial: string | null = null;
  let made: string | undefined;
  try {
    const { requireOwnFolder } = await import('../../store/file/log-access.ts');
    made = makeFolder(dirname(path));
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
    // Only what was made for the trial is removed, and only as long as it is empty.
    for (let folder = dirname(resolve(path)); made !== undefined && folder.startsWith(made); folder = dirname(folder))
      await rmdir(folder).catch(() => {});
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

async function freeBytesIn(wanted: string): Promise<number> {
  let folder = wanted;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Judges the free space of the folder that has the least. An import that fills the disk stops, and its log may
 * end in an incomplete record.
 */
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

/**
 * Checks whether results can be written to a folder. A problem is only a warning, because the file of leads, and with
 * it the results, may be elsewhere.
 */
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
