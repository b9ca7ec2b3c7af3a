import { resolve } from 'node:path';
import { CONTRADICTION_HINT, contradictionText } from '../report/terminal/contract-text.ts';
import { type Contract, contractFingerprint, isElsewhere, ownKey, tokenBaseUrl } from '../request/contract.ts';
import { SrqError } from '../request/errors.ts';
import type { AudioReader, CachedToken, TokenCache, TracedCall } from '../request/ports.ts';
import type { Destination } from '../request/service-request.ts';
import { type CertificateFiles, secureContextOf } from '../service/network/certificates.ts';
import { type Network, type ProxySettings, proxyFor } from '../service/network/connector.ts';
import type { ChosenRate } from '../service/pacing/adaptive-rate.ts';
import type { Refused } from '../service/pacing/rate-limiter.ts';
import { RequestApi } from '../service/request-api.ts';
import { type Authorizer, bearerAuthorizer, fixedAuthorizer } from '../service/token/authorizer.ts';
import { type Credentials, Tokens } from '../service/token/token.ts';
import { Http } from '../service/wire/http.ts';
import { notLoggedIn, requireCertificateCheck, type Settings } from '../settings/settings.ts';
import { type Account, openAccount } from './account.ts';
import type { GlobalOptions } from './command.ts';
import { withProfileFlags } from './command-line.ts';
import type { Context } from './context.ts';
import { keepParserPlain } from './v8-flags.ts';

/** A connection to the service for one account. */
export interface Connection extends Omit<Account, 'limiter' | 'token' | 'answers' | 'remember'> {
  readonly api: RequestApi;
  readonly destination: Destination;
  readonly network: Network;
  /**
   * Requests a new token even if one is cached. Resolves to null if the service issues none, so that only an answer to a
   * request proves the credentials. Throws the errors of `Tokens.prove`.
   */
  proveCredentials(): Promise<CachedToken | null>;
  /** The service has a validate operation, or may have one. */
  readonly mayValidate: boolean;
}

/** Options for connecting to the service. */
export interface ConnectOptions {
  readonly rate: ChosenRate;
  readonly concurrency: number;
  readonly audio: AudioReader;
  /** Called with every call to the service, with secrets masked. */
  readonly watch?: (call: TracedCall) => void;
  /** Returns the name of the column that a field came from, for error messages. */
  readonly fieldName?: (field: string) => string | null;
  readonly refused?: Refused;
  /** Do not use the store or the state shared there, for commands that must work without it. */
  readonly isAlone?: boolean;
}

/**
 * Returns where the profile in use sends to by this contract. Throws `SrqError('auth')` naming every missing setting.
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

/** Builds the client of the service. Nothing is sent yet. */
export async function connect(context: Context, options: ConnectOptions): Promise<Connection> {
  const settings = await context.settings();
  const destination = destinationOf(settings, await context.contract());
  const contract = await contractFor(context, destination.baseUrl);
  const clientSecret = ownKey(contract) ?? (await settings.secret.read());
  const { clock } = context;
  const { signal: stopping } = context.interruption.halt;
  const network = networkOf(context, destination.baseUrl, settings.certificates);
  if (options.concurrency === 1) keepParserPlain();
  const http = await openHttp(context, destination.baseUrl, options.concurrency, network, options.watch);
  const { rate, concurrency, audio, refused, isAlone, fieldName = () => null } = options;
  const asking = { destination, clientSecret, rate, concurrency, refused, isAlone };
  const opened = await openAccount(context, { ...asking, contract: contractFingerprint(contract) });
  const { limiter, token, answers: memory, remember, ...account } = opened;
  const credentials = { clientId: destination.clientId, clientSecret };
  const tokenNetwork = { http, certificates: settings.certificates, watch: options.watch };
  const { authorizer, prove } = await openAuthorizer(context, contract, destination, credentials, token, tokenNetwork);
  const secrets = [clientSecret];
  const parts = { http, authorizer, limiter, audio, contract, fieldName, clock, stopping, secrets, memory, remember };
  const api = new RequestApi(parts);
  if (contract.source) context.onClose(() => keepObservations(context, contract, api));
  return {
    ...account,
    api,
    destination,
    network,
    proveCredentials: prove,
    mayValidate: contract.hasValidate !== false,
  };
}

/**
 * Stores what the answers showed about the contract, also if the command failed, and warns about answers that
 * contradict it.
 */
async function keepObservations(context: Context, contract: Contract, api: RequestApi): Promise<void> {
  const seen = api.observations();
  if (Object.keys(seen).length === 0) return;
  (await context.contracts()).observe(contract, seen);
  const against = contradictionText(contract, seen);
  if (against === null) return;
  (await context.reporter()).warn(`${against} ${withProfileFlags(CONTRADICTION_HINT, context.options)}`);
}

