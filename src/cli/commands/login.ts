import { text } from 'node:stream/consumers';
import { isLoopback, normalBaseUrl } from '../../config/base-url.ts';
import type { Profile } from '../../config/profile-store.ts';
import { runSecretCommand } from '../../config/settings.ts';
import { FileTokenCache, secretMark } from '../../config/token-cache.ts';
import { SrqError } from '../../model/errors.ts';
import type { BodyEncoding } from '../../model/wire.ts';
import { proveCredentials } from '../connect.ts';
import type { Context } from '../context.ts';
import { ask, askHidden } from '../prompt.ts';
import { tokenPath } from '../state-paths.ts';

export interface LoginOptions {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly clientSecretStdin?: boolean;
  readonly secretCommand?: string;
  readonly encoding?: BodyEncoding;
  readonly test?: boolean;
}

/** Proves credentials with a token, and only then stores them. */
export async function login(context: Context, options: LoginOptions): Promise<number> {
  if (context.options.sandbox) {
    throw new SrqError('usage', '--sandbox needs no login.', 'Just use it: srq bulk FILE --sandbox');
  }
  const name = (await context.profileName()).value;
  const given = await collect(context, options);
  const { baseUrl, clientId } = given;
  const token = await proveCredentials(context, { baseUrl, clientId }, given.secret);
  const profile: Profile = {
    baseUrl,
    clientId,
    ...(options.secretCommand === undefined
      ? { clientSecret: given.secret }
      : { secretCommand: options.secretCommand }),
    ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
    ...(options.test ? { test: true } : {}),
  };
  const profiles = await context.profiles();
  await profiles.set(name, profile);
  const named = { profile: { value: name, source: 'profile' } } as const;
  const cache = tokenPath(await context.paths(), named);
  new FileTokenCache(cache, { baseUrl, clientId }, secretMark(given.secret)).write(token);
  const kind = options.test || isLoopback(baseUrl) ? 'test' : 'live';
  const expiresAt = token.expiresAtMs === null ? null : new Date(token.expiresAtMs).toISOString();
  const reporter = await context.reporter();
  await reporter.result({ profile: name, baseUrl, clientId, kind, expiresAt, config: profiles.path }, (paint) =>
    [
      `${paint.green('✓')} The credentials work. Logged in to ${baseUrl} as client ${clientId} (profile ${name}, ${kind}).`,
      `Next: srq bulk FILE --dry-run`,
    ].join('\n'),
  );
  return 0;
}

interface Given {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly secret: string;
}

/** From flags and environment; what is missing is asked for on a terminal, else named in one error. */
async function collect(context: Context, options: LoginOptions): Promise<Given> {
  const { env } = context.process;
  const baseUrl = options.baseUrl ?? env['SRQ_BASE_URL'] ?? '';
  const clientId = options.clientId ?? env['SRQ_CLIENT_ID'] ?? '';
  if (baseUrl !== '') normalBaseUrl(baseUrl);
  const secret = await givenSecret(context, options);
  const missing = [
    ...(baseUrl === '' ? ['--base-url URL (or SRQ_BASE_URL)'] : []),
    ...(clientId === '' ? ['--client-id ID (or SRQ_CLIENT_ID)'] : []),
    ...(secret === '' ? ['the client secret (SRQ_CLIENT_SECRET, --client-secret-stdin or --secret-command)'] : []),
  ];
  if (missing.length > 0 && !context.interactive) {
    throw new SrqError(
      'usage',
      `Missing: ${missing.join('; ')}.`,
      'Give all of them, or run srq login in a terminal to be asked.',
    );
  }
  const address = normalBaseUrl(baseUrl || (await ask(context, 'Base URL: ')));
  const id = clientId || (await ask(context, 'Client id: '));
  const key = secret || (await askHidden(context, 'Client secret (not shown):'));
  if (id === '' || key === '') throw new SrqError('usage', 'Client id and client secret must not be empty.');
  return { baseUrl: address, clientId: id, secret: key };
}

async function givenSecret(context: Context, options: LoginOptions): Promise<string> {
  if (options.secretCommand !== undefined) return runSecretCommand(options.secretCommand);
  if (options.clientSecretStdin) return (await text(context.process.stdin)).split(/\r?\n/, 1)[0] ?? '';
  return context.process.env['SRQ_CLIENT_SECRET'] ?? '';
}
