import { createHash, scryptSync } from 'node:crypto';
import type { Authorization, TokenOperation } from '../../request/contract/contract.ts';
import { ACCEPTED_TYPES, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { CachedToken, Clock, TokenCache } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Secret } from '../../request/words/secret.ts';
import { MAX_PAUSE_MS } from '../pacing/pace.ts';
import { tooLate } from '../pacing/rate-limiter.ts';
import { MAX_TRIES, retryDelayMs } from '../pacing/retry.ts';
import { REDACTED } from '../redaction/hidden-words.ts';
import { Redactor } from '../redaction/redactor.ts';
import type { Http } from '../wire/http.ts';
import { credentialsRefused, isCut, mayComeLater, readToken, tokenError, tokenRefused } from './token-answer.ts';

/** The dependencies of `Tokens`. */
export interface TokenDeps {
  readonly http: Http;
  readonly credentials: Credentials;
  readonly cache: TokenCache;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly operation: TokenOperation;
  /** The servers that the API description names, unless the base URL is one of them. */
  readonly otherServers?: readonly string[];
}

/**
 * Authorizes calls with bearer tokens (RFC 6750). It keeps the token, which all requests and, through the cache, all processes share. It is fetched by one
 * caller at a time, renewed shortly before it expires, and replaced when the service refuses it. A token of unknown
 * lifetime holds until it is refused.
 */
export class Tokens implements Authorizer {
  readonly #deps: TokenDeps;
  #current: CachedToken | null = null;
  #renewal: Promise<CachedToken> | null = null;
  #reached = false;

  constructor(deps: TokenDeps) {
    this.#deps = deps;
  }