/** The ways to the host that issues tokens. */
interface TokenNetwork {
  /** The connections to the service itself. */
  readonly http: Http;
  readonly certificates: CertificateFiles;
  readonly watch: ConnectOptions['watch'];
}

/** Opens what authorizes the calls of a contract, with the function that proves the credentials. */
async function openAuthorizer(
  context: Context,
  { auth = { kind: 'bearer' }, token }: Contract,
  { baseUrl }: Destination,
  credentials: Credentials,
  cache: TokenCache,
  { http, certificates, watch }: TokenNetwork,
): Promise<{ authorizer: Authorizer; prove: Connection['proveCredentials'] }> {
  context.hide(credentials.clientSecret);
  if (auth.kind !== 'bearer') {
    context.hide(`${credentials.clientId}:${credentials.clientSecret}`);
    return { authorizer: fixedAuthorizer(auth, credentials), prove: () => Promise.resolve(null) };
  }
  const tokenUrl = tokenBaseUrl(token, baseUrl);
  const tokenHttp =
    tokenUrl === baseUrl
      ? http
      : await openHttp(context, tokenUrl, 1, networkOf(context, tokenUrl, certificates), watch);
  const { signal } = context.interruption.halt;
  const tokens = new Tokens(tokenHttp, credentials, cache, context.clock, signal, token);
  return { authorizer: bearerAuthorizer(tokens), prove: () => tokens.prove() };
}

/**
 * Requests a token with credentials that are not stored yet. Resolves to null if the service issues none. Throws the
 * errors of `Tokens.prove`.
 */
export async function proveCredentials(
  context: Context,
  destination: Destination,
  clientSecret: string,
): Promise<CachedToken | null> {
  const { baseUrl, clientId } = destination;
  const contract = await contractFor(context, baseUrl);
  keepParserPlain();
  const http = await openHttp(context, baseUrl, 1, networkOf(context, baseUrl, {}));
  const credentials = { clientId, clientSecret };
  const network = { http, certificates: {}, watch: undefined };
  const { prove } = await openAuthorizer(context, contract, destination, credentials, noCache, network);
  return prove();
}

/**
 * Loads the contract. Throws `SrqError('settings')` if it holds keys that were given for another base URL, or names
 * another host for the client secret that was agreed to for another base URL.
 */
export async function contractFor(context: Context, baseUrl: string): Promise<Contract> {
  const contract = await context.contract(baseUrl);
  const { profile, ownBaseUrl } = await context.settings();
  if (ownBaseUrl === null || ownBaseUrl === baseUrl) return contract;
  const { holdsSecrets } = await import('../contract/contract-secrets.ts');
  const isKept = !holdsSecrets(contract);
  if (isKept && !isElsewhere(contract.token)) return contract;
  throw new SrqError(
    'settings',
    isKept
      ? `The contract of profile ${profile.value} has tokens of ${ownBaseUrl} issued at ${contract.token.origin}; the secret for ${baseUrl} is not sent there.`
      : `The contract of profile ${profile.value} holds keys for ${ownBaseUrl}; they are not sent to ${baseUrl}.`,
    'Use a profile of its own for each address, and learn the contract for it: srq contract learn FILE --profile NAME',
  );
}

const noCache: TokenCache = { read: () => null, write: () => {}, forget: () => {} };

async function openHttp(
  context: Context,
  baseUrl: string,
  connections: number,
  network: Network,
  watch?: (call: TracedCall) => void,
): Promise<Http> {
  const { timeout, verbose } = context.options;
  const http = new Http({
    baseUrl,
    connections,
    timeoutMs: timeout === undefined ? null : timeout * 1000,
    network,
    monotonicMs: context.clock.monotonicMs,
    traces: [...(watch ? [watch] : []), ...(verbose ? [await callPrinter(context)] : [])],
  });
  context.onClose(() => http.close());
  return http;
}

/**
 * Returns the function that prints calls for --verbose. Each call is printed as a whole when it has ended, so that
 * concurrent calls do not mix.
 */
async function callPrinter(context: Context): Promise<(call: TracedCall) => void> {
  const { callText } = await import('../report/terminal/call-text.ts');
  return (call) => context.process.stderr.write(callText(call));
}

/**
 * Returns the proxy and the certificates, from flags, environment and profile. Throws `SrqError('settings')` if a proxy
 * or file cannot be used, or if certificate checks are turned off.
 */
function networkOf(context: Context, baseUrl: string, stored: CertificateFiles): Network {
  const { env } = context.process;
  requireCertificateCheck(env, ': --ca-file FILE');
  const keyPassphrase = env['SRQ_KEY_PASSPHRASE'] || null;
  if (keyPassphrase !== null) context.hide(keyPassphrase);
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
