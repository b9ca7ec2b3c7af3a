import { basename } from 'node:path';
import {
  addressOf,
  type Call,
  type Contract,
  type CreateCall,
  callsOf,
  DEFAULT_KEY_LIFE_SECONDS,
  type Json,
} from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { readPlace } from '../request/contract/place.ts';
import { ACCEPTED_TYPES, JSON_CONTENT_TYPE } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import type { Clock } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { secretTexts } from '../request/words/names.ts';
import type { Exchange } from './network/exchange.ts';
import { LeaseExpired, networkFailure } from './network/network-failure.ts';
import type { RateLimiter } from './pacing/rate-limiter.ts';
import { retryDelayMs } from './pacing/retry.ts';
import { retryAfterMs } from './pacing/retry-after.ts';
import { REDACTED } from './redaction/hidden-words.ts';
import { Redactor } from './redaction/redactor.ts';
import type { Tokens } from './token/token.ts';
import { tokenRefused } from './token/token-answer.ts';
import { type EncodedRequest, type Encodes, type Mask, makeEncoder } from './wire/encode.ts';
import type { Http } from './wire/http.ts';

/** Time without a connection that ends the run. A service that restarts is back within it. */
const MAX_AWAY_MS = 60_000;
/** Before the first answer, so many failures to reach the service end the run: the base URL may be wrong. */
const MAX_UNREACHED_AT_FIRST = 3;
/** The pause between two tries to reach a service is not longer than after this many. */
const MAX_GROWING_TRIES = 4;

/**
 * Number of refused tokens in a row that one request survives before the credentials are blamed. A token that was issued
 * just now may be refused, too: it may have been revoked together with the one that it replaces, or have ended while a
 * busy machine or store delayed the request. Where many processes share a token, one end of it is met by all of them.
 */
const MAX_TOKEN_REFUSALS = 4;

/** What calls need of the program. */
export interface CallDeps {
  readonly http: Http;
  readonly tokens: Tokens;
  readonly limiter: RateLimiter;
  readonly contract: Contract;
  readonly clock: Clock;
  /** Aborted when the run is to end. Nothing new is sent then; calls in flight are finished. */
  readonly stopping: AbortSignal;
}

type PreparedCall = Awaited<ReturnType<Caller['prepare']>>;

/**
 * Makes the calls of the service's operations: with a bearer token (RFC 6749, section 4.4; RFC 6750), in their turn at the
 * limiter, and each of them once.
 */
export class Caller {
  readonly #deps: CallDeps;
  readonly #encoder: Encodes;
  readonly #secrets: readonly string[];
  #reached = false;
  #away: { readonly sinceMs: number; times: number } | null = null;

  constructor(deps: CallDeps) {
    const { contract, tokens } = deps;
    this.#deps = deps;
    this.#encoder = makeEncoder(contract);
    this.#secrets = [...tokens.secrets, ...givenKeys(contract)];
  }

