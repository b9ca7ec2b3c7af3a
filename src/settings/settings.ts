import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { isLoopback } from '../request/small.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';
import { Secret } from '../request/words/secret.ts';
import { normalBaseUrl } from './base-url.ts';
import type { Profile } from './profile-store.ts';

type Source = 'flag' | 'env' | 'profile' | 'default' | 'sandbox';

/** A value and where it came from. */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** The settings that a command works with, and where each of them came from. */
export type Settings = Readonly<ReturnType<typeof resolveSettings>>;

interface KeptSecret {
  readonly state: 'stored' | 'env' | 'command' | 'missing';
  /** Reads the secret. Throws `SrqError('auth')` if there is none or the command that prints it fails. */
  read(): Promise<Secret>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Resolves the settings of a profile. The environment takes precedence over the profile. Throws `SrqError('settings')`
 * if the base URL must not be used.
 */
export function resolveSettings(name: Sourced<string>, profiles: Readonly<Record<string, Profile>>, env: Environment) {
  const profile = Object.hasOwn(profiles, name.value) ? (profiles[name.value] ?? null) : null;
  const baseUrl = pick(env['SRQ_BASE_URL'], profile?.baseUrl);
  const clientId = pick(env['SRQ_CLIENT_ID'], profile?.clientId);
  const normal = baseUrl && { ...baseUrl, value: normalBaseUrl(baseUrl.value) };
  const ownDestination = normal?.value === profile?.baseUrl && clientId?.value === profile?.clientId;
  return {
    profile: name,
    baseUrl: normal,
    clientId,
    /** The only base URL that the profile's own secrets may be sent to, or null if no profile is stored. */
    ownBaseUrl: profile?.baseUrl ?? null,
    // A stored secret is sent only to the base URL and client id that it was stored for.
    secret: keptSecret(env, ownDestination ? profile : null),
    encoding: profile?.encoding ?? 'form',
    /** True for a live service, which asks before a bulk run. Loopback and profiles marked with --test are test services. */
    live: normal !== null && !isLoopback(normal.value) && !(ownDestination && profile?.test === true),
    /** The names of the stored profiles if the profile in use is not stored. Otherwise it is empty. */
    otherProfiles: profile ? [] : Object.keys(profiles),
  };
}

function pick(fromEnv: string | undefined, fromProfile: string | undefined): Sourced<string> | null {
  if (fromEnv) return { value: fromEnv, source: 'env' };
  return fromProfile === undefined ? null : { value: fromProfile, source: 'profile' };
}

/** Returns where a profile's secret is kept, and how it is read. */
function keptSecret(env: Environment, profile: Profile | null): KeptSecret {
  const kept = (state: KeptSecret['state'], read: () => Promise<string>): KeptSecret => ({
    state,
    read: async () => new Secret(await read()),
  });
  const fromEnv = env['SRQ_CLIENT_SECRET'];
  if (fromEnv) return kept('env', async () => fromEnv);
  const { clientSecret, secretCommand } = profile ?? {};
  if (secretCommand !== undefined) return kept('command', () => runSecretCommand(secretCommand, env));
  if (clientSecret !== undefined) return kept('stored', async () => clientSecret);
  return kept('missing', () => Promise.reject(notLoggedIn(['SRQ_CLIENT_SECRET'])));
}

/** Returns the error for missing settings. `others` are the stored profiles if the one in use is not stored. */
export function notLoggedIn(missing: readonly string[], profile?: string, others: readonly string[] = []): SrqError {
  if (profile !== undefined && others.length > 0) {
    return new SrqError(
      'auth.no-profile',
      `There is no profile "${profile}".${didYouMean(profile, others)}`,
      `See what there is: srq profile list    Or log in: srq login --profile ${profile}`,
    );
  }
  return new SrqError(
    'auth.missing',
    `You are not logged in: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
    'Log in with: srq login    Or try it without an account: srq bulk FILE --sandbox',
  );
}

/**
 * Runs a command in the system's shell and returns the first line that it prints. `env` is the environment in which it is
 * looked for. Errors show its program alone, because its arguments may hold a token, and errors get into logs and JSON.
 */
export async function runSecretCommand(command: string, env: Environment | null = null): Promise<string> {
  const [program = ''] = /^(?:"[^"]*"|'[^']*'|[^\s=]*)/.exec(command) ?? [];
  const hint = `Try it by hand: ${program === command ? program : `${program} …`}`;
  try {
    const options = { timeout: 30_000, ...(env === null ? {} : { env: withoutSecrets(env) }) };
    const { stdout } = await promisify(exec)(command, options);
    const secret = stdout.split(/\r?\n/, 1)[0] ?? '';
    if (secret !== '') return secret;
  } catch (error) {
    // The error's message may contain what the command printed, so it is not passed on.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const why = typeof code === 'number' ? `exit code ${code}` : 'it was ended, after at most 30 s';
    throw new SrqError('auth.no-secret', `The secret command failed (${why}).`, hint);
  }
  throw new SrqError('auth.no-secret', 'The secret command printed nothing.', hint);
}

/** Returns the environment for a program that srq calls: the secrets in it are for srq alone. */
function withoutSecrets(env: Environment): NodeJS.ProcessEnv {
  const { SRQ_CLIENT_SECRET: _, PGPASSWORD: __, ...others } = env;
  return others;
}

/**
 * Throws `SrqError('settings')` if the environment turns off Node.js's certificate checks. `authority` says how to name
 * a private certificate authority instead.
 */
export function requireCertificateCheck(env: Environment, authority: string): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new SrqError(
    'certificate.unchecked',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates, and then srq does not send.',
    `Unset it. For a private certificate authority, name its file${authority}`,
  );
}
