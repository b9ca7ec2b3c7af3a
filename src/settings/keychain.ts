import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { promisify } from 'node:util';
import { SrqError, systemCode } from '../request/words/errors.ts';
import type { Profile } from './profile-store.ts';
import { type Environment, runSecretCommand, withoutSecrets } from './settings.ts';

const LIMIT_MS = 10_000;

/** The words with which a system's own command keeps a secret. The secret is never one of them: each process sees them. */
interface Keychain {
  /** Prints the secret. It is the secret command of the profile. */
  readonly lookup: string;
  readonly store: readonly string[];
  /** What `store` reads. */
  readonly reads: (secret: string) => string;
  readonly clear: readonly string[];
}

/** Windows has no command that gives a secret back. */
const KEYCHAINS: Readonly<Record<string, (account: string) => Keychain>> = {
  linux: (account) => ({
    lookup: `secret-tool lookup service srq account ${account}`,
    store: ['secret-tool', 'store', '--label', 'srq', 'service', 'srq', 'account', account],
    reads: (secret) => secret,
    clear: ['secret-tool', 'clear', 'service', 'srq', 'account', account],
  }),
  darwin: (account) => ({
    lookup: `security find-generic-password -s srq -a ${account} -w`,
    store: ['security', '-i'],
    reads: (secret) => `add-generic-password -U -s srq -a ${account} -w "${secret.replace(/["\\]/g, '\\$&')}"\n`,
    clear: ['security', 'delete-generic-password', '-s', 'srq', '-a', account],
  }),
};

type Account = Pick<Profile, 'baseUrl' | 'clientId'>;

/** A secret of another base URL or client id has another place. */
function keychainOf(profile: string, { baseUrl, clientId }: Account): Keychain | undefined {
  const account = [profile, clientId, baseUrl].map((part) => encodeURIComponent(part).replaceAll("'", '%27')).join('/');
  return KEYCHAINS[platform()]?.(account);
}

/**
 * Puts a secret into the keychain of this system, and returns the command that prints it. Throws `SrqError('settings')` if
 * it cannot be used.
 */
export async function keepInKeychain(profile: string, account: Account, secret: string, env: Environment) {
  const keychain = keychainOf(profile, account);
  if (!keychain) throw unusable('srq knows no command for it on this system');
  const { lookup, store, reads } = keychain;
  await asked(store, reads(secret), env);
  const kept = await runSecretCommand(lookup, platform(), env).catch(() => null);
  if (kept !== secret) throw unusable('it does not give back what was put into it');
  return lookup;
}

/** Removes a profile's secret from the keychain, if it is there. */
export async function clearKeychain(name: string, profile: Profile, env: Environment): Promise<void> {
  const keychain = keychainOf(name, profile);
  if (keychain && profile.secretCommand === keychain.lookup) await asked(keychain.clear, '', env);
}

async function asked([program = '', ...args]: readonly string[], reads: string, env: Environment): Promise<void> {
  const running = promisify(execFile)(program, args, {
    ...{ timeout: LIMIT_MS, killSignal: 'SIGKILL', env: withoutSecrets(env) },
  });
  // A command that died at its start is told below.
  running.child.stdin?.on('error', () => {}).end(reads);
  await running.catch((error: Error & { readonly killed?: boolean; readonly stderr?: string }) => {
    if (error.killed) throw unusable(`no answer within ${LIMIT_MS / 1000} s; is it locked?`);
    const [said = ''] = (error.stderr ?? '').trim().slice(0, 200).split('\n', 1);
    const why = said.replace(/[^\x20-\x7e]/g, '?') || `${program} failed`;
    throw unusable(systemCode(error) === 'ENOENT' ? `there is no ${program}` : why);
  });
}

function unusable(why: string): SrqError {
  return new SrqError(
    'keychain.unusable',
    `The keychain of this machine cannot be used (${why}).`,
    'Use a command that prints the secret, or store it in the settings file: srq login --help',
  );
}
