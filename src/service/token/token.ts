import type { TokenOperation } from '../../request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../request/contract/public-api.ts';
import { ACCEPTED_TYPES, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { CachedToken, Clock, TokenCache } from '../../request/ports.ts';
import { MAX_PAUSE_MS } from '../pacing/adaptive-rate.ts';
import { tooLate } from '../pacing/rate-limiter.ts';
import { MAX_TRIES, retryDelayMs } from '../pacing/retry.ts';
import { REDACTED, Redactor } from '../redaction/redactor.ts';
import type { Http } from '../wire/http.ts';
import { isCut, readToken, tokenError } from './token-answer.ts';

/** Share of a token's life after which a new one is fetched in the background. */
const REFRESH_AT = 0.8;
const MIN_LEARNED_MS = 1_000;

/**
 * Manages the bearer token, which is shared by all requests and, through the cache, by all processes. It is fetched at
 * most once at a time, renewed before it expires, and replaced when the service refuses it.
 */
export class Tokens {
  readonly #http: Http;
  readonly #credentials: Credentials;
  readonly #cache: TokenCache;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #operation: TokenOperation;
  #fetched = 0;
  #current: CachedToken | null = null;
  #fetching: Promise<CachedToken> | null = null;
  #reached = false;
  /** Age at which a token of unknown lifetime was refused, in milliseconds. */
  #learnedLifeMs: number | null = null;

  constructor(
    http: Http,
    credentials: Credentials,
    cache: TokenCache,
    clock: Clock,
    stopping: AbortSignal,
    operation: TokenOperation = DOCUMENTED_CONTRACT.token,
  ) {
    this.#http = http;
    this.#credentials = credentials;
    this.#cache = cache;
    this.#clock = clock;
    this.#stopping = stopping;
    this.#operation = operation;
  }

  /** Number of tokens that the service has issued to this process. */
  get fetched(): number {
    return this.#fetched;
  }

  /**
   * Returns a token that is valid for at least the next request. Throws `SrqError` (`auth`, `unreachable`, `service`).
   */
  async get(): Promise<string> {
    this.#current ??= this.#cache.read();
    const state = this.#current ? this.#stateOf(this.#current) : 'ended';
    if (this.#current && state === 'good') return this.#current.accessToken;
    if (this.#current && state === 'ageing') {
      // A failed refresh is not reported, because the next call, or the expiry of the token, tries again.
      this.#renew().catch(() => {});
      return this.#current.accessToken;
    }
    return (await this.#renew()).accessToken;
  }

  /** Notes that the service has refused this token. If it has been replaced meanwhile, the current token is kept. */
  refused(accessToken: string): void {
    if (this.#current?.accessToken !== accessToken) return;
    const { obtainedAtMs, expiresAtMs } = this.#current;
    if (expiresAtMs === null) this.#learnedLifeMs = Math.max(MIN_LEARNED_MS, this.#clock.nowMs() - obtainedAtMs);
    this.#current = null;
    this.#cache.forget(accessToken);
  }

  /** Requests a new token even if there is one, to prove the credentials. */
  async prove(): Promise<CachedToken> {
    // A renewal that is under way may take its token from the cache, which proves nothing.
    await this.#fetching?.catch(() => {});
    return this.#renew(true);
  }

  #stateOf(token: CachedToken): 'good' | 'ageing' | 'ended' {
    const lifeMs = token.expiresAtMs === null ? this.#learnedLifeMs : token.expiresAtMs - token.obtainedAtMs;
    if (lifeMs === null) return 'good';
    const leftMs = token.obtainedAtMs + lifeMs - this.#clock.nowMs();
    const marginMs = Math.min(Math.max(1000, Math.min(30_000, lifeMs * 0.1)), lifeMs / 2);
    if (leftMs <= marginMs) return 'ended';
    return leftMs < lifeMs * (1 - REFRESH_AT) ? 'ageing' : 'good';
  }

  #renew(always = false): Promise<CachedToken> {
    const renew = () => this.#fetchOrShare(always);
    this.#fetching ??= (this.#cache.alone?.(renew) ?? renew()).finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetchOrShare(always: boolean): Promise<CachedToken> {
    const shared = always ? null : this.#cache.read();
    const isNew = shared && shared.accessToken !== this.#current?.accessToken && this.#stateOf(shared) === 'good';
    const token = isNew ? shared : await this.#fetch();
    this.#current = token;
    if (isNew) return token;
    this.#fetched += 1;
    await this.#cache.write(token);
    return token;
  }

  async #fetch(): Promise<CachedToken> {
    const { path, headers, body, secrets } = tokenRequest(this.#operation, this.#credentials);
    const shown = shownTokenRequest(this.#operation, this.#credentials);
    const redacted = () => ({ ...shown, redactor: new Redactor(secrets), grantsToken: true });
    for (let tried = 1; ; tried++) {
      const askedAtMs = this.#clock.nowMs();
      const exchange = await this.#http.send('POST', path, headers, body, redacted);
      if (exchange.answer) this.#reached = true;
      if (exchange.answer && isSuccess(exchange.answer.status) && !isCut(exchange.answer)) {
        return readToken(exchange.answer, askedAtMs, this.#operation);
      }
      const failure = tokenError(exchange, new Redactor(secrets));
      // Before the first answer, a wrong address is more likely than a temporary fault, so the user gets an error soon.
      const tries = this.#reached ? MAX_TRIES : Math.min(MAX_TRIES, 3);
      if (!failure.isTransient || tried >= tries) throw failure.error;
      const waitMs = retryDelayMs(tried, exchange.answer, this.#clock.nowMs());
      if (waitMs > MAX_PAUSE_MS) throw tooLate(waitMs, this.#clock.nowMs());
      await this.#clock.sleep(waitMs, this.#stopping);
      if (this.#stopping.aborted) throw failure.error;
    }
  }
}

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A token request, ready to be sent. */
export interface TokenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Values that are never shown. */
  readonly secrets: readonly string[];
}

/**
 * Builds the token request by the client credentials grant (RFC 6749, section 4.4), in the form that the service
 * expects.
 */
export function tokenRequest(operation: TokenOperation, { clientId, clientSecret }: Credentials): TokenRequest {
  const { path, auth, encoding, extra } = operation;
  const inBody = auth === 'body' ? { client_id: clientId, client_secret: clientSecret } : {};
  const parameters = { grant_type: 'client_credentials', ...inBody, ...extra };
  const basic = auth === 'basic' ? basicCredentials(clientId, clientSecret) : null;
  const hiddenExtra = Object.entries(extra).flatMap(([name, value]) => (SHOWN_PARAMETERS.test(name) ? [] : [value]));
  const isJson = encoding === 'json';
  return {
    path,
    headers: {
      'content-type': isJson ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE,
      accept: ACCEPTED_TYPES,
      ...(basic === null ? {} : { authorization: `Basic ${basic}` }),
    },
    body: isJson ? JSON.stringify(parameters) : new URLSearchParams(parameters).toString(),
    secrets: [clientSecret, ...(basic === null ? [] : [basic]), ...hiddenExtra],
  };
}

/** Parameters that are shown, because they only say who asks and for what. */
const SHOWN_PARAMETERS = /^(?:scope|audience|resource)$/;

/** Builds the same request for display, with `***` for anything that may be a secret. */
function shownTokenRequest(operation: TokenOperation, { clientId }: Credentials): TokenRequest {
  const extra = Object.entries(operation.extra).map(([name, value]) => [
    name,
    SHOWN_PARAMETERS.test(name) ? value : REDACTED,
  ]);
  return tokenRequest({ ...operation, extra: Object.fromEntries(extra) }, { clientId, clientSecret: REDACTED });
}

/** Form-encodes both values first, as RFC 6749, section 2.3.1 requires. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return Buffer.from(encoded.join(':')).toString('base64');
}
