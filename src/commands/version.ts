import type { TellingContext } from '../cli/command.ts';

/** Does the same as `--version`, but can also print a document. */
export async function showVersion(context: TellingContext): Promise<number> {
  const { version } = context;
  await context.reporter.result('version', { version }, () => version);
  return 0;
}
