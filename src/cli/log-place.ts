import { join } from 'node:path';
import type { LogPlace } from '../account/program.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Context } from './context.ts';

/**
 * Determines where the log is kept. Flags take precedence over the environment, and the environment over the profile;
 * with --sandbox only flags count. `stateFolder` is the folder for a log that no flag names. Throws `SrqError('usage')`
 * or `SrqError('settings')` if flags contradict each other, contain a password, or are invalid.
 */
export async function logPlace(context: Context, stateFolder: string): Promise<LogPlace> {
  const profile = context.options.sandbox ? null : (await context.profileName()).value;
  const file = join(stateFolder, `${profile ?? 'sandbox'}.ndjson`);
  const { log, store, freshStore } = context.options;
  if (log !== undefined) return { kind: 'file', path: log, isGiven: true };
  const { env } = context.process;
  const url =
    store ?? (profile === null ? undefined : env['SRQ_STORE'] || (await context.profiles()).get(profile)?.store);
  if (url === undefined && freshStore)
    throw new SrqError(
      'flags.incomplete',
      '--fresh-store needs a store.',
      'Name it: --store postgres://USER@HOST/DATABASE',
    );
  if (url === undefined) return { kind: 'file', path: file, isGiven: false };
  const { storeAddress } = await import('../store/postgres/store-url.ts');
  const { shown, password, config } = storeAddress(url);
  if (password !== null) context.addSecret(password);
  // Every user of a machine can read the arguments of its processes.
  if (password !== null && url === store) {
    throw new SrqError(
      'store.password-shown',
      "Every user of this machine can see a password in --store, and it stays in the shell's history.",
      `Set PGPASSWORD, and leave it out: --store '${shown}'`,
    );
  }
  const fromEnv = env['PGPASSWORD'];
  const isEncrypted = config.ssl !== false;
  return { kind: 'store', url, name: shown, isEncrypted, password: fromEnv ? async () => fromEnv : null, file };
}
