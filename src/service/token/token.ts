import { createHash, scryptSync } from 'node:crypto';
import type { TokenOperation } from '../../request/contract/contract.ts';
import { ACCEPTED_TYPES, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { CachedToken, Clock, TokenCache } from '../../request/ports.ts';
import type { Secret } from '../../request/words/secret.ts';
import { MAX_PAUSE_MS } from '../pacing/pace.ts';
import { tooLate } from '../pacing/rate-limiter.ts';
import { MAX_TRIES, retryDelayMs } from '../pacing/retry.ts';
import { REDACTED } from '../redaction/hidden-words.ts';
import { Redactor } from '../redaction/redactor.ts';
import type { Http } from '../wire/http.ts';
import { isCut, mayComeLater, readToken, tokenError } from './token-answer.ts';

/** The dependencies of `Tokens`. */
export interface TokenDeps {
  readonly http: Http;
  readonly credentials: Credentials;
  /** Reads the secret again. It is called before the next token request once the service has refused the last one. */
  readonly readSecret?: (() => Promise<Secret>) | undefined;
  readonly cache: TokenCache;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly operation: TokenOperation;
  /** The servers that the API description names, unless the base URL is one of them. */
  readonly otherServers?: readonly string[];
}

/**
 * The bearer token of the calls (RFC 6750), which all requests and, through the cache, all processes share. It is fetched by
 * one caller at a time, renewed shortly before it expires, and replaced when the service refuses it. A token of unknown
 * lifetime holds until it is refused.
 */
export class Tokens {
  readonly #deps: TokenDeps;
  #credentials: Credentials;
  #isRefused = false;
  #current: CachedToken | null = null;
  #renewal: Promise<CachedToken> | null = null;
  #reached = false;

  constructor(deps: TokenDeps) {
    this.#deps = deps;
    this.#credentials = deps.credentials;
  }

  /** Values that are never shown. */
  get secrets(): readonly string[] {
    return [this.#credentials.clientSecret.reveal()];
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
    this.#renewal ??= this.#fetchOrShare(isProof).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #fetchOrShare(isProof: boolean): Promise<CachedToken> {
    await this.#deps.cache.refresh?.();
    const shared = isProof ? null : this.#deps.cache.read();
    const isNew = shared && shared.accessToken !== this.#current?.accessToken && this.#holds(shared);
    const token = isNew ? shared : await this.#fetch();
    this.#current = token;
    if (!isNew) await this.#deps.cache.write(token);
    return token;
  }

  async #fetch(): Promise<CachedToken> {
    const { http, readSecret, operation, otherServers = [], clock, stopping } = this.#deps;
    if (this.#isRefused && readSecret) this.#credentials = { ...this.#credentials, clientSecret: await readSecret() };
    const { path, headers, body, masked, secrets } = tokenRequest(operation, this.#credentials);
    const redactor = new Redactor(secrets);
    const redacted = { shown: () => ({ path, body: masked }), redactor, grantsToken: true };
    for (let tried = 1; ; tried++) {
      const askedAtMs = clock.nowMs();
      const exchange = await http.send('POST', path, headers, body, redacted);
      const { answer } = exchange;
      if (answer) [this.#reached, this.#isRefused] = [true, /^40[013]$/.test(String(answer.status))];
      if (answer && isSuccess(answer.status) && !isCut(answer)) return readToken(answer, askedAtMs, operation.answer);
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

/** Who asks, and the secret that proves it. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/*
 * From here on the secret is read. No other file does that, so that these functions are all the ways on which it leaves
 * the program: to the token endpoint, and as a digest that says whether a kept token belongs to it.
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
  // RFC 6749, section 2.3.1, form-encodes both before they are joined as UTF-8 (RFC 7617).
  const credentials = `${formEncoded(clientId)}:${formEncoded(secret)}`;
  const basic = auth === 'basic' ? [Buffer.from(credentials).toString('base64')] : [];
  const furtherSecrets = Object.entries(extra).flatMap(([name, text]) => (isShown(name) ? [] : [text]));
  const secrets = [secret, ...basic, ...furtherSecrets];
  const isJson = encoding === 'json';
  const write = (values: Record<string, string>) =>
    isJson ? JSON.stringify(values) : new URLSearchParams(values).toString();
  const masked = Object.entries(parameters).map(([name, text]) => [name, secrets.includes(text) ? REDACTED : text]);
  const type = isJson ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE;
  const headers: Record<string, string> = { 'content-type': type, accept: ACCEPTED_TYPES };
  for (const encoded of basic) headers['authorization'] = `Basic ${encoded}`;
  return { path, headers, body: write(parameters), masked: write(Object.fromEntries(masked)), secrets };
}

/** Tells whether a further parameter only says what is asked for. */
const isShown = (name: string): boolean => /^(?:scope|audience|resource)$/.test(name);

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

/** Returns the mark by which a file says which secret its token was granted for: a few digits of its digest. */
export function secretMark({ clientSecret }: Pick<Credentials, 'clientSecret'>): string {
  return createHash('sha256').update(clientSecret.reveal()).digest('hex').slice(0, 8);
}

/** Returns the key with which a token is encrypted that others can read. */
export function tokenKey({ clientSecret }: Pick<Credentials, 'clientSecret'>, salt: string): Buffer {
  return scryptSync(clientSecret.reveal(), salt, 32);
}
