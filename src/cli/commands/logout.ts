import { rm } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { tokenPath } from '../state-paths.ts';

/** Forgets credentials and token of the profile in force. The log stays: it is what keeps leads from being sent twice. */
export async function logout(context: Context): Promise<number> {
  const name = await context.profileName();
  const paths = await context.paths();
  const removed = await (await context.profiles()).remove(name.value);
  await rm(tokenPath(paths, { profile: name }), { force: true });
  const reporter = await context.reporter();
  await reporter.result({ profile: name.value, removed, log: paths.log }, () =>
    removed
      ? `Logged out of profile ${name.value}. The log stays: ${paths.log}`
      : `Profile ${name.value} was not logged in.`,
  );
  return 0;
}
