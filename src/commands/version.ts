import type { Context } from '../cli/context.ts';

/** Does the same as `--version`, but can also print a document. */
export async function showVersion(context: Context): Promise<number> {
  const { version } = context;
  await context.reporter.result('version', { version }, () => version);
  return 0;
}
