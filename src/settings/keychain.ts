import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { SrqError } from '../request/words/errors.ts';

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
  /** The path of the Node.js program. */
  readonly node: string;
  /** The path of the library, or null if there is none. If it is left out, the installed library is used. */
  readonly library?: string | null;
  readonly limitMs?: number;
}

/**
 * The program that asks the keychain in a process of its own. The library's native code can only be interrupted by the
 * end of its process, and a locked keychain may wait for a person for ever. The secret is passed through pipes in both
 * directions. On Linux the program uses the secret service, because the kernel's keyring is lost when the machine
 * restarts.
 */
const ASK = `
import { createRequire } from 'node:module';
import { stdin, stdout } from 'node:process';
let text = '';
for await (const part of stdin) text += part;
const { library, service, account, action, secret } = JSON.parse(text);
const { Entry } = createRequire(library)(library);
const entry = new Entry(service, account, { linux: { store: 'secret-service' } });
if (action === 'write') entry.setPassword(secret);
if (action === 'remove') entry.deletePassword();
const found = action === 'remove' ? null : entry.getPassword();
stdout.write(JSON.stringify({ found: found ?? null }));
`;

type Action = 'read' | 'write' | 'remove';

/**
 * Returns the keychain entry of a profile. The entry depends on where its secret is sent: another base URL or client id
 * has another entry.
 */
export function keychainEntry(
  profile: string,
  { baseUrl, clientId }: { readonly baseUrl: string; readonly clientId: string },
  { node, library = installedLibrary(), limitMs = LIMIT_MS }: KeychainOptions,
): KeychainEntry {
  const account = `${profile} ${clientId} ${baseUrl}`;
  const ask = (action: Action, secret: string | null) =>
    library === null
      ? Promise.reject(unusable('this srq was installed without its optional library @napi-rs/keyring'))
      : askProcess(node, { library, service: SERVICE, account, action, secret }, limitMs);
  return {
    read: () => ask('read', null),
    async write(secret) {
      if ((await ask('write', secret)) !== secret || (await ask('read', null)) !== secret) {
        throw unusable('it does not give back what was put into it');
      }
    },
    remove: async () => void (await ask('remove', null)),
  };
}

function installedLibrary(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    return null;
  }
}

function askProcess(node: string, question: object, limitMs: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    // Nothing catches what is thrown in the callback of `execFile`.
    const resolveFound = (stdout: string) => {
      try {
        resolve(JSON.parse(stdout).found);
      } catch {
        reject(unusable('its library printed something else than its answer'));
      }
    };
    const args = ['--input-type=module', '-e', ASK];
    const options = { timeout: limitMs, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
    const child = execFile(node, args, options, (error, stdout, stderr) => {
      if (error)
        reject(unusable(error.killed ? `no answer within ${limitMs / 1000} s; is it locked?` : reasonIn(stderr)));
      else resolveFound(stdout);
    });
    // The callback of `execFile` reports a child that died at its start.
    child.stdin?.on('error', () => {}).end(JSON.stringify(question));
  });
}

/** Returns the library's error message from the stack trace that its process printed. */
function reasonIn(stderr: string): string {
  const said = /^\w*Error: (.{1,200})/m.exec(stderr)?.[1] ?? 'its library failed';
  return said.replace(/[^\x20-\x7e]/g, '?');
}

function unusable(why: string): SrqError {
  return new SrqError(
    'keychain.unusable',
    `The keychain of this machine cannot be used (${why}).`,
    'Use a command that prints the secret, or store it in the settings file: srq login --help',
  );
}
