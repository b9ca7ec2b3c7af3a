import { text } from 'node:stream/consumers';
import { withProfileFlags } from '../../cli/command-line.ts';
import { certificateFiles, proveCredentials } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { forgetKeychain, warnOfRepair } from '../../cli/profiles.ts';
import { ask, askHidden } from '../../cli/prompt.ts';
import { printable } from '../../report/output.ts';
import { contractName } from '../../report/terminal/contract-text.ts';
import { SrqError } from '../../request/errors.ts';
import type { BodyEncoding } from '../../request/wire.ts';
import { FileTokenCache, secretMark } from '../../settings/account-files.ts';
import { keychainEntry } from '../../settings/keychain.ts';
import { tokenPath } from '../../settings/paths.ts';
import type { Profile } from '../../settings/profile-store.ts';
import { isLoopback, normalBaseUrl, runSecretCommand } from '../../settings/settings.ts';

/** The flags of `login`, as commander parses them. */
export interface LoginOptions {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly clientSecretStdin?: boolean;
  readonly secretCommand?: string;
  readonly keychain?: boolean;
  readonly encoding?: BodyEncoding;
  readonly test?: boolean;
  readonly storePasswordCommand?: string;
}

/** Checks credentials by requesting a token, and then stores them. */
export async function login(context: Context, options: LoginOptions): Promise<number> {
  if (context.options.sandbox) {
    throw new SrqError('usage', '--sandbox needs no login.', 'Just use it: srq bulk FILE --sandbox');
  }
  if (options.keychain && options.secretCommand !== undefined) {
    throw new SrqError('usage', 'Choose one of --keychain and --secret-command.', 'See: srq login --help');
  }
  const store = await givenStore(context, options);
  const name = (await context.profileName()).value;
  const given = await collect(context, options);
  const { baseUrl, clientId } = given;
  const token = await proveCredentials(context, { baseUrl, clientId }, given.secret);
  const profile: Profile = {
    baseUrl,
    clientId,
    ...(await keepSecret(context, name, given, options)),
    ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
    ...(options.test ? { test: true } : {}),
    ...store,
    ...certificateFiles(context.options),
  };
  const profiles = await context.profiles();
  const before = profiles.get(name);
  await profiles.set(name, profile);
  await warnOfRepair(context);
  if (before?.keychain && !(profile.keychain && before.baseUrl === baseUrl && before.clientId === clientId)) {
    await forgetKeychain(context, name, before);
  }
  const cache = tokenPath(await context.paths(), { profile: { value: name } });
  new FileTokenCache(cache, { baseUrl, clientId }, secretMark(given.secret), await context.trust()).write(token);
  const kind = options.test || isLoopback(baseUrl) ? 'test' : 'live';
  const expiresAt = token.expiresAtMs === null ? null : new Date(token.expiresAtMs).toISOString();
  const contract = await context.contract(baseUrl);
  const document = { profile: name, baseUrl, clientId, kind, expiresAt, config: profiles.path };
  const reporter = await context.reporter();
  await reporter.result({ ...document, contract: contract.source }, (paint) =>
    [
      `${paint.green('✓')} The credentials work. Logged in to ${printable(`${baseUrl} as client ${clientId} (profile ${name}, ${kind}).`)}`,
      ...(contract.source ? [`Its requests obey ${contractName(contract)}.`] : []),
      printable(withProfileFlags('Next: srq bulk FILE --dry-run', context.options)),
    ].join('\n'),
  );
  return 0;
}

/** Returns the store settings of the profile. The store is not tried out here; `srq doctor` does that. */
async function givenStore(
  context: Context,
  { storePasswordCommand }: LoginOptions,
): Promise<Pick<Profile, 'store' | 'storePasswordCommand'>> {
  const { store } = context.options;
  if (store === undefined) {
    if (storePasswordCommand === undefined) return {};
    throw new SrqError(
      'usage',
      '--store-password-command is about a store.',
      'Name it: --store postgres://USER@HOST/DATABASE',
    );
  }
  // Throws if the URL is invalid.
  await context.logPlace();
  return { store, ...(storePasswordCommand === undefined ? {} : { storePasswordCommand }) };
}

interface GivenCredentials {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly secret: string;
}

type KeptSecret = Pick<Profile, 'clientSecret' | 'secretCommand' | 'keychain'>;

/**
 * Stores the secret and returns how the profile refers to it. If the keychain fails, the user decides whether to store
 * the secret in the settings file instead.
 */
async function keepSecret(
  context: Context,
  name: string,
  given: GivenCredentials,
  { secretCommand, keychain }: LoginOptions,
): Promise<KeptSecret> {
  if (secretCommand !== undefined) return { secretCommand };
  if (!keychain) return { clientSecret: given.secret };
  try {
    await keychainEntry(name, given, { node: context.process.execPath }).write(given.secret);
    return { keychain: true };
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    const message = `${error.message} Nothing was stored.`;
    if (!context.interactive) throw new SrqError(error.code, message, error.hint, error);
    const reporter = await context.reporter();
    reporter.warn(message);
    const { path } = await context.profiles();
    const answer = await ask(context, `Store the secret in ${printable(path)} (mode 0600) instead? [y/N] `);
    if (/^y(?:es)?$/i.test(answer)) return { clientSecret: given.secret };
    throw new SrqError(error.code, 'The secret was not stored.', error.hint, error);
  }
}

/**
 * Collects the credentials from flags and environment. Missing values are asked for on a terminal, and otherwise named
 * in one error.
 */
async function collect(context: Context, options: LoginOptions): Promise<GivenCredentials> {
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
