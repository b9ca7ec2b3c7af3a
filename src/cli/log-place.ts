import { runSecretCommand } from '../config/settings.ts';
import { SrqError } from '../model/errors.ts';
import type { Context } from './context.ts';

/** Where the log is kept: a file of this machine's, or a store that several machines share. */
export type LogPlace =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** By --log; else it lies in srq's own folder. */
      readonly isGiven: boolean;
    }
  | {
      readonly kind: 'store';
      readonly url: string;
      /** As it may be shown. */
      readonly name: string;
      readonly isEncrypted: boolean;
      /** Null: none is known but what `.pgpass` may hold. */
      readonly password: (() => Promise<string>) | null;
      /** Where the log would be without the store. */
      readonly file: string;
    };

/**
 * Flag before environment before profile; under --sandbox only flags count. `file`: the path in use where nothing else was
 * said. Throws `SrqError('usage')` for flags that contradict each other, or a password among them.
 */
export async function logPlace(context: Context, file: string): Promise<LogPlace> {
  const { log, store, sandbox } = context.options;
  if (log !== undefined && store !== undefined) throw new SrqError('usage', 'Choose one of --log and --store.');
  if (log !== undefined) return { kind: 'file', path: log, isGiven: true };
  const { env } = context.process;
  const profile = sandbox ? null : await storedProfile(context);
  const url = store ?? (sandbox ? undefined : env['SRQ_STORE'] || profile?.store);
  if (url === undefined) return { kind: 'file', path: file, isGiven: false };
  const { storeAddress } = await import('../postgres/store-url.ts');
  const { shown, password, config } = storeAddress(url);
  if (password !== null) context.hide(password);
  if (password !== null && url === store) throw passwordInSight('--store', shown);
  const command = url === profile?.store ? profile.storePasswordCommand : undefined;
  const fromEnv = env['PGPASSWORD'];
  const byCommand = command === undefined ? null : () => runSecretCommand(command);
  const isEncrypted = config.ssl !== false;
  return { kind: 'store', url, name: shown, isEncrypted, password: fromEnv ? async () => fromEnv : byCommand, file };
}

/** Every user of a machine can read its processes' arguments. `shown`: the URL without the password. */
function passwordInSight(flag: string, shown: string): SrqError {
  return new SrqError(
    'usage',
    `A password in ${flag} is open to every user of this machine, and stays in the shell's history.`,
    `Set PGPASSWORD or write it to ~/.pgpass, and leave it out: ${flag} '${shown}'`,
  );
}

async function storedProfile(context: Context) {
  const { value } = await context.profileName();
  return (await context.profiles()).get(value);
}
