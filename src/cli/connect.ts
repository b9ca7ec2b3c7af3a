import type { Network } from '../api/dispatcher.ts';
import { Http } from '../api/http.ts';
import { Pace } from '../api/pace.ts';
import { RequestApi } from '../api/request-api.ts';
import { Tokens } from '../api/token.ts';
import { type Refused, Turnstile } from '../api/turnstile.ts';
import { LearnedStore } from '../config/learned-store.ts';
import { notLoggedIn, type Settings } from '../config/settings.ts';
import { FileTokenCache, secretMark } from '../config/token-cache.ts';
import { type AnswerMemory, NO_MEMORY } from '../model/answer-memory.ts';
import type { Contract } from '../model/contract.ts';
import { contractFingerprint } from '../model/contract-fingerprint.ts';
import { SrqError } from '../model/errors.ts';
import { type Evidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { AudioReader, CachedToken, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import type { TracedCall } from '../model/traced-call.ts';
import { CONTRADICTION_HINT, contradictionText } from '../report/contract-text.ts';
import { inFull } from './command-line.ts';
import type { Context } from './context.ts';
import { networkOf } from './network.ts';
import { type SharedConnection, shareAccount } from './share-account.ts';
import { learnedPath, tokenPath } from './state-paths.ts';
import { keepParserPlain } from './v8-flags.ts';

export interface Connection {
  readonly api: RequestApi;
  readonly destination: Destination;
  readonly network: Network;
  /** Asks for a new token even if there is one. Throws as `Tokens.prove` does. */
  proveCredentials(): Promise<CachedToken>;
  /** The service has a validate, or may have one. */
  readonly mayValidate: boolean;
  /** What earlier runs found out about how well validate sees. */
  readonly evidence: Evidence;
  /** Keeps what this run has found out about validate so far, for the next one. */
  keep(evidence: Evidence): Promise<void>;
  /** Keeps what this run found out about how fast the service may be asked. */
  keepPace(): void;
  /** What all processes of a store share of the account; null where they share nothing. */
  readonly shared: SharedConnection | null;
}

export interface ConnectOptions {
  readonly rate: 'auto' | 'max' | number;
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
  const paths = await context.paths();
  const contract = await contractFor(context, destination.baseUrl);
  const fingerprint = contractFingerprint(contract);
  const trust = await context.trust();
  const store = new LearnedStore(learnedPath(paths, settings), destination, fingerprint, trust);
  const learned = store.read();
  const { rate, concurrency, audio, refused } = options;
  const isShared = !options.isAlone && (await context.logPlace()).kind === 'store';
  const pacing = { rate, concurrency, learned: learned.pace, refused };
  const own = { evidence: learned.evidence, answers: learned.answers, contract: fingerprint };
  const shared = isShared ? await shareAccount(context, destination, clientSecret, own, pacing) : null;
  const ownCache = new FileTokenCache(tokenPath(paths, settings), destination, secretMark(clientSecret), trust);
  const cache = shared?.token ?? ownCache;
  const credentials = { clientId: destination.clientId, clientSecret };
  const tokens = new Tokens(http, credentials, cache, clock, stopping, contract.token);
  const pace = new Pace({ rate, concurrency, random: Math.random, learned: learned.pace });
  const turnstile = shared?.turnstile ?? new Turnstile(pace, clock, stopping, refused);
  const { fieldName = () => null } = options;
  const secrets = [clientSecret];
  const memory = shared?.memory ?? learned.answers ?? NO_MEMORY;
  const remember = (answers: AnswerMemory) => {
    if (!shared) store.add({ answers });
  };
  const parts = { http, tokens, turnstile, audio, contract, fieldName, clock, stopping, secrets, memory, remember };
  const api = new RequestApi(parts);
  if (shared) context.onClose(() => shared.answers.exchange(api.memory).then(() => {}, unlessLog));
  if (contract.source) context.onClose(() => keepObservations(context, contract, api));
  return {
    api,
    destination,
    network,
    proveCredentials: () => tokens.prove(),
    mayValidate: contract.hasValidate !== false,
    evidence: shared?.known ?? learned.evidence ?? NO_EVIDENCE,
    keep: async (evidence) => {
      if (shared) await shared.evidence.exchange(evidence);
      else store.add({ evidence });
    },
    keepPace: () => {
      const found = shared ? null : pace.learned();
      if (found) store.write({ pace: found });
    },
    shared,
  };
}

/** A store that is away when a command ends is told about elsewhere. */
function unlessLog(error: unknown): void {
  if (!(error instanceof SrqError)) throw error;
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
  const { callText } = await import('../report/call-text.ts');
  return (call) => context.process.stderr.write(callText(call));
}