  /** Values that are never shown. */
  get secrets(): readonly string[] {
    return [this.#deps.credentials.clientSecret.reveal()];
  }

  /** After a 401 the call is sent again with a new token, at most as often as `MAX_TOKEN_REFUSALS` allows. */
  async authorize(): Promise<AuthorizedCall> {
    const token = await this.get();
    const refusal: AuthorizedCall['refusal'] = (status, refusals) => {
      if (status !== 401) return null;
      this.refused(token);
      return refusals >= MAX_TOKEN_REFUSALS ? tokenRefused() : 'renew';
    };
    return { headers: { authorization: `Bearer ${token}` }, query: null, secrets: [token], refusal };
  }

  /**
   * Returns a token that is valid for at least the next request. Throws `SrqError` (`auth`, `unreachable`, `service`).
   */
  async get(): Promise<string> {
    this.#current ??= this.#deps.cache.read();
    if (this.#current && this.#holds(this.#current)) return this.#current.accessToken;
    return (await this.#renew()).accessToken;
  }

  /** Notes that the service has refused this token. If it has been replaced meanwhile, the current token is kept. */
  refused(accessToken: string): void {
    if (this.#current?.accessToken !== accessToken) return;
    this.#current = null;
    this.#deps.cache.forget(accessToken);
  }

  /** Requests a new token even if there is one, to prove the credentials. */
  prove(): Promise<CachedToken> {
    return this.#renew(true);
  }

  #holds({ obtainedAtMs, expiresAtMs }: CachedToken): boolean {
    if (expiresAtMs === null) return true;
    const marginMs = Math.min(MARGIN_MS, (expiresAtMs - obtainedAtMs) * MAX_MARGIN);
    return this.#deps.clock.nowMs() < expiresAtMs - marginMs;
  }

  #renew(isProof = false): Promise<CachedToken> {
    const renew = () => this.#fetchOrShare(isProof);
    this.#renewal ??= (this.#deps.cache.alone?.(renew) ?? renew()).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #fetchOrShare(isProof: boolean): Promise<CachedToken> {
    const shared = isProof ? null : this.#deps.cache.read();
    const isNew = shared && shared.accessToken !== this.#current?.accessToken && this.#holds(shared);
    const token = isNew ? shared : await this.#fetch();
    this.#current = token;
    if (!isNew) await this.#deps.cache.write(token);
    return token;
  }

  async #fetch(): Promise<CachedToken> {
    const { http, credentials, operation, otherServers = [], clock, stopping } = this.#deps;
    const { path, headers, body, masked, secrets } = tokenRequest(operation, credentials);
    const redactor = new Redactor(secrets);
    const redacted = { shown: () => ({ path, body: masked }), redactor, grantsToken: true };
    for (let tried = 1; ; tried++) {
      const askedAtMs = clock.nowMs();
      const exchange = await http.send('POST', path, headers, body, redacted);
      const { answer } = exchange;
      if (answer) this.#reached = true;
      if (answer && isSuccess(answer.status) && !isCut(answer)) return readToken(answer, askedAtMs, operation);
      // Before the first answer, a wrong address is more likely than a temporary fault, so the user gets an error soon.
      const tries = this.#reached ? MAX_TRIES : MAX_TRIES_AT_FIRST;
      if (!mayComeLater(exchange) || tried >= tries) throw tokenError(exchange, redactor, otherServers);
      const waitMs = retryDelayMs(tried, answer, clock.nowMs());
      if (waitMs > MAX_PAUSE_MS) throw tooLate(waitMs, clock.nowMs());
      await clock.sleep(waitMs, stopping);
      if (stopping.aborted) throw tokenError(exchange, redactor, otherServers);
    }
  }
}

/** Time before its end in which a token is not used any more, and the largest share of its life that this may be. */
const MARGIN_MS = 30_000;
const MAX_MARGIN = 1 / 5;
const MAX_TRIES_AT_FIRST = 3;

/** The credentials of one call. They also judge whether the service has refused them. */
export interface AuthorizedCall {
  readonly headers: Readonly<Record<string, string>>;
  /** A parameter that goes in the query, or null. */
  readonly query: { readonly name: string; readonly value: string } | null;
  /** Values that are never shown. */
  readonly secrets: readonly string[];
  /**
   * Judges the status of the answer, after so many earlier refusals of the same call. Returns null unless the service
   * refused these credentials; `renew` if the call may be sent again with new ones; and an `SrqError('auth')` if new ones
   * would not help.
   */
  refusal(status: number, refusals: number): SrqError | 'renew' | null;
}

/** Provides the credentials of the calls that carry a request. */
export interface Authorizer {
  /** Values that are never shown, whatever answer they come back in. */
  readonly secrets: readonly string[];
  /**
   * Returns the credentials for the next call. Throws `SrqError` (`auth`, `unreachable`, `service`) if there are none.
   */
  authorize(): Promise<AuthorizedCall>;
}

/**
 * Number of refused tokens in a row that one request survives before the credentials are blamed. A token that was issued
 * just now may be refused, too: it may have been revoked together with the one that it replaces, or have ended while a
 * busy machine or store delayed the request. Where many processes share a token, one end of it is met by all of them.
 */
const MAX_TOKEN_REFUSALS = 4;

/**
 * Authorizes calls with credentials that do not change. Throws `SrqError('auth')` for a key that no header can hold.
 */
export function fixedAuthorizer(authorization: FixedAuthorization, credentials: Credentials): Authorizer {
  const parts = fixedParts(authorization, credentials);
  const call: AuthorizedCall = { ...parts, refusal: (status) => (status === 401 ? credentialsRefused() : null) };
  return { secrets: parts.secrets, authorize: () => Promise.resolve(call) };
}

/** Who asks, and the secret that proves it: a client secret or a key. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/*
 * From here on the secret is read. No other file does that, so that these functions are all the ways on which it leaves
 * the program: to the token endpoint, with each request, and as a digest that says whether a kept token belongs to it.
 */

/**
 * Builds the token request by the client credentials grant (RFC 6749, section 4.4), in the form that the service
 * expects. `masked` is its body as it may be shown, and `secrets` are the values that never are.
 */
export function tokenRequest(operation: TokenOperation, { clientId, clientSecret }: Credentials) {
  const { path, auth, encoding, extra } = operation;
  const secret = clientSecret.reveal();
  const inBody = auth === 'body' ? { client_id: clientId, client_secret: secret } : {};
  const parameters = { grant_type: 'client_credentials', ...inBody, ...extra };
  // RFC 6749, section 2.3.1, form-encodes both before they are joined.
  const basic = auth === 'basic' ? [basicCredentials(formEncoded(clientId), formEncoded(secret))] : [];
  const furtherSecrets = Object.entries(extra).flatMap(([name, text]) => (isShown(name) ? [] : [text]));
  const secrets = [secret, ...basic, ...furtherSecrets];
  const isJson = encoding === 'json';
  const write = (values: Record<string, string>) =>
    isJson ? JSON.stringify(values) : new URLSearchParams(values).toString();
  const masked = Object.entries(parameters).map(([name, text]) => [name, secrets.includes(text) ? REDACTED : text]);
  const headers: Record<string, string> = {
    'content-type': isJson ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE,
    accept: ACCEPTED_TYPES,
  };
  for (const encoded of basic) headers['authorization'] = `Basic ${encoded}`;
  return { path, headers, body: write(parameters), masked: write(Object.fromEntries(masked)), secrets };
}

/** Tells whether a further parameter only says what is asked for. */
const isShown = (name: string): boolean => /^(?:scope|audience|resource)$/.test(name);

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

/** Joins client id and secret as UTF-8 (RFC 7617). */
function basicCredentials(clientId: string, secret: string): string {
  return Buffer.from(`${clientId}:${secret}`).toString('base64');
}

/** A kind of authorization that needs no token. */
export type FixedAuthorization = Exclude<Authorization, { kind: 'bearer' }>;

/** Writes the credentials of each request. Throws `SrqError('auth')` for a key that no header can hold. */
function fixedParts(
  authorization: FixedAuthorization,
  { clientId, clientSecret }: Credentials,
): Omit<AuthorizedCall, 'refusal'> {
  const secret = clientSecret.reveal();
  if (authorization.kind === 'basic') {
    const encoded = basicCredentials(clientId, secret);
    return { headers: { authorization: `Basic ${encoded}` }, query: null, secrets: [secret, encoded] };
  }
  const { in: place, name, prefix, value } = authorization;
  const key = value ?? secret;
  if (place === 'query') return { headers: {}, query: { name, value: key }, secrets: [key] };
  if (!/^[\x20-\x7e]+$/.test(key)) {
    const message = `The key for ${name} holds characters that no header can hold.`;
    throw new SrqError('auth.refused', message, 'Check the key that you were given, then log in again: srq login');
  }
  // A user may have copied the key with its prefix. The prefix is then not added again.
  const text = key.toLowerCase().startsWith(prefix.toLowerCase()) ? key : prefix + key;
  return { headers: { [name.toLowerCase()]: text }, query: null, secrets: [key, text] };
}

/** Returns the mark by which a file says which secret its token was granted for: a few digits of its digest. */
export function secretMark({ clientSecret }: Pick<Credentials, 'clientSecret'>): string {
  return createHash('sha256').update(clientSecret.reveal()).digest('hex').slice(0, 8);
}

/** Returns the key with which a token is encrypted that others can read. */
export function tokenKey({ clientSecret }: Pick<Credentials, 'clientSecret'>, salt: string): Buffer {
  return scryptSync(clientSecret.reveal(), salt, 32);
}
