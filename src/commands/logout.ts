import type { Context } from '../cli/context.ts';
import { forgetProfile } from '../cli/profiles.ts';
import { printable } from '../report/output.ts';
import { keychainFor } from '../settings/keychain.ts';

/**
 * Removes the profile in use: its credentials, token, contract and mappings, and what was learned about its service. The
 * log is kept, because it prevents leads from being sent twice.
 */
export async function logout(context: Context): Promise<number> {
  const { value: name } = await context.profileName();
  const { log } = await context.paths();
  const forgotten = await forgetProfile(context, name);
  const removed = forgotten !== null;
  const keychain = forgotten && keychainFor(name, forgotten);
  if (keychain && forgotten.secretCommand === keychain.lookup)
    context.reporter.warn(`The secret is still in the keychain of this system. To remove it: ${keychain.remove}`);
  await context.reporter.result('logout', { profile: name, removed, log }, () =>
    printable(removed ? `Logged out of profile ${name}. The log stays: ${log}` : `Profile ${name} was not logged in.`),
  );
  return 0;
}
