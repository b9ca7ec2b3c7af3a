import { text } from 'node:stream/consumers';
import { connectTo, contractFor } from '../cli/connect.ts';
import type { Context } from '../cli/context.ts';
import { profileKind } from '../cli/profiles.ts';
import { askHidden, askUntil } from '../cli/prompt.ts';
import type { LoginOptions } from '../cli/table/options.ts';
import { printable } from '../report/output.ts';
import { contractName, secretAddressText } from '../report/terminal/contract-text.ts';
import { type Contract, isElsewhere, tokenAddress } from '../request/contract/contract.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { CachedToken } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { Secret } from '../request/words/secret.ts';
import { normalBaseUrl, usableBaseUrl } from '../settings/base-url.ts';
import { keychainFor } from '../settings/keychain.ts';
import { type Profile, withoutAccount } from '../settings/profile-store.ts';
import { runSecretCommand } from '../settings/settings.ts';

/** Checks credentials by requesting a token, and then stores them. */
export async function login(context: Context, options: LoginOptions): Promise<number> {
  const profiles = await context.profiles();
  const name = (await context.profileName()).value;
  // The URL of a store is checked before anything is asked. Whether it works, srq doctor says.
  if (context.options.store !== undefined) await context.log.place();
  const given = await collect(context, options);
  const { baseUrl, clientId } = given;
  const before = profiles.get(name);
  // The store and the mark as a test are those of an account, so another one keeps nothing.
  const isSame = before !== null && before.baseUrl === baseUrl && before.clientId === clientId;
  const kept = isSame ? withoutAccount(before) : {};
  const contract = await contractFor(context, baseUrl);
  if (isElsewhere(contract.token)) context.reporter.warn(secretAddressText(contract, baseUrl));
  else context.reporter.say(() => `Getting a token from ${printable(tokenAddress(contract, baseUrl))} …`);
  const alone = { rate: 'auto', concurrency: 1, isAlone: true } as const;
  // Later commands use the token.
  const token = await connectTo(context, { baseUrl, clientId }, async () => new Secret(given.secret), alone)
    .then((connection) => connection.proveCredentials())
    .catch(refused);
  const profile: Profile = {
    ...kept,
    baseUrl,
    clientId,
    ...given.kept,
    encoding: options.encoding ?? kept.encoding,
    test: options.test ?? kept.test,
    store: context.options.store ?? kept.store,
  };
  await profiles.set(name, profile);
  const twins = Object.entries(profiles.all()).filter(
    ([other, each]) => other !== name && each.baseUrl === baseUrl && each.clientId === clientId,
  );
  if (twins.length > 0 && context.options.store === undefined) {
    const others = twins.map(([other]) => other).join(', ');
    context.reporter.warn(
      `Profile ${others} is of the same account. Each profile has a log of its own, and does not know what the other has sent.`,
    );
  }
  if (before && !isSame) {
    const earlier = printable(`${before.baseUrl} as client ${before.clientId}`);
    context.reporter.warn(
      `This is another account than ${earlier}, so what was sent there is new here. If the service is the same, leave validate on: it knows its duplicates.`,
    );
  }
  await tellLogin(context, name, profile, contract, token);
  return 0;
}

/** Reports a login that is done. */
async function tellLogin(
  context: Context,
  name: string,
  profile: Profile,
  contract: Contract,
  token: CachedToken,
): Promise<void> {
  const { baseUrl, clientId } = profile;
  const kind = profileKind(profile);
  const profiles = await context.profiles();
  const expiresAt = token.expiresAtMs === null ? null : new Date(token.expiresAtMs).toISOString();
  const document = {
    ...{ profile: name, baseUrl, clientId, kind, expiresAt, config: profiles.path, contract: contract.source },
    tokenAddress: tokenAddress(contract, baseUrl),
  };
  await context.reporter.result('login', document, (paint) =>
    [
      `${paint.green('✓')} The credentials work. Logged in to ${printable(`${baseUrl} as client ${clientId} (profile ${name}, ${kind}).`)}`,
      ...(contract.source ? [`Its requests follow the API description ${contractName(contract)}.`] : []),
      ...(profiles.current() === name ? [] : [printable(`To use it without --profile: srq profile use ${name}`)]),
      printable(context.withProfile('Next: srq bulk FILE --dry-run')),
    ].join('\n'),
  );
}

/** What hints say of the stored profile. Nothing is stored yet. */
const OF_THE_PROFILE =
  / \(srq status\)| with: srq status\b| srq status says .*$| +What is sent, and where: srq status$| See where it fails: srq doctor$/g;

function refused(error: unknown): never {
  if (!(error instanceof SrqError)) throw error;
  const { reason, message, hint, cause } = error;
  throw new SrqError(reason, `${message} Nothing was stored.`, hint?.replaceAll(OF_THE_PROFILE, '') ?? null, cause);
}

/**
 * Throws `SrqError('usage')` if the login would replace a live profile by one for another destination, although the
 * user has not named the profile. Commands that name no profile, as in cron jobs, would then suddenly send to the other
 * one.
 */
