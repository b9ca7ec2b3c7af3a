import type { Context } from './context.ts';

/** Says what a change of the settings also put right: somebody may have looked in meanwhile. */
export async function warnOfRepair(context: Context): Promise<void> {
  const { repaired } = await context.profiles();
  if (repaired !== null) (await context.reporter()).warn(repaired);
}
