import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { SrqError, systemCode } from '../request/words/errors.ts';

const SERVICE = 'srq';
const LIMIT_MS = 10_000;

/**
 * One secret in the operating system's keychain. Each method throws `SrqError('settings')` if the keychain cannot be
 * used.
 */
export interface KeychainEntry {
  read(): Promise<string | null>;
  /** Stores the secret and resolves once it was read back unchanged. */
  write(secret: string): Promise<void>;
  remove(): Promise<void>;
}

export interface KeychainOptions {
  readonly system?: string;
  /** The environment of the system's command. */
  readonly env?: Environment;
  readonly limitMs?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Command {
  readonly words: readonly [program: string, ...args: string[]];
  /** What the command reads. A secret is never an argument, which every process of the machine can see. */
  readonly reads?: string;
}

interface Keychain {
  readonly read: (account: string) => Command;
  readonly write: (account: string, secret: string) => Command;
  readonly remove: (account: string) => Command;
  /** The exit code that says that there is no such entry. */
  readonly isMissing: (code: unknown, stderr: string) => boolean;
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The command of each system that has one. Windows has none that gives a secret back. */
const KEYCHAINS: Readonly<Record<string, Keychain>> = {
  linux: {
    read: (account) => ({ words: ['secret-tool', 'lookup', 'service', SERVICE, 'account', account] }),
    write: (account, secret) => ({
      words: ['secret-tool', 'store', '--label', SERVICE, 'service', SERVICE, 'account', account],
      reads: secret,
    }),
    remove: (account) => ({ words: ['secret-tool', 'clear', 'service', SERVICE, 'account', account] }),
    isMissing: (code, stderr) => code === 1 && stderr === '',
  },
  darwin: {
    read: (account) => ({ words: ['security', 'find-generic-password', '-s', SERVICE, '-a', account, '-w'] }),
    write: (account, secret) => ({
      words: ['security', '-i'],
      reads: `add-generic-password -U -s ${SERVICE} -a ${quoted(account)} -w ${quoted(secret)}\n`,
    }),
    remove: (account) => ({ words: ['security', 'delete-generic-password', '-s', SERVICE, '-a', account] }),
    isMissing: (code) => code === 44,
  },
};

/**
 * Returns the keychain entry of a profile. The entry depends on where its secret is sent: another base URL or client id
 * has another entry.
 */
export function keychainEntry(
  profile: string,
  { baseUrl, clientId }: { readonly baseUrl: string; readonly clientId: string },
  { system = platform(), env = {}, limitMs = LIMIT_MS }: KeychainOptions = {},
): KeychainEntry {
  const account = `${profile} ${clientId} ${baseUrl}`;
  const keychain = KEYCHAINS[system];
  const ask = (command: (keychain: Keychain) => Command) =>
    keychain
      ? asked(command(keychain), keychain, env, limitMs)
      : Promise.reject(unusable('srq knows no command for it on this system'));
  const read = () => ask((of) => of.read(account));
  return {
    read,
    async write(secret) {
      await ask((of) => of.write(account, secret));
      if ((await read()) !== secret) throw unusable('it does not give back what was put into it');
    },
    remove: async () => void (await ask((of) => of.remove(account))),
  };
}

/** Runs a command and returns what it prints, or null if there is no such entry. */
function asked(
  { words: [program, ...args], reads = '' }: Command,
  keychain: Keychain,
  env: Environment,
  limitMs: number,
): Promise<string | null> {
  // The secrets in the environment are for srq alone.
  const { SRQ_CLIENT_SECRET: _, SRQ_KEY_PASSPHRASE: __, PGPASSWORD: ___, ...others } = env;
  const options = {
    timeout: limitMs,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
    env: others,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.replace(/\n$/, ''));
      if (keychain.isMissing(error.code, stderr)) return resolve(null);
      const said = stderr
        .trim()
        .split('\n', 1)[0]
        ?.slice(0, 200)
        .replace(/[^\x20-\x7e]/g, '?');
      const why = systemCode(error) === 'ENOENT' ? `there is no ${program}` : said || `${program} failed`;
      reject(unusable(error.killed ? `no answer within ${limitMs / 1000} s; is it locked?` : why));
    });
    // The callback reports a command that died at its start.
    child.stdin?.on('error', () => {}).end(reads);
  });
}

function unusable(why: string): SrqError {
  return new SrqError(
    'keychain.unusable',
    `The keychain of this machine cannot be used (${why}).`,
    'Use a command that prints the secret, or store it in the settings file: srq login --help',
  );
}
