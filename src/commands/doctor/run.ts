import { writeFile } from 'node:fs/promises';
import type { Connection } from '../../account/connection.ts';
import { withProfileFlags } from '../../cli/command-line.ts';
import { connect } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import { askYesNo } from '../../cli/prompt.ts';
import { recordingsBeside } from '../../cli/session.ts';
import { printable } from '../../report/output.ts';
import { requireOwnOrNew } from '../../report/output-file.ts';
import { secretAddressText } from '../../report/terminal/contract-text.ts';
import { diagnosisText, doctorReport, isDoctorReport } from '../../report/terminal/doctor-text.ts';
import { type Diagnosis, STEP_NAMES } from '../../request/diagnosis.ts';
import { SrqError, systemCode } from '../../request/errors.ts';
import { Examination, type Found } from './examination.ts';
import { takeMachineSteps } from './machine.ts';
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
  readonly output?: string;
}

/** Checks everything that is needed to send a request, step by step. It creates nothing unless told to. */
export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  const { output } = options;
  if (output !== undefined) await requireOwnOrNew(output, 'doctor report', '--output', isDoctorReport);
  if (options.create) await requireConsent(context, options);
  const examination = await examine(context, options.create === true);
  const { failure } = examination;
  const diagnosis = withHintsInFull(examination.diagnosis, context);
  const reporter = await context.reporter();
  if (output !== undefined) {
    await writeReport(output, context.blotted(doctorReport(diagnosis, await surroundings(context))));
    reporter.say(() => printable(`Wrote a report without secrets: ${output}`));
  }
  const next = withProfileFlags(diagnosis.ok ? 'srq bulk FILE --dry-run' : 'srq doctor', context.options);
  await reporter.result('doctor', diagnosis, (paint) => diagnosisText(diagnosis, next, paint));
  return exitNumber(failure === null ? [] : [failure]);
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
  await takeContractStep(context, examination, connection);
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
  // To connect has read the secret: a keychain that is locked has failed this step.
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
      'usage',
      'This profile is live, and without a terminal nobody can confirm the test request. Nothing was sent.',
      'To send it anyway: srq doctor --create --yes',
    );
  }
  if (!(await askYesNo(context, `Send a test request to ${settings.baseUrl?.value}?`))) {
    throw new SrqError('usage', 'Not confirmed. Nothing was sent.', 'Without a test request: srq doctor');
  }
}

async function surroundings(context: Context): Promise<Readonly<Record<string, string | null>>> {
  const { version: node, platform, arch } = context.process;
  const settings = await context.settings().catch(() => null);
  return {
    version: context.version,
    node: `${node}, ${platform} ${arch}`,
    at: new Date(context.clock.nowMs()).toISOString(),
    baseUrl: settings?.baseUrl?.value ?? null,
    clientId: settings?.clientId?.value ?? null,
  };
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
  } catch (error) {
    const message = `The report ${path} cannot be written (${systemCode(error)}).`;
    throw new SrqError('usage', message, 'Name another file: srq doctor --output FILE', error);
  }
}
