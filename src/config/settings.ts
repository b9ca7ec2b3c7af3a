import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SrqError } from '../model/errors.ts';
import type { BodyEncoding } from '../model/wire.ts';
import { isLoopback, normalBaseUrl } from './base-url.ts';
import type { Profile } from './profile-store.ts';

type Source = 'flag' | 'env' | 'profile' | 'default' | 'sandbox';

export interface Sourced<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** Everything a command needs to know of its surroundings, and where each value came from. */
export interface Settings {
  readonly profile: Sourced<string>;
  readonly baseUrl: Sourced<string> | null;
  readonly clientId: Sourced<string> | null;
  readonly secret: Secret;
  readonly encoding: BodyEncoding;
  /** Live services ask before a bulk run. Loopback and profiles marked with --test are tests. */
  readonly live: boolean;
}

interface Secret {
  readonly state: 'stored' | 'env' | 'command' | 'missing';
  /** Throws `SrqError('auth')` when there is none, or the command that prints it fails. */
  read(): Promise<string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment before profile. Throws `SrqError('settings')` for a base URL that must not be used. */
export function resolveSettings(name: Sourced<string>, profile: Profile | null, env: Environment): Settings {
  const baseUrl = pick(env['SRQ_BASE_URL'], profile?.baseUrl);
  const clientId = pick(env['SRQ_CLIENT_ID'], profile?.clientId);
  const normal = baseUrl && { ...baseUrl, value: normalBaseUrl(baseUrl.value) };
  const ownDestination = normal?.value === profile?.baseUrl && clientId?.value === profile?.clientId;
  return {
    profile: name,
    baseUrl: normal,
    clientId,
    // A stored secret goes nowhere but where it was stored for.
    secret: secretOf(env['SRQ_CLIENT_SECRET'], ownDestination ? profile : null),
    encoding: profile?.encoding ?? 'form',
    live: normal !== null && !isLoopback(normal.value) && !(ownDestination && profile?.test === true),
  };
}

function pick(fromEnv: string | undefined, fromProfile: string | undefined): Sourced<string> | null {
  if (fromEnv) return { value: fromEnv, source: 'env' };
  return fromProfile === undefined ? null : { value: fromProfile, source: 'profile' };
}

function secretOf(fromEnv: string | undefined, profile: Profile | null): Secret {
  if (fromEnv) return { state: 'env', read: async () => fromEnv };
  const { clientSecret, secretCommand } = profile ?? {};
  if (secretCommand !== undefined) return { state: 'command', read: () => runSecretCommand(secretCommand) };
  if (clientSecret !== undefined) return { state: 'stored', read: async () => clientSecret };
  return { state: 'missing', read: () => Promise.reject(notLoggedIn(['SRQ_CLIENT_SECRET'])) };
}

export function notLoggedIn(missing: readonly string[]): SrqError {
  return new SrqError(
    'auth',
    `You are not logged in: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
    'Log in with: srq login    Or try it without an account: srq bulk FILE --sandbox',
  );
}

/** Runs a command (words split at blanks, quotes kept together, no shell) and returns the first line it prints. */
export async function runSecretCommand(command: string): Promise<string> {
  const [program = '', ...args] = splitWords(command);
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 30_000, encoding: 'utf8' });
    const secret = stdout.split(/\r?\n/, 1)[0] ?? '';
    if (secret !== '') return secret;
  } catch (error) {
    // The error's text may hold what the command printed: not passed on.
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new SrqError('auth', `The secret command failed${code}.`, `Try it by hand: ${command}`);
  }
  throw new SrqError('auth', 'The secret command printed nothing.', `Try it by hand: ${command}`);
}

function splitWords(command: string): string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
