import { withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';
import type { Destination } from '../../request/lead/service-request.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type Profile, withoutAccount } from '../../settings/profile-store.ts';

/** The settings of a profile that a login may leave as they are: all but the account and its secret. */
type KeptSettings = Partial<Profile>;

/** How the settings that a login keeps are named for people. */
const NAMES: Readonly<Record<string, string>> = {
  store: 'its store',
  storePasswordCommand: "the command for the store's password",
  encoding: 'how requests are sent',
  test: 'that it is a test',
  caFile: 'the certificate authorities',
  certFile: 'the client certificate',
  keyFile: 'the key of that certificate',
};

/**
 * Returns what the stored profile keeps through a login. It keeps nothing if the login is for another account, because
 * its records, certificates and mark as a test are those of the account.
 */
export function keptSettings(before: Profile | null, { baseUrl, clientId }: Destination): KeptSettings {
  if (before === null || before.baseUrl !== baseUrl || before.clientId !== clientId) return {};
  return withoutAccount(before);
}

/** Tells the user which settings a login has left as they were, and how to get rid of them. */
export async function tellKept(context: Context, kept: KeptSettings, profile: Profile): Promise<void> {
  const names = Object.entries(NAMES).filter(([key]) => kept[key] !== undefined && kept[key] === profile[key]);
  if (names.length === 0) return;
  const text = `Kept from the earlier login: ${names.map(([, name]) => name).join(', ')}. To drop that: srq logout, then log in again.`;
  (await context.reporter()).say(() => printable(withProfileFlags(text, context.options)));
}

/**
 * Warns that a login for another account leaves the profile without the store that it had, because the next run then
 * looks into another log.
 */
export async function warnOfLostStore(context: Context, name: string, before: Profile, after: Destination) {
  if (before.store === undefined || context.options.store !== undefined) return;
  const { storeAddress } = await import('../../store/postgres/store-url.ts');
  const { shown } = storeAddress(before.store);
  const account = `${before.baseUrl} as client ${before.clientId}`;
  await context.warn(
    `Profile ${name} had its log in the store ${shown}, for ${account}. For ${after.baseUrl} as client ${after.clientId} it has no store: without SRQ_STORE, its log is a file. To have the store here as well, log in with: --store URL`,
  );
}

/**
 * Returns the store settings of the profile. The store is not tested here, but by `srq doctor`. Throws
 * `SrqError('usage')` or `SrqError('settings')` if the flags cannot be used.
 */
export async function storeSettings(
  context: Context,
  passwordCommand: string | undefined,
  kept: KeptSettings,
): Promise<Pick<Profile, 'store' | 'storePasswordCommand'>> {
  const store = context.options.store ?? kept.store;
  if (store === undefined) {
    if (passwordCommand === undefined) return {};
    throw new SrqError(
      'flags.incomplete',
      '--store-password-command needs --store.',
      'Add: --store postgres://USER@HOST/DATABASE',
    );
  }
  // This call throws if the URL is invalid.
  if (context.options.store !== undefined) await context.logPlace();
  // The password is that of one store, and is not handed to another.
  const command = passwordCommand ?? (store === kept.store ? kept.storePasswordCommand : undefined);
  return { store, ...(command === undefined ? {} : { storePasswordCommand: command }) };
}
