import { onTestFinished } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import type { KnownAnswers } from '../../src/request/contract/known-answers.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { Clock, TokenCache } from '../../src/request/ports.ts';
import { Secret } from '../../src/request/words/secret.ts';
import { RequestApi } from '../../src/service/client.ts';
import type { Exchange } from '../../src/service/network/exchange.ts';
import { Pace } from '../../src/service/pacing/pace.ts';
import { RateLimiter } from '../../src/service/pacing/rate-limiter.ts';
import { type Credentials, Tokens } from '../../src/service/token/token.ts';
import { Http, type HttpOptions } from '../../src/service/wire/http.ts';

/*
 * The client of the service, put together from its parts. The tests get it here alone, so that a part may change how it is
 * made without a test that has to follow.
 */

export interface ClientSetup {
  readonly clock: Clock;
  readonly contract?: Contract;
  readonly credentials?: ClientCredentials;
  readonly cache?: TokenCache;
  readonly rate?: number | 'max';
  readonly concurrency?: number;
  readonly stopping?: AbortSignal;
  readonly known?: KnownAnswers;
  readonly remember?: (known: KnownAnswers) => void;
  readonly columnOf?: (field: string) => string | null;
}

export interface Client {
  readonly api: RequestApi;
  readonly tokens: Tokens;
}

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string | Secret;
}

type Send = (path: string, headers: Readonly<Record<string, string>>, body: string) => Promise<Exchange>;

export const NO_AUDIO = () => Promise.reject(new Error('no audio here'));
const NO_CACHE: TokenCache = { read: () => null, write: () => {}, forget: () => {} };

export { Secret };

const CREDENTIALS = { clientId: '4711', clientSecret: 'the-secret' };

const secretly = ({ clientId, clientSecret }: ClientCredentials): Credentials => ({
  clientId,
  clientSecret: typeof clientSecret === 'string' ? new Secret(clientSecret) : clientSecret,
});

/** A client of the service at the end of this line. */
export function clientOf(http: Http, setup: ClientSetup): Client {
  const { clock, contract = DOCUMENTED_CONTRACT } = setup;
  const { rate = 'max', concurrency = 1, stopping = new AbortController().signal, ...rest } = setup;
  const tokens = tokensOf(http, setup);
  const pace = new Pace({ rate, concurrency, random: () => 0.5 });
  const api = new RequestApi({
    ...{ http, tokens, contract, clock, stopping },
    limiter: new RateLimiter(pace, clock),
    ...(rest.known && { known: rest.known }),
    ...(rest.remember && { remember: rest.remember }),
    ...(rest.columnOf && { columnOf: rest.columnOf }),
  });
  return { api, tokens };
}

/** The tokens of such a client alone. */
export function tokensOf(http: Http, setup: ClientSetup): Tokens {
  const { clock, contract = DOCUMENTED_CONTRACT, credentials = CREDENTIALS, cache = NO_CACHE } = setup;
  const { stopping = new AbortController().signal } = setup;
  return new Tokens({ http, credentials: secretly(credentials), cache, clock, stopping, operation: contract.token });
}

/** A line without a socket: everything above it is the real thing. */
export function lineOf(send: Send): Http {
  const scripted: Pick<Http, 'send'> = { send: (_method, path, headers, body) => send(path, headers, String(body)) };
  return scripted as Http;
}

/** A line to 127.0.0.1. It is closed at the end of the test. */
export function httpTo(baseUrl: string | number, changes: Partial<HttpOptions> = {}): Http {
  const http = new Http({
    baseUrl: typeof baseUrl === 'number' ? `http://127.0.0.1:${baseUrl}` : baseUrl,
    connections: 4,
    timeoutMs: null,
    proxy: null,
    monotonicMs: () => performance.now(),
    traces: [],
    ...changes,
  });
  onTestFinished(() => http.close());
  return http;
}
