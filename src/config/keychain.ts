import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { SrqError } from '../model/errors.ts';

const SERVICE = 'srq';
const LIMIT_MS = 3_000;

/** One secret of the operating system's keychain. Every method throws `SrqError('settings')` where it cannot be used. */
export interface KeychainEntry {
  read(): Promise<string | null>;
  /** Resolves once the secret was read back as it was written. */
  write(secret: string): Promise<void>;
  remove(): Promise<void>;
}

export interface KeychainOptions {
  /** The Node.js program. */
  readonly node: string;
  /** Path of the library; null: the installed one, if there is one. */
  readonly library?: string | null;
  readonly limitMs?: number;
}

/**
 * The library asks the keychain in native code that nothing but the end of its process can break off, and a locked keychain
 * may wait for a person for ever. So it runs in a process of its own. The secret goes there and back through pipes. On Linux
 * only a lasting keychain will do: the kernel's forgets everything at the next start of the machine.
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

/** The entry of a profile. It is bound to where its secret may go: another base URL or client id has another entry. */
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
    const args = ['--input-type=module', '-e', ASK];
    const options = { timeout: limitMs, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
    const child = execFile(node, args, options, (error, stdout, stderr) => {
      if (error)
        reject(unusable(error.killed ? `no answer within ${limitMs / 1000} s; is it locked?` : reasonIn(stderr)));
      else resolve(JSON.parse(stdout).found);
    });
    // A child that died at its start is told about by the callback.
    child.stdin?.on('error', () => {}).end(JSON.stringify(question));
  });
}

/** What the library said, out of the trace of its process. */
function reasonIn(stderr: string): string {
  const said = /^\w*Error: (.{1,200})/m.exec(stderr)?.[1] ?? 'its library failed';
  return said.replace(/[^\x20-\x7e]/g, '?');
}

function unusable(why: string): SrqError {
  return new SrqError(
    'settings',
    `The keychain of this machine cannot be used (${why}).`,
    'Name a command that prints the secret, or let the settings file hold it: srq login --help',
  );
}
