import { rm } from 'node:fs/promises';
import { SrqError } from '../request/errors.ts';
import { keychainEntry } from '../settings/keychain.ts';
import { tokenPath } from '../settings/paths.ts';
import type { Profile } from '../settings/profile-store.ts';
import { notLoggedIn } from '../settings/settings.ts';
import type { Context } from './context.ts';

/** Forgets a profile's credentials, wherever they are kept, and its token. Null if there was no such profile. */
export async function forgetProfile(context: Context, name: string): Promise<Profile | null> {
  const removed = await (await context.profiles()).remove(name);
  await rm(tokenPath(await context.paths(), { profile: { value: name } }), { force: true });
  await warnOfRepair(context);
  if (removed?.keychain) await forgetKeychain(context, name, removed);
  return removed;
}

/** Takes a profile's secret out of the keychain; says so where it stays there. */
export async function forgetKeychain(context: Context, name: string, profile: Profile): Promise<void> {
  try {
    await keychainEntry(name, profile, { node: context.process.execPath }).remove();
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const reporter = await context.reporter();
    reporter.warn(`The secret of profile ${name} is still in the keychain, under "srq". ${error.message}`);
  }
}

/** Says what a change of the settings also put right: somebody may have looked in meanwhile. */
export async function warnOfRepair(context: Context): Promise<void> {
  const { repaired } = await context.profiles();
  if (repaired !== null) (await context.reporter()).warn(repaired);
}

/** For what needs no login: a mistyped profile must not pass for one that has nothing in doubt. */
export async function warnOfUnknownProfile(context: Context): Promise<void> {
  if (context.options.sandbox || context.options.log !== undefined) return;
  const { profile, baseUrl, otherProfiles } = await context.settings();
  if (baseUrl !== null || otherProfiles.length === 0) return;
  const { message, hint } = notLoggedIn([], profile.value, otherProfiles);
  (await context.reporter()).warn(`${message} ${hint}`);
}
