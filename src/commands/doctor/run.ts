import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import type { DoctorOptions } from '../../cli/table/options.ts';
import { diagnosisText } from '../../report/terminal/doctor-text.ts';
import type { Step } from '../../request/documents/diagnosis.ts';
import { failureOf, SrqError } from '../../request/words/errors.ts';
import { requireYes } from '../../run/consent.ts';
import { CHECKS, type Check } from './checks.ts';
import { Examination } from './examination.ts';

/** Checks everything that is needed to send a request, step by step. It creates nothing unless the user asks for it. */
export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  // A test request to a live service needs consent before anything is tried.
  if (options.create) {
    const { live, baseUrl } = await context.settings();
    await requireYes(context, options.yes || !live, `Send a test request to the live service ${baseUrl?.value}?`, {
      reason: 'live.not-confirmed',
      kept: 'Nothing was sent.',
      look: 'To send it anyway: srq doctor --create --yes',
    });
  }
  const hasStore = (await context.log.place()).kind === 'store';
  const given = { store: hasStore, create: options.create === true };
  const examination = new Examination(context);
  const steps: Step[] = [];
  let failure: SrqError | null = null;
  for (const check of CHECKS) {
    if (check.onlyWith !== undefined && !given[check.onlyWith]) continue;
    if (failure !== null) {
      steps.push({ name: check.name, result: 'skip', ms: 0, message: 'Not tried after the failure above.', ...FINE });
      continue;
    }
    const { step, error } = await stepOf(check, examination);
    steps.push(inWords(step, context));
    failure = error;
  }
  const hint = steps.findLast(({ result }) => result === 'fail')?.hint ?? null;
  const error = failure && { error: { ...failureOf(failure, (own) => own), hint } };
  const next = context.withProfile('srq bulk FILE --dry-run');
  const diagnosis = { ok: failure === null, steps, ...error };
  await context.reporter.result('doctor', diagnosis, (paint) => diagnosisText(diagnosis, next, paint));
  return exitNumber([context.interruption.code, failure?.code]);
}

const FINE = { hint: null, reason: null };

/** Takes one step. An `SrqError` is its failure. */
async function stepOf(check: Check, examination: Examination): Promise<{ step: Step; error: SrqError | null }> {
  const { context } = examination;
  const { name } = check;
  const startedMs = context.clock.monotonicMs();
  const tookMs = () => Math.round(context.clock.monotonicMs() - startedMs);
  try {
    const { message, warning, isSkipped, ms = tookMs() } = await examination.halting(check.look(examination));
    const result = warning ? 'warn' : isSkipped ? 'skip' : 'ok';
    return { step: { name, result, ms, message, ...(warning ?? FINE) }, error: null };
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const { message, hint, reason } = error;
    return { step: { name, result: 'fail', ms: tookMs(), message, hint, reason }, error };
  }
}

/** What doctor itself has just looked at is no advice. */
const ADVICE = / ?See where it fails: srq doctor/;

function inWords(step: Step, context: Context): Step {
  const hint = step.hint?.replace(ADVICE, '') || null;
  const message = context.redacted(step.message);
  return { ...step, message, hint: hint && context.withProfile(hint) };
}
