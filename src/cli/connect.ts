import { resolve } from 'node:path';
import { CONTRADICTION_HINT, contradictionText } from '../report/terminal/contract-text.ts';
import { type Contract, contractFingerprint } from '../request/contract.ts';
import { SrqError } from '../request/errors.ts';
import type { AudioReader, CachedToken, TokenCache, TracedCall } from '../request/ports.ts';
import type { Destination } from '../request/service-request.ts';
import { type CertificateFiles, secureContextOf } from '../service/network/certificates.ts';
import { type ProxySettings, proxyFor } from '../service/network/connector.ts';
import type { Network } from '../service/network/dispatcher.ts';
import type { ChosenRate } from '../service/pacing/adaptive-rate.ts';
import type { Refused } from '../service/pacing/rate-limiter.ts';
import { RequestApi } from '../service/request-api.ts';
import { Tokens } from '../service/token/token.ts';
import { Http } from '../service/wire/http.ts';
import { notLoggedIn, requireCertificateCheck, type Settings } from '../settings/settings.ts';
import { type Account, openAccount } from './account.ts';
import type { GlobalOptions } from './command.ts';
import { inFull } from './command-line.ts';
import type { Context } from './context.ts';
import { keepParserPlain } from './v8-flags.ts';

/** The service, spoken to for one account. */
export interface Connection extends Omit<Account, 'limiter' | 'token' | 'answers' | 'remember'> {
  readonly api: RequestApi;
  readonly destination: Destination;
  readonly network: Network;
  /** Asks for a new token even if there is one. Throws as `Tokens.prove` does. */
  proveCredentials(): Promise<CachedToken>;
  /** The service has a validate, or may have one. */
  readonly mayValidate: boolean;
}

export interface ConnectOptions {
  readonly rate: ChosenRate;
  readonly concurrency: number;
  readonly audio: AudioReader;
  /** Called with every call to the service, as it may be shown. */
  readonly watch?: (call: TracedCall) => void;
  /** The column that a field came from, for errors that name it. */
  readonly fieldName?: (field: string) => string | null;
  readonly refused?: Refused;
  /** Leaves the store alone, and what the processes of the account share there: for commands that must do without it. */
  readonly isAlone?: boolean;
}

/** Where the profile in force sends to. Throws `SrqError('auth')` that names everything that is missing. */
export function destinationOf(settings: Settings): Destination {
  const missing = [
    ...(settings.baseUrl ? [] : ['base URL']),
    ...(settings.clientId ? [] : ['client id']),
    ...(settings.secret.state === 'missing' ? ['client secret'] : []),
  ];
  if (!settings.baseUrl || !settings.clientId || missing.length > 0) {
    throw notLoggedIn(missing, settings.profile.value, settings.otherProfiles);
  }
  return { baseUrl: settings.baseUrl.value, clientId: settings.clientId.value };
}

/** Puts the client of the service together. Nothing is sent yet. */
export async function connect(context: Context, options: ConnectOptions): Promise<Connection> {
  const settings = await context.settings();
  const destination = destinationOf(settings);
  const clientSecret = await settings.secret.read();
  context.hide(clientSecret);
  const { clock } = context;
  const { signal: stopping } = context.interruption.halt;
  const network = networkOf(context, destination.baseUrl, settings.certificates);
  const http = await openHttp(context, destination.baseUrl, options.concurrency, network, options.watch);
  const contract = await contractFor(context, destination.baseUrl);
  const { rate, concurrency, audio, refused, isAlone, fieldName = () => null } = options;
  const asking = { destination, clientSecret, rate, concurrency, refused, isAlone };
  const opened = await openAccount(context, { ...asking, contract: contractFingerprint(contract) });
  const { limiter, token, answers: memory, remember, ...account } = opened;
  const credentials = { clientId: destination.clientId, clientSecret };
  const tokens = new Tokens(http, credentials, token, clock, stopping, contract.token);
  const secrets = [clientSecret];
  const parts = { http, tokens, limiter, audio, contract, fieldName, clock, stopping, secrets, memory, remember };
  const api = new RequestApi(parts);
  if (contract.source) context.onClose(() => keepObservations(context, contract, api));
  return {
    ...account,
    api,
    destination,
    network,
    proveCredentials: () => tokens.prove(),
    mayValidate: contract.hasValidate !== false,
  };
}

/** However the command ended, what the answers said of the contract is kept; what speaks against it is told. */
async function keepObservations(context: Context, contract: Contract, api: RequestApi): Promise<void> {
  const seen = api.observations();
  if (Object.keys(seen).length === 0) return;
  (await context.contracts()).observe(contract, seen);
  const against = contradictionText(contract, seen);
  if (against === null) return;
  (await context.reporter()).warn(`${against} ${inFull(CONTRADICTION_HINT, context.options)}`);
}

/** Asks the service for a token with credentials that are not stored yet. Throws as `Tokens.prove` does. */
export async function proveCredentials(context: Context, destination: Destination, clientSecret: string) {
  const http = await openHttp(context, destination.baseUrl, 1, networkOf(context, destination.baseUrl, {}));
  const { signal } = context.interruption.halt;
  const credentials = { clientId: destination.clientId, clientSecret };
  const { token } = await contractFor(context, destination.baseUrl);
  const tokens = new Tokens(http, credentials, noCache, context.clock, signal, token);
  return tokens.prove();
}

/** Throws `SrqError('settings')` for a contract with keys that were given for another address than this one. */
async function contractFor(context: Context, baseUrl: string): Promise<Contract> {
  const contract = await context.contract(baseUrl);
  const { profile, ownBaseUrl } = await context.settings();
  if (ownBaseUrl === null || ownBaseUrl === baseUrl) return contract;
  const { holdsSecrets } = await import('../contract/contract-secrets.ts');
  if (!holdsSecrets(contract)) return contract;
  throw new SrqError(
    'settings',
    `The contract of profile ${profile.value} holds keys for ${ownBaseUrl}; they are not sent to ${baseUrl}.`,
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
  if (connections === 1) keepParserPlain();
  const http = new Http({
    baseUrl,
    connections,
    timeoutMs: timeout === undefined ? null : timeout * 1000,
    network,
    monotonicMs: context.clock.monotonicMs,
    traces: [...(watch ? [watch] : []), ...(verbose ? [await callShower(context)] : [])],
  });
  context.onClose(() => http.close());
  return http;
}

/** For --verbose. Each call is written whole, when it has ended, so that calls side by side do not mix. */
async function callShower(context: Context): Promise<(call: TracedCall) => void> {
  const { callText } = await import('../report/terminal/call-text.ts');
  return (call) => context.process.stderr.write(callText(call));
}

/**
 * The way to the service, from flags, environment and the profile's certificates. Throws `SrqError('settings')` for a proxy
 * or a file that cannot be used, or if certificates are not to be checked.
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

/** The files that the flags name, as a profile keeps them: it is used from other folders, too. */
export function certificateFiles({ caFile, cert, key }: GlobalOptions): CertificateFiles {
  return {
    ...(caFile === undefined ? {} : { caFile: resolve(caFile) }),
    ...(cert === undefined ? {} : { certFile: resolve(cert) }),
    ...(key === undefined ? {} : { keyFile: resolve(key) }),
  };
}
