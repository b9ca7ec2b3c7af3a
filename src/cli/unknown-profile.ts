import { notLoggedIn } from '../config/settings.ts';
import type { Context } from './context.ts';

/** For what needs no login: a mistyped profile must not pass for one that has nothing in doubt. */
export async function warnOfUnknownProfile(context: Context): Promise<void> {
  if (context.options.sandbox || context.options.log !== undefined) return;
  const { profile, baseUrl, otherProfiles } = await context.settings();
  if (baseUrl !== null || otherProfiles.length === 0) return;
  const { message, hint } = notLoggedIn([], profile.value, otherProfiles);
  (await context.reporter()).warn(`${message} ${hint}`);
}
