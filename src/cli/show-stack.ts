import type { Context } from './context.ts';

/** Under --verbose: where a fault happened. */
export async function showStack(context: Context, error: unknown): Promise<void> {
  if (!context.options.verbose) return;
  const { printableLines } = await import('../report/output.ts');
  context.process.stderr.write(`${printableLines(context.blotted(String((error as Error)?.stack)))}\n`);
}
