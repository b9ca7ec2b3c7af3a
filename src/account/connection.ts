import { type Contract, contractFingerprint, ownKey, tokenBaseUrl } from '../request/contract/contract.ts';
import { isFamiliar } from '../request/contract/known-answers.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { AudioReader, CachedToken, TokenCache, TracedCall } from '../request/ports.ts';
import type { Network } from '../service/network/connector.ts';
import type { ChosenRate } from '../service/pacing/adaptive-rate.ts';
import type { LimiterView, Refused } from '../service/pacing/rate-limiter.ts';
import { RequestApi } from '../service/request-api.ts';
import { type Authorizer, bearerAuthorizer, fixedAuthorizer } from '../service/token/authorizer.ts';
import { Tokens } from '../service/token/token.ts';
import { Http } from '../service/wire/http.ts';
import { type Account, openAccount } from './account.ts';
import type { Host } from './host.ts';

/** What a connection needs from the program that uses it. */
interface ConnectionHost extends Host {
  /** Removes this text from error reports from now on. */
  addSecret(secret: string): void;
}

/** A connection to the service for one account. */
export interface Connection extends Omit<Account, 'limiter' | 'token' | 'answers' | 'remember'> {
  readonly api: RequestApi;
  readonly destination: Destination;
  readonly network: Network;
  /** Whether there is a proxy in between. It may still deliver a request after srq has closed the connection. */
  readonly isProxied: boolean;
  /**
   * Requests a new token even if one is cached. Resolves to null if the service issues none, so that only an answer to a
   * request proves the credentials. Throws the errors of `Tokens.prove`.
   */
  proveCredentials(): Promise<CachedToken | null>;
  /** Returns what is under way at this moment, for display. */
  view(): ConnectionView;
  /** Whether earlier runs have shown how the service answers when it has taken a request. */
  readonly isFamiliar: boolean;
  /** Whether the service has, or may have, a validate operation. */
  readonly mayValidate: boolean;
}

/** The requests of a connection at one moment. */
interface ConnectionView extends LimiterView {
  /** Number of tokens that the service has issued to this process. */
  readonly tokensFetched: number;
}

/** The account that a connection is for, and how its service is reached. */
export interface ConnectedAccount {
  readonly destination: Destination;
  readonly contract: Contract;
  /** Reads the client secret. It is not called if the contract holds a key that replaces the secret. */
  readSecret(): Promise<string>;
  /**
   * Returns the proxy and TLS settings for the service, or for the host that issues its tokens. Throws
   * `SrqError('settings')`.
   */
  network(baseUrl: string): Network;
  /** Time after which a call is given up, in milliseconds, or null for the default. */
  readonly timeoutMs: number | null;
  /** Functions that are called with every call to the service, with secrets redacted. */
  readonly traces: readonly ((call: TracedCall) => void)[];
}

export interface ConnectOptions {
  readonly rate: ChosenRate;
  readonly concurrency: number;
  readonly audio: AudioReader;
  /** Returns the name of the column that a field came from, for error messages. */
  readonly columnOf?: (field: string) => string | null;
  readonly refused?: Refused;
  /** Whether the store and the state shared there are left aside, for commands that must work without it. */
  readonly isAlone?: boolean;
}

/** Builds the client of the service. Nothing is sent yet. */
export async function openConnection(
  host: ConnectionHost,
  account: ConnectedAccount,
  options: ConnectOptions,
): Promise<Connection> {
  const { destination, contract } = account;
  const { rate, concurrency, audio, refused, isAlone, columnOf = () => null } = options;
  const clientSecret = ownKey(contract) ?? (await account.readSecret());
  const network = account.network(destination.baseUrl);
  const http = openHttp(host, account, destination.baseUrl, concurrency, network);
  const asking = { destination, clientSecret, rate, concurrency, refused, isAlone };
  const opened = await openAccount(host, { ...asking, contract: contractFingerprint(contract) });
  const { limiter, token, answers: known, remember, ...kept } = opened;
  const { authorizer, prove, tokensFetched } = openAuthorizer(host, account, clientSecret, token, http);
  const { clock, halt } = host;
  const secrets = [clientSecret];
  const shared = { http, authorizer, limiter, audio, contract, columnOf, clock, secrets, known, remember };
  const api = new RequestApi({ ...shared, stopping: halt.signal });
  host.onClose(async () => remember(api.known));
  return {
    ...kept,
    api,
    destination,
    network,
    isProxied: network.proxy !== null,
    isFamiliar: isFamiliar(known),
    proveCredentials: prove,
    view: () => ({ ...limiter.view(), tokensFetched: tokensFetched() }),
    mayValidate: contract.validate !== null,
  };
}

/**
 * Requests a token with credentials that are not stored yet. Resolves to null if the service issues none. Throws the
 * errors of `Tokens.prove`.
 */
export async function proveCredentials(
  host: ConnectionHost,
  account: ConnectedAccount,
  clientSecret: string,
): Promise<CachedToken | null> {
  const { baseUrl } = account.destination;
  const http = openHttp(host, account, baseUrl, 1, account.network(baseUrl));
  const { prove } = openAuthorizer(host, account, clientSecret, noCache, http);
  return prove();
}

const noCache: TokenCache = { read: () => null, write: () => {}, forget: () => {} };

interface OpenedAuthorizer {
  readonly authorizer: Authorizer;
  readonly prove: Connection['proveCredentials'];
  readonly tokensFetched: () => number;
}

/** Builds the authorizer for a contract, and the function that proves the credentials. */
function openAuthorizer(
  host: ConnectionHost,
  account: ConnectedAccount,
  clientSecret: string,
  cache: TokenCache,
  http: Http,
): OpenedAuthorizer {
  const { auth = { kind: 'bearer' }, token } = account.contract;
  const { baseUrl, clientId } = account.destination;
  const credentials = { clientId, clientSecret };
  host.addSecret(clientSecret);
  if (auth.kind !== 'bearer') {
    host.addSecret(`${clientId}:${clientSecret}`);
    return {
      authorizer: fixedAuthorizer(auth, credentials),
      prove: () => Promise.resolve(null),
      tokensFetched: () => 0,
    };
  }
  const tokenUrl = tokenBaseUrl(token, baseUrl);
  const tokenHttp = tokenUrl === baseUrl ? http : openHttp(host, account, tokenUrl, 1, account.network(tokenUrl));
  const tokens = new Tokens(tokenHttp, credentials, cache, host.clock, host.halt.signal, token);
  return { authorizer: bearerAuthorizer(tokens), prove: () => tokens.prove(), tokensFetched: () => tokens.fetched };
}

function openHttp(
  host: Host,
  { timeoutMs, traces }: ConnectedAccount,
  baseUrl: string,
  connections: number,
  network: Network,
): Http {
  const { monotonicMs } = host.clock;
  const http = new Http({ baseUrl, connections, timeoutMs, network, monotonicMs, traces });
  host.onClose(() => http.close());
  return http;
}
