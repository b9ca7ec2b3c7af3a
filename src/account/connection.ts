import { type Contract, contractFingerprint, isElsewhere, tokenBaseUrl } from '../request/contract/contract.ts';
import { isFamiliar } from '../request/contract/known-answers.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { TracedCall } from '../request/ports.ts';
import type { Secret } from '../request/words/secret.ts';
import { RequestApi } from '../service/client.ts';
import { type ProxySettings, proxyFor } from '../service/network/connector.ts';
import { type Credentials, Tokens } from '../service/token/token.ts';
import { Http } from '../service/wire/http.ts';
import { type AccountOptions, type Host, openAccount } from './account.ts';
import type { Program } from './program.ts';

type ConnectionHost = Host & Pick<Program, 'addSecret' | 'requireCertificateCheck'>;

/** A connection to the service for one account. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** The account that a connection is for, and how its service is reached. */
export interface ConnectedAccount {
  readonly destination: Destination;
  readonly contract: Contract;
  readSecret(): Promise<Secret>;
  /** The proxies for the service, and for the host that issues its tokens. */
  readonly proxies: ProxySettings;
  /** Time after which a call is given up, in milliseconds, or null for the default. */
  readonly timeoutMs: number | null;
  /** Functions that are called with every call to the service, with secrets redacted. */
  readonly traces: readonly ((call: TracedCall) => void)[];
}

export interface ConnectOptions extends Omit<AccountOptions, keyof Credentials | 'destination' | 'contract'> {
  /** Returns the name of the column that a field came from, for error messages. */
  readonly columnOf?: (field: string) => string | null;
}

/** Builds the client of the service. Nothing is sent yet. Throws `SrqError('settings')` if a proxy cannot be used. */
export async function openConnection(host: ConnectionHost, account: ConnectedAccount, options: ConnectOptions) {
  const { destination, contract } = account;
  const { token: operation } = contract;
  const { columnOf = () => null, ...asked } = options;
  const clientSecret = await account.readSecret();
  const credentials = { clientId: destination.clientId, clientSecret };
  const http = openHttp(host, account, destination.baseUrl, options.concurrency);
  const proxy = proxyFor(destination.baseUrl, account.proxies);
  const contractMark = contractFingerprint(contract);
  const opened = await openAccount(host, { ...asked, destination, clientSecret, contract: contractMark });
  const { limiter, token: cache, answers: known, remember, ...kept } = opened;
  const { clock, halt } = host;
  const stopping = halt.signal;
  const tokenUrl = tokenBaseUrl(operation, destination.baseUrl);
  const tokenHttp = tokenUrl === destination.baseUrl ? http : openHttp(host, account, tokenUrl, 1);
  const urls = contract.servers.map(({ url }) => url);
  const otherServers = isElsewhere(operation) || urls.includes(destination.baseUrl) ? [] : urls;
  const { readSecret } = account;
  const asking = { http: tokenHttp, credentials, readSecret, operation, otherServers };
  const tokens = new Tokens({ ...asking, cache, clock, stopping });
  for (const secret of tokens.secrets) host.addSecret(secret);
  const api = new RequestApi({ http, tokens, limiter, contract, columnOf, clock, stopping, known, remember });
  host.onClose(async () => remember(api.known));
  return {
    ...kept,
    api,
    destination,
    proxy,
    /** Whether there is a proxy in between. It may still deliver a request after srq has closed the connection. */
    isProxied: proxy !== null,
    /** Whether earlier runs have shown how the service answers when it has taken a request. */
    isFamiliar: isFamiliar(known),
    /** Requests a new token even if one is cached. Throws the errors of `Tokens.prove`. */
    proveCredentials: () => tokens.prove(),
    /** Returns the pace at this moment, for display. */
    pace: () => limiter.pace(),
    /** Whether the service has, or may have, a validate operation. */
    mayValidate: contract.validate !== null,
  };
}

function openHttp(host: ConnectionHost, account: ConnectedAccount, baseUrl: string, connections: number): Http {
  const { timeoutMs, traces, proxies } = account;
  host.requireCertificateCheck(' in NODE_EXTRA_CA_CERTS');
  const proxy = proxyFor(baseUrl, proxies);
  const { monotonicMs } = host.clock;
  const http = new Http({ baseUrl, connections, timeoutMs, proxy, monotonicMs, traces });
  host.onClose(() => http.close());
  return http;
}
