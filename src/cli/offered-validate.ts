import type { Contract } from '../model/contract.ts';
import type { SubmitOptions } from '../pipeline/submit-request.ts';
import type { Context } from './context.ts';

/** The options as the service can serve them: without a validate nobody is asked for duplicates first, and that is said. */
export async function asOffered<Options extends SubmitOptions>(
  context: Context,
  { hasValidate }: Contract,
  options: Options,
): Promise<Options> {
  if (!options.validate || hasValidate !== false) return options;
  const reporter = await context.reporter();
  reporter.warn('The service has no validate, as its contract says: created as with --no-validate.');
  return { ...options, validate: false };
}
