import { SrqError } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import type { AudioReader, Clock, MarketplaceApi, Sent, ValidateResult } from '../model/ports.ts';
import type { ServiceRequest } from '../model/service-request.ts';
import { type BodyEncoding, PATHS } from '../model/wire.ts';
import { classifyCreate, type Meaning } from './classify.ts';
import { encodeBody } from './encode.ts';
import type { Exchange, Http } from './http.ts';
import { Mask } from './mask.ts';
import { createOutcome, failedOutcome, failedValidate, readValidate } from './outcomes.ts';
import { asksToWait, retryDelayMs, TRIES } from './retry.ts';
import type { Tokens } from './token.ts';
import { tokenRefused } from './token-error.ts';
import type { Turnstile } from './turnstile.ts';

/** A request that was never acted on goes again at most so often, then it is `failed`. */
const CREATE_TRIES = 10;
/** So many failures to reach the service in a row, over all requests, end the run; fewer before its first answer. */
const UNREACHED_LIMIT = 8;
const UNREACHED_AT_FIRST_LIMIT = 3;

export interface RequestApiParts {
  readonly http: Http;
  readonly tokens: Tokens;
  readonly turnstile: Turnstile;
  readonly audio: AudioReader;
  readonly encoding: BodyEncoding;
  readonly clock: Clock;
  /** Aborted when the run is to end: nothing new is sent, what is in flight is waited for. */
  readonly stopping: AbortSignal;
  /** Never shown or stored: the client secret. */
  readonly secrets: readonly string[];
}

/** The service behind its three endpoints: paced, with a valid token, nothing repeated that may have been acted on. */
export class RequestApi implements MarketplaceApi {
  readonly #parts: RequestApiParts;
  #reached = false;
  #unreachedInARow = 0;

  constructor(parts: RequestApiParts) {
    this.#parts = parts;
  }

  async validate(request: ServiceRequest): Promise<ValidateResult> {
    const sent = this.#maskFor(request);
    for (let tried = 1; ; tried++) {
      const exchange = await this.#call(PATHS.validate, request, sent, always);
      if (typeof exchange === 'string') return failedValidate(STOPPED, null);
      const { result, passing, stop } = readValidate(exchange, sent);
      if (stop) throw stop;
      if (!passing || tried >= TRIES) return result;
      await this.#pauseAfter(tried, exchange);
    }
  }

  async create(request: ServiceRequest, intend: () => Promise<boolean>): Promise<Sent | null> {
    const sent = this.#maskFor(request);
    try {
      for (let tried = 1; ; tried++) {
        const exchange = await this.#call(PATHS.create, request, sent, intend);
        if (exchange === 'withdrawn') return null;
        if (exchange === 'stopped') return { outcome: failedOutcome(STOPPED), stop: null };
        const meaning = classifyCreate(exchange);
        if (meaning.next !== 'again' || tried >= CREATE_TRIES) return sentResult(meaning, exchange, sent);
        await this.#pauseAfter(tried, exchange);
      }
    } catch (error) {
      // Thrown only before anything was written, or after a try that was not acted on.
      if (!(error instanceof SrqError) || error.code === 'log') throw error;
      return { outcome: failedOutcome(error.message), stop: error.code === 'input' ? null : error };
    }
  }

  slowDown(share: number): void {
    this.#parts.turnstile.slowDown(share);
  }

  /**
   * One exchange with a valid token, which is added to `sent`; a 401 is answered with a new token, once. `stopped`: the
   * run is being stopped. `withdrawn`: `intend` forbade it.
   */
  async #call(
    path: string,
    request: ServiceRequest,
    sent: Mask,
    intend: () => Promise<boolean>,
  ): Promise<Exchange | 'stopped' | 'withdrawn'> {
    const { tokens, turnstile, http, audio, encoding } = this.#parts;
    const recording = request.audio ? await audio.readBase64(request.audio) : null;
    const { contentType, body } = encodeBody(request, recording, encoding);
    for (let refusals = 0; ; refusals++) {
      // Fetched before, so that nobody holds a place meanwhile, and looked at again when the turn has come: it may have
      // ended while this request waited.
      await tokens.get();
      const ticket = await turnstile.enter(path);
      if (!ticket) return 'stopped';
      let exchange: Exchange = NOT_WRITTEN;
      let token: string;
      try {
        token = await tokens.get();
        if (!(await intend())) return 'withdrawn';
        sent.add(token);
        const headers = { authorization: `Bearer ${token}`, 'content-type': contentType, accept: 'application/json' };
        exchange = await http.post(path, headers, body);
      } finally {
        turnstile.leave(ticket, exchange);
      }
      if (exchange.answer) this.#reached = true;
      if (exchange.written) this.#unreachedInARow = 0;
      if (exchange.answer?.status !== 401) return exchange;
      // The second one may be another process's and as old as the first.
      const isOurs = tokens.refused(token);
      if (refusals >= 2 || (refusals === 1 && isOurs)) throw tokenRefused();
    }
  }

  /** Waits after try number `tried`. Throws `SrqError('unreachable')` when the service has been out of reach for too long. */
  async #pauseAfter(tried: number, exchange: Exchange): Promise<void> {
    const { clock, stopping } = this.#parts;
    // These pause everybody at the turnstile already, which also knows a pause that is too long.
    if (exchange.answer?.status === 429 || asksToWait(exchange.answer)) return;
    if (!exchange.written) {
      this.#unreachedInARow += 1;
      const limit = this.#reached ? UNREACHED_LIMIT : UNREACHED_AT_FIRST_LIMIT;
      if (this.#unreachedInARow >= limit) throw unreachable(classifyCreate(exchange).reason);
    }
    await clock.sleep(retryDelayMs(tried, exchange.answer, clock.nowMs()), stopping);
  }

  #maskFor(request: ServiceRequest): Mask {
    return new Mask([...Object.values(request.params), ...this.#parts.secrets]);
  }
}

const STOPPED = 'The run was stopped before this request was sent.';
const NOT_WRITTEN: Exchange = { answer: null, error: new Error('not written'), written: false, ms: 0 };
const always = () => Promise.resolve(true);

function sentResult(meaning: Meaning, exchange: Exchange, sent: Mask): Sent {
  const outcome: Outcome = createOutcome(meaning, exchange, sent);
  const stop = meaning.stop ? new SrqError(meaning.stop.code, meaning.reason, meaning.stop.hint) : null;
  return { outcome, stop };
}

function unreachable(reason: string): SrqError {
  return new SrqError(
    'unreachable',
    reason,
    'Check the base URL (srq status), the network and, if there is one, the proxy. What has failed was certainly not taken; run the same command again.',
  );
}