async function requireSameDestination(context: Context, baseUrl: string, clientId: string): Promise<void> {
  const { value: name, source } = await context.profileName();
  const stored = source === 'profile' ? (await context.profiles()).get(name) : null;
  if (stored === null || profileKind(stored) !== 'live') return;
  // No command can send to an address that is refused, so nobody relies on it.
  if (usableBaseUrl(stored.baseUrl) === null) return;
  if (stored.baseUrl === baseUrl && stored.clientId === clientId) return;
  throw new SrqError(
    'profile.leads-elsewhere',
    `Profile ${name} is in force and belongs to another account: ${stored.baseUrl} as client ${stored.clientId}. Nothing was sent or stored.`,
    `Keep both, under a new name: srq login --profile NAME    Or replace it: srq login --profile ${name}`,
  );
}

/** Returns the secret that the command prints. For the keychain, an error says how a person puts it there. */
async function printedSecret(context: Context, account: Destination, options: LoginOptions) {
  const keychain = options.keychain ? keychainFor((await context.profileName()).value, account) : null;
  if (options.keychain && !keychain) {
    const hint = 'Use a command that prints the secret, or store it in the settings file: srq login --help';
    throw new SrqError('keychain.unusable', 'srq knows no command for the keychain of this system.', hint);
  }
  const secretCommand = keychain?.lookup ?? options.secretCommand ?? '';
  const printed = runSecretCommand(secretCommand, context.process.env).catch((error: unknown) => {
    if (keychain === null) throw error;
    const message = `The keychain gives no secret for ${account.baseUrl} as client ${account.clientId}. Nothing was stored.`;
    throw new SrqError('keychain.unusable', message, `Put it there, then run this again: ${keychain.store}`, error);
  });
  return { secret: await printed, kept: { secretCommand } };
}

/**
 * Collects the credentials from flags and environment. Missing values are asked for on a terminal, and otherwise named
 * in one error. `kept` says how the profile gets the secret: it holds it, or a command that prints it.
 */
async function collect(context: Context, options: LoginOptions) {
  const { env, stdin } = context.process;
  const before = (await context.profiles()).get((await context.profileName()).value);
  // Enter keeps what the profile has.
  const asked = (name: string, kept: string | undefined, accepts: (answer: string) => string) => {
    const question = kept === undefined ? `${name}: ` : `${name} (Enter for ${printable(kept)}): `;
    return askUntil(context, question, (answer) => accepts(answer || (kept ?? '')));
  };
  const url = options.baseUrl ?? env['SRQ_BASE_URL'] ?? '';
  const isUrlAsked = url === '' && context.interactive;
  const baseUrl = isUrlAsked ? await asked('Base URL', before?.baseUrl, normalBaseUrl) : url && normalBaseUrl(url);
  // A login also repairs an address that cannot be used, so the settings have the new one from now on.
  if (baseUrl !== '') context.newBaseUrl = baseUrl;
  const clientId = options.clientId ?? env['SRQ_CLIENT_ID'] ?? '';
  const isPrinted = options.keychain || options.secretCommand !== undefined;
  const piped = options.clientSecretStdin ? ((await text(stdin)).split(/\r?\n/, 1)[0] ?? '') : null;
  const secret = isPrinted ? '' : (piped ?? env['SRQ_CLIENT_SECRET'] ?? '');
  const missing = [
    ...(baseUrl === '' ? ['--base-url URL (or SRQ_BASE_URL)'] : []),
    ...(clientId === '' ? ['--client-id ID (or SRQ_CLIENT_ID)'] : []),
    ...(secret === '' && !isPrinted
      ? ['the client secret (SRQ_CLIENT_SECRET, --client-secret-stdin or --secret-command)']
      : []),
  ];
  if (missing.length > 0 && !context.interactive) {
    throw new SrqError(
      'login.incomplete',
      `Missing: ${missing.join('; ')}.`,
      'Give all of them, or run srq login in a terminal to be asked.',
    );
  }
  const id = clientId || (await asked('Client id', before?.clientId, given));
  await requireSameDestination(context, baseUrl, id);
  const account = { baseUrl, clientId: id };
  if (isPrinted) return { ...account, ...(await printedSecret(context, account, options)) };
  // A secret is of one account. Enter keeps it, so that a login can change the rest.
  const isSame = before?.baseUrl === baseUrl && before.clientId === id;
  const kept = isSame ? before.clientSecret : undefined;
  const question = `Client secret (not shown${kept === undefined ? '' : '; Enter keeps it'}): `;
  const accepted = (answer: string) => given(answer || (kept ?? ''));
  const clientSecret = secret || (await askUntil(context, question, accepted, askHidden));
  return { ...account, secret: clientSecret, kept: { clientSecret } };
}

/** Accepts any answer that is not empty. */
function given(answer: string): string {
  if (answer !== '') return answer;
  throw new SrqError('login.incomplete', 'It must not be empty. Ctrl-C leaves without storing anything.');
}
