import { SrqError } from '../model/errors.ts';
import type { CachedToken, Clock, TokenCache } from '../model/ports.ts';
import { FORM_CONTENT_TYPE, PATHS } from '../model/wire.ts';
import { classifyUnsent, failureName } from './classify.ts';
import { readErrorText } from './error-text.ts';
import type { Exchange, Http } from './http.ts';
import { Mask } from './mask.ts';
import { retryDelayMs, TRIES } from './retry.ts';
import { readToken } from './token-answer.ts';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Share of a token's life after which a new one is fetched in the background. */
const REFRESH_AT = 0.8;

/**
 * The bearer token: one for all requests and, through the cache, for all processes. Fetched at most once at a time,
 * renewed before it ends, and replaced when the service refuses it.
 */
export class Tokens {
  readonly #http: Http;
  readonly #credentials: Credentials;
  readonly #cache: TokenCache;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  #current: CachedToken | null = null;
  #fetching: Promise<CachedToken> | null = null;
  #reached = false;

  constructor(http: Http, credentials: Credentials, cache: TokenCache, clock: Clock, stopping: AbortSignal) {
    this.#http = http;
    this.#credentials = credentials;
    this.#cache = cache;
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** A token that is good for at least the next request. Throws `SrqError` (`auth`, `unreachable`, `service`). */
  async get(): Promise<string> {
    this.#current ??= this.#cache.read();
    const state = this.#current ? this.#stateOf(this.#current) : 'ended';
    if (this.#current && state === 'good') return this.#current.accessToken;
    if (this.#current && state === 'ageing') {
      // A failed refresh is no harm yet: the next call, or the end of the token's life, tries again and tells.
      this.#renew().catch(() => {});
      return this.#current.accessToken;
    }
    return (await this.#renew()).accessToken;
  }

  /** The service refused this token. Only the token in use counts: an answer may be about one that was replaced. */
  refused(accessToken: string): void {
    if (this.#current?.accessToken !== accessToken) return;
    this.#current = null;
    this.#cache.forget(accessToken);
  }

  /** Asks for a new token even if there is one: the proof of credentials. */
  prove(): Promise<CachedToken> {
    return this.#renew(true);
  }

  #stateOf(token: CachedToken): 'good' | 'ageing' | 'ended' {
    if (token.expiresAtMs === null) return 'good';
    const lifeMs = token.expiresAtMs - token.obtainedAtMs;
    const leftMs = token.expiresAtMs - this.#clock.nowMs();
    const marginMs = Math.min(Math.max(1000, Math.min(30_000, lifeMs * 0.1)), lifeMs / 2);
    if (leftMs <= marginMs) return 'ended';
    return leftMs < lifeMs * (1 - REFRESH_AT) ? 'ageing' : 'good';
  }

  #renew(always = false): Promise<CachedToken> {
    this.#fetching ??= this.#fetchOrShare(always).finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetchOrShare(always: boolean): Promise<CachedToken> {
    const shared = always ? null : this.#cache.read();
    const isNew = shared && shared.accessToken !== this.#current?.accessToken && this.#stateOf(shared) === 'good';
    const token = isNew ? shared : await this.#fetch();
    this.#current = token;
    if (!isNew) this.#cache.write(token);
    return token;
  }

  async #fetch(): Promise<CachedToken> {
    const { clientId, clientSecret } = this.#credentials;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams(form).toString();
    for (let tried = 1; ; tried++) {
      const askedAtMs = this.#clock.nowMs();
      const exchange = await this.#http.post(
        PATHS.token,
        { 'content-type': FORM_CONTENT_TYPE, accept: 'application/json' },
        body,
      );
      if (exchange.answer) this.#reached = true;
      if (exchange.answer && exchange.answer.status >= 200 && exchange.answer.status <= 299) {
        return readToken(exchange.answer, askedAtMs);
      }
      const failure = tokenError(exchange, new Mask([clientSecret]));
      // Before the first answer a wrong address is likelier than a passing fault: tell the user soon.
      const tries = this.#reached ? TRIES : Math.min(TRIES, 3);
      if (!failure.passing || tried >= tries || this.#stopping.aborted) throw failure.error;
      await this.#clock.sleep(retryDelayMs(tried, exchange.answer, this.#clock.nowMs()), this.#stopping);
    }
  }
}

function tokenError(exchange: Exchange, sent: Mask): { error: SrqError; passing: boolean } {
  if (!exchange.answer) {
    const { reason, stop } = classifyUnsent(exchange.error);
    const message = exchange.written
      ? `The service gave no answer to the token request (${failureName(exchange.error)}).`
      : reason;
    const hint =
      stop?.hint ?? 'Check the base URL (srq status), the network and, if there is one, the proxy; then try again.';
    return { error: new SrqError('unreachable', message, hint, exchange.error), passing: stop === null };
  }
  const { status } = exchange.answer;
  const said = readErrorText(exchange.answer, sent);
  const words = said === null ? '' : `: ${said}`;
  if (status === 400 || status === 401 || status === 403) {
    const hint = 'Check client id and secret, then log in again: srq login';
    return {
      error: new SrqError('auth', `The service refused the credentials (HTTP ${status})${words}.`, hint),
      passing: false,
    };
  }
  const passing = status === 408 || status === 429 || status >= 500;
  const hint = passing
    ? 'The service has a problem; try again later.'
    : 'This does not look like the token endpoint. Check the base URL with: srq status';
  return { error: new SrqError('service', `The token endpoint answered HTTP ${status}${words}.`, hint), passing };
}