  /** Prepares a call: reads the recording and encodes the request, once for all tries. Nothing is sent. */
  async prepare(operation: RequestOperationName, request: ServiceRequest, header: EncodedRequest['headers'] = {}) {
    const { params, parts = {}, audio } = request;
    const recording = audio ? await audio.base64() : null;
    const encoded = this.#encoder[operation](request, recording);
    const fileName = audio ? [basename(audio.path)] : [];
    const values = [...Object.values(params), ...Object.values(parts), ...fileName, ...this.#secrets];
    const mask: Mask = (text) => (text === params['country'] ? text : REDACTED);
    return {
      operation,
      encoded: { ...encoded, headers: { ...encoded.headers, ...header } },
      /** The values to be redacted wherever the call is shown. */
      redactor: new Redactor(values),
      /** Encodes the call with its values masked. */
      shown: () => this.#encoder[operation](request, recording, mask),
    };
  }

  /**
   * Sends a prepared call with a valid token, which is added to the values to redact. A validate is sent again with a new
   * one while the service refuses it.
   */
  async send(
    { operation, encoded, redactor, shown }: PreparedCall,
    permission: WritePermission,
  ): Promise<Exchange | 'stopped' | 'withdrawn'> {
    const { tokens, limiter, http, contract, stopping } = this.#deps;
    const described = contract[operation] ?? contract.create;
    for (let refusals = 0; ; refusals++) {
      // Get the token before the permit, so that no place is held meanwhile. It is checked again with the permit,
      // because it may have expired while the request waited.
      await tokens.get();
      const permit = await limiter.acquire(addressOf(described).path, stopping);
      if (!permit) return 'stopped';
      let sent: Exchange | null = null;
      let exchange: Exchange;
      let token: string;
      try {
        token = await tokens.get();
        const mayWrite = await permission();
        if (mayWrite === null) return 'withdrawn';
        // The secret may have been read again since the call was prepared.
        for (const secret of [token, ...tokens.secrets]) redactor.add(secret);
        const authorized = { authorization: `Bearer ${token}`, accept: acceptedTypes(described) };
        const headers = Object.assign({}, encoded.headers, authorized);
        const redacted = { shown, redactor, grantsToken: false };
        const { method, path, body } = encoded;
        exchange = await http.send(method, path, headers, body, redacted, mayWrite);
        if (!(exchange.error instanceof LeaseExpired)) sent = exchange;
      } finally {
        limiter.release(permit, sent);
      }
      if (exchange.answer) this.#reached = true;
      if (exchange.written) this.#away = null;
      if (exchange.answer?.status !== 401) return exchange;
      tokens.refused(token);
      // What a create means is judged by its whole answer, also where the token is refused: it may have been taken.
      if (operation === 'create') return exchange;
      if (refusals >= MAX_TOKEN_REFUSALS) throw tokenRefused();
    }
  }

  /**
   * Waits after attempt number `tried`. Throws `SrqError('unreachable')` if the service has been unreachable for too
   * long. Tries that did not reach it are not counted.
   */
  async pauseUnlessPaced(tried: number, exchange: Exchange): Promise<void> {
    const { clock, stopping } = this.#deps;
    const { answer } = exchange;
    const wallMs = clock.nowMs();
    // A 429, and any answer with Retry-After, has lengthened the rate limiter's pause when the permit was released. The
    // next `acquire` waits it out, and knows when it is too long.
    if (answer?.status === 429 || (answer && retryAfterMs(answer.headers, wallMs) !== null)) return;
    let pauses = tried;
    if (isUnreached(exchange)) {
      const nowMs = clock.monotonicMs();
      this.#away ??= { sinceMs: nowMs, times: 0 };
      this.#away.times += 1;
      const { sinceMs, times } = this.#away;
      if (this.#reached ? nowMs - sinceMs >= MAX_AWAY_MS : times >= MAX_UNREACHED_AT_FIRST)
        throw unreachable(exchange.error);
      pauses = Math.min(tried, MAX_GROWING_TRIES);
    }
    await clock.sleep(retryDelayMs(pauses, answer, wallMs), stopping);
  }
}

/** Tells whether a call did not reach the service. */
export function isUnreached(exchange: Exchange): exchange is Extract<Exchange, { error: Error }> {
  return !exchange.written && !(exchange.error instanceof LeaseExpired);
}

function unreachable(error: Error): SrqError {
  const { reason, hint } = networkFailure(error);
  const next = 'What has failed was certainly not taken; run the same command again.';
  return new SrqError('service.unreachable', reason, `${hint} ${next}`, error);
}

/**
 * Returns the Accept header: the documented type of the answer, then JSON, because some services refuse to send anything
 * else.
 */
function acceptedTypes({ success }: Call): string {
  const described = success?.contentType ?? JSON_CONTENT_TYPE;
  return described === JSON_CONTENT_TYPE ? ACCEPTED_TYPES : `${described}, ${JSON_CONTENT_TYPE};q=0.9, */*;q=0.1`;
}

/**
 * Returns constants of the contract that may be keys: all those in headers and query, and those in the body with the
 * name of a secret.
 */
function givenKeys(contract: Contract): string[] {
  const constants = callsOf(contract).flatMap(({ always, when }) => [always, ...Object.values(when)]);
  return constants.flatMap(Object.entries<Json>).flatMap(([place, value]) => {
    const { in: where, path } = readPlace(place);
    return where === 'body' ? secretTexts(path.at(-1) ?? '', value) : [String(value)];
  });
}

/**
 * Asked when it is a call's turn. Resolves to null if the call must not be written, else to a function that tells at the
 * moment of the first byte whether it still may be.
 */
export type WritePermission = () => Promise<(() => boolean) | null>;

/** Share of the key's life that is subtracted for differences between clocks. */
const MARGIN = 1 / 10;
/** Minimum of that margin. Data written when the network drops may arrive this much later. */
const MIN_MARGIN_MS = 2 * 60 * 1000;
/** Most time that the tries of one call may take. */
const MAX_TRYING_MS = 5 * 60 * 1000;

/**
 * Returns how long after the first attempt was written a create may be repeated under its key
 * (draft-ietf-httpapi-idempotency-key-header), in milliseconds, or null if it may not. The repetition must reach the service
 * while it knows the key. Of a call that died only the last attempt is known, and the repetition takes time as well, so twice
 * the time of the tries is subtracted.
 */
export function keyWindowMs({ again }: CreateCall): number | null {
  if (again === null) return null;
  const knownMs = (again.hours === null ? DEFAULT_KEY_LIFE_SECONDS : again.hours * 3600) * 1000;
  const trustedMs = knownMs - Math.max(knownMs * MARGIN, MIN_MARGIN_MS);
  return trustedMs <= 0 ? null : trustedMs - 2 * Math.min(trustedMs / 4, MAX_TRYING_MS);
}

/**
 * Returns the header by which the service recognises a repeated create. It is empty if the contract has no such header.
 * `key` consists of 32 hex digits.
 */
export function idempotencyHeader({ again }: CreateCall, key: string): Record<string, string> {
  if (again === null) return {};
  return { [again.header.toLowerCase()]: again.uuid ? asUuid(key) : key };
}

/** Formats a key as a random UUID (RFC 9562, version 4), which passes every check of that format. */
function asUuid(key: string): string {
  const variant = '89ab'[Number.parseInt(key.charAt(16), 16) % 4];
  const parts = [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `${variant}${key.slice(17, 20)}`];
  return [...parts, key.slice(20, 32)].join('-');
}
