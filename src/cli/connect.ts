import { resolve } from 'node:path';
import {
  type ConnectedAccount,
  type Connection,
  type ConnectOptions,
  openConnection,
  proveCredentials,
} from '../account/connection.ts';
import { type Contract, isElsewhere, ownKey } from '../request/contract/contract.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { CachedToken } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Secret } from '../request/words/secret.ts';
import { type CertificateFiles, secureContextOf } from '../service/network/certificates.ts';
import { type Network, type ProxySettings, proxyFor } from '../service/network/connector.ts';
import { notLoggedIn, requireCertificateCheck, type Settings } from '../settings/settings.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './table/options.ts';
import { keepParserPlain } from './v8-flags.ts';

/**
 * Returns the destination of the profile in use under this contract. Throws `SrqError('auth')` naming every missing
 * setting.
 */
export function destinationOf(settings: Settings, contract: Contract): Destination {
  const missing = [
    ...(settings.baseUrl ? [] : ['base URL']),
    ...(settings.clientId ? [] : ['client id']),
    ...(settings.secret.state === 'missing' && ownKey(contract) === null ? ['client secret'] : []),
  ];
  if (!settings.baseUrl || !settings.clientId || missing.length > 0) {
    throw notLoggedIn(missing, settings.profile.value, settings.otherProfiles);
  }
  return { baseUrl: settings.baseUrl.value, clientId: settings.clientId.value };
}

/** The options for connecting. `watch` is called with every call. `timeoutMs` is that of --timeout unless given. */
type CommandConnectOptions = ConnectOptions & { readonly watch?: Trace; readonly timeoutMs?: number };

type Trace = ConnectedAccount['traces'][number];

/** Connects to the service of the profile in use. Nothing is sent yet. */
export async function connect(context: Context, given: CommandConnectOptions): Promise<Connection> {
  const { watch, timeoutMs, ...options } = given;
  const settings = await context.settings();
  const destination = destinationOf(settings, await context.contract());
  const contract = await contractFor(context, destination.baseUrl);
  if (options.concurrency === 1) keepParserPlain();
  const surroundings = await surroundingsOf(context, settings.certificates);
  const traces = [...(watch ? [watch] : []), ...surroundings.traces];
  const readSecret = () => settings.secret.read();
  const ownTimeout = timeoutMs === undefined ? {} : { timeoutMs };
  const account = { ...surroundings, ...ownTimeout, traces, destination, contract, readSecret };
  return openConnection(context, account, options);
}

/**
 * Requests a token with credentials that are not stored yet. `certificates` are those of the profile, over which flags
 * take precedence. Resolves to null if the service issues none. Throws the errors of `Tokens.prove`.
 */
export async function proveNewCredentials(
  context: Context,
  destination: Destination,
  secret: Secret,
  certificates: CertificateFiles,
): Promise<CachedToken | null> {
  const contract = await contractFor(context, destination.baseUrl);
  keepParserPlain();
  const surroundings = await surroundingsOf(context, certificates);
  const account = { ...surroundings, destination, contract, readSecret: async () => secret };
  return proveCredentials(context, account, secret);
}

/**
 * Returns the parts of an account that flags and environment decide: how the service is reached, and the listeners for
 * calls.
 */
async function surroundingsOf(
  context: Context,
  certificates: CertificateFiles,
): Promise<Pick<ConnectedAccount, 'network' | 'timeoutMs' | 'traces'>> {
  const { timeout, verbose } = context.options;
  return {
    network: (baseUrl) => networkOf(context, baseUrl, certificates),
    timeoutMs: timeout === undefined ? null : timeout * 1000,
    traces: verbose ? [await callPrinter(context)] : [],
  };
}

/**
 * Returns the function that prints calls for --verbose. Each call is printed as a whole when it has ended, so that
 * concurrent calls do not mix.
 */
async function callPrinter(context: Context): Promise<Trace> {
  const { callText } = await import('../report/terminal/call-text.ts');
  return (call) => context.process.stderr.write(callText(call));
}

/**
 * Loads the contract for a base URL. Throws `SrqError('settings')` if the contract was learned for another base URL and
 * holds keys, or sends the client secret to another host.
 */
export async function contractFor(context: Context, baseUrl: string): Promise<Contract> {
  const contract = await context.contract(baseUrl);
  const { profile, ownBaseUrl } = await context.settings();
  if (ownBaseUrl === null || ownBaseUrl === baseUrl) return contract;
  const { holdsSecrets } = await import('../contract/secrets.ts');
  const isKept = !holdsSecrets(contract);
  if (isKept && !isElsewhere(contract.token)) return contract;
  throw new SrqError(
    'contract.other-service',
    isKept
      ? `The API description of profile ${profile.value} gets the tokens for ${ownBaseUrl} from ${contract.token.origin}; the secret for ${baseUrl} is not sent there.`
      : `The API description of profile ${profile.value} holds keys for ${ownBaseUrl}; they are not sent to ${baseUrl}.`,
    'Use a profile of its own for each address, and learn the API description for it: srq contract learn FILE --profile NAME',
  );
}

/**
 * Returns the proxy and the certificates, from flags, environment and profile. Throws `SrqError('settings')` if a proxy
 * or file cannot be used, or if certificate checks are turned off.
 */
function networkOf(context: Context, baseUrl: string, stored: CertificateFiles): Network {
  const { env } = context.process;
  requireCertificateCheck(env, ': --ca-file FILE');
  const keyPassphrase = env['SRQ_KEY_PASSPHRASE'] || null;
  if (keyPassphrase !== null) context.addSecret(keyPassphrase);
  const files = { ...stored, ...certificateFiles(context.options) };
  return {
    proxy: proxyFor(baseUrl, proxySettings(env)),
    secureContext: secureContextOf(files, { keyPassphrase, extraCaFile: env['NODE_EXTRA_CA_CERTS'] || null }),
  };
}

function proxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  return { https: env['https_proxy'] || env['HTTPS_PROXY'] || null, no: env['no_proxy'] || env['NO_PROXY'] || null };
}

/**
 * Returns the certificate files named by the flags as absolute paths, because a profile is used from other folders as
 * well.
 */
export function certificateFiles({ caFile, cert, key }: GlobalOptions): CertificateFiles {
  return {
    ...(caFile === undefined ? {} : { caFile: resolve(caFile) }),
    ...(cert === undefined ? {} : { certFile: resolve(cert) }),
    ...(key === undefined ? {} : { keyFile: resolve(key) }),
  };
}
