import { basename } from 'node:path';
import { type AnswerMemory, isOpenForm } from '../model/answer-memory.ts';
import type { Contract, Observations, Operation, Parameter } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import type { AudioReader, Clock, MarketplaceApi, Sent, UnprovenAnswer, ValidateResult } from '../model/ports.ts';
import { isSecretName } from '../model/secret-name.ts';
import type { ServiceRequest } from '../model/service-request.ts';
import { JSON_CONTENT_TYPE } from '../model/wire.ts';
import { AnswerReader } from './answer-reader.ts';
import type { Meaning } from './classify.ts';
import { type Encoder, makeEncoder } from './encode.ts';
import type { Exchange } from './exchange.ts';
import { type Http, IntentRanOut } from './http.ts';
import { idempotencyHeader, keyLife } from './idempotency.ts';
import { Mask } from './mask.ts';
import { networkFailure } from './network-failure.ts';
import { createOutcome, failedOutcome, failedValidate, readValidate } from './outcomes.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { asksToWait, retryDelayMs, TRIES } from './retry.ts';
import type { Tokens } from './token.ts';
import { tokenRefused } from './token-error.ts';

/** A request that was never acted on goes again at most so often, then it is `failed`. */
const CREATE_TRIES = 10;
/** One that may have been acted on goes again so often in all, where the service tells a repetition by its key. */
const DOUBTFUL_TRIES = 4;
/** When validate is asked whether it sees what was answered without proof, each after the one before. */
const LOOKS_AFTER_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];
/** So many failures to reach the service in a row, over all requests, end the run; fewer before its first answer. */
const UNREACHED_LIMIT = 8;
const UNREACHED_AT_FIRST_LIMIT = 3;

/**
 * So many tokens in a row may be refused for one request before the credentials are to blame: another process's may be as old
 * as the one before, and one that has worked may have ended while the request was on its way.
 */
const REFUSALS_BORNE = { own: 1, shared: 2, ended: 4 } as const;

export interface RequestApiParts {
  readonly http: Http;
  readonly tokens: Tokens;
  readonly limiter: RateLimiter;
  readonly audio: AudioReader;
  readonly contract: Contract;
  readonly clock: Clock;
  /** Aborted when the run is to end: nothing new is sent, what is in flight is waited for. */
  readonly stopping: AbortSignal;
  /** Never shown or stored: the client secret. */
  readonly secrets: readonly string[];
  /** What earlier processes found out about the service's answers. */
  readonly memory?: AnswerMemory;
  /** Told whenever there is more of it. */
  readonly remember?: (memory: AnswerMemory) => void;
  /** The column that a field came from, for errors that name it; null: none. */
  readonly fieldName?: (field: string) => string | null;
}

/** The service behind its three endpoints: paced, with a valid token, nothing repeated that may have been acted on. */
export class RequestApi implements MarketplaceApi {
  readonly #parts: RequestApiParts;
  readonly #encoder: Encoder;
  readonly #reader: AnswerReader;
  readonly #secrets: readonly string[];
  readonly #sendsFileName: boolean;
  #reached = false;
  #unreachedInARow = 0;

  constructor(parts: RequestApiParts) {
    const { contract, fieldName = () => null } = parts;
    this.#parts = parts;
    this.#encoder = makeEncoder(contract);
    this.#reader = new AnswerReader(contract, fieldName, parts.memory, parts.remember);
    this.#secrets = [...parts.secrets, ...givenKeys(contract)];
    this.#sendsFileName = parametersOf(contract).some(
      ({ field, audioForm }) => field === 'audio_name' || audioForm === 'binary',
    );
  }

  get idempotencyWindowMs(): number | null {
    return keyLife(this.#parts.contract.create)?.settleMs ?? null;
  }

  /** How often live answers bore out settings of the contract, or did not. */
  observations(): Observations {
    return { ...this.#parts.tokens.observations, ...this.#reader.observed.counts };
  }

  /** The last verdict cannot be right, so it bears nothing out. */
  disbelieveVerdict(): void {
    this.#reader.observed.withdraw('validate.verdict');
  }

  async validate(request: ServiceRequest): Promise<ValidateResult> {
    if (this.#parts.contract.hasValidate === false) return failedValidate(NO_VALIDATE, null);
    const sent = this.#maskFor(request);
    for (let tried = 1; ; tried++) {
      const exchange = await this.#call('validate', request, {}, sent, FREELY);
      if (typeof exchange === 'string') return failedValidate(STOPPED, null);
      const { result, passing, stop } = readValidate(exchange, sent, this.#reader);
      if (stop) throw stop;
      if (!passing || tried >= TRIES) return result;
      await this.#pauseAfter(tried, exchange);
    }
  }

  async create(
    request: ServiceRequest,
    intend: () => Promise<boolean>,
    idempotencyKey: string | null = null,
    intentLifeMs: number | null = null,
  ): Promise<Sent | null> {
    const { contract, clock } = this.#parts;
    const sent = this.#maskFor(request);
    const header = idempotencyHeader(contract.create, idempotencyKey);
    const repeatMs = Object.keys(header).length > 0 ? (keyLife(contract.create)?.repeatMs ?? 0) : 0;
    let doubt: Outcome | null = null;
    let sinceFirstMs: (() => number) | null = null;
    let isTooLate = false;
    // By the service's memory of the key: without a doubt, which a repetition could act on twice, there is no hurry.
    const isRemembered = () => doubt === null || (sinceFirstMs?.() ?? 0) < repeatMs;
    const leave: Leave = {
      intend: async () => {
        sinceFirstMs ??= stopwatch(clock);
        isTooLate = !isRemembered();
        return !isTooLate && (await intend());
      },
      begin: () => {
        const isInTime = inTime(clock, intentLifeMs);
        return () => isInTime() && isRemembered();
      },
    };
    // The log's reader counts the age of the key from the first try.
    const ended = (result: Sent): Sent =>
      afterDoubt(doubt === null ? null : { ...doubt, ms: Math.round(sinceFirstMs?.() ?? 0) }, result);
    try {
      for (let tried = 1; ; tried++) {
        if (!isRemembered()) return ended(NOT_REPEATED);
        const exchange = await this.#call('create', request, header, sent, leave);
        if (exchange === 'withdrawn') return isTooLate ? ended(NOT_REPEATED) : null;
        if (exchange === 'stopped') return ended(unsent(STOPPED, null));
        const meaning = this.#reader.creation(exchange, sent);
        const result = sentResult(meaning, createOutcome(meaning, exchange, sent, this.#reader));
        if (result.unproven) this.#reader.noteUnproven(result.unproven);
        // A repetition would be answered in the same words, which prove nothing either.
        const isRepeatable = repeatMs > 0 && !result.unproven;
        const isDoubtful = meaning.class === 'doubt' && meaning.next === 'record' && isRepeatable;
        if (tried >= (isDoubtful ? DOUBTFUL_TRIES : CREATE_TRIES)) return ended(result);
        if (isDoubtful) doubt = result.outcome;
        else if (meaning.next !== 'again') return ended(result);
        await this.#pauseAfter(tried, exchange);
      }
    } catch (error) {
      // Thrown only before anything was written, or after tries that were not acted on or are in doubt.
      if (!(error instanceof SrqError) || error.code === 'log') throw error;
      const stop = error.code === 'input' ? null : error;
      return ended(unsent(error.message, stop));
    }
  }

  async confirm(request: ServiceRequest, unproven: UnprovenAnswer): Promise<boolean | null> {
    const { clock, stopping, contract } = this.#parts;
    const { form, isDenied } = unproven;
    // Who says that it was not taken, or says nothing that can be read, is not asked for a meaning: there is none to learn.
    if (isDenied || form === '' || contract.hasValidate === false) return null;
    if (!isOpenForm(this.#reader.memory, form)) return null;
    for (const pauseMs of LOOKS_AFTER_MS) {
      await clock.sleep(pauseMs, stopping);
      if (stopping.aborted) return null;
      const { verdict } = await this.validate(request);
      if (verdict === 'unknown') return null;
      if (verdict === 'clear') continue;
      this.#reader.noteSight(unproven, true);
      return true;
    }
    this.#reader.noteSight(unproven, false);
    return false;
  }

  /** What the service's answers to creations were found to look like, for the next process. */
  get memory(): AnswerMemory {
    return this.#reader.memory;
  }

  slowDown(share: number): void {
    this.#parts.limiter.slowDown(share);
  }

  /**
   * One exchange with a valid token, which is added to `sent`; a 401 is answered with a new token, once. `stopped`: the
   * run is being stopped. `withdrawn`: its leave was refused.
   */
  async #call(
    operation: 'create' | 'validate',
    request: ServiceRequest,
    header: Readonly<Record<string, string>>,
    sent: Mask,
    { intend, begin }: Leave,
  ): Promise<Exchange | 'stopped' | 'withdrawn'> {
    const { tokens, limiter, http, audio, contract } = this.#parts;
    const recording = request.audio ? await audio.readBase64(request.audio) : null;
    const encoded = this.#encoder[operation](request, recording);
    const disguise = () => ({ ...this.#encoder.shown[operation](request, recording), mask: sent, grantsToken: false });
    for (let refusals = 0; ; refusals++) {
      // Fetched before, so that nobody holds a place meanwhile, and looked at again when the turn has come: it may have
      // ended while this request waited.
      await tokens.get();
      const permit = await limiter.acquire(contract[operation].path);
      if (!permit) return 'stopped';
      let exchange: Exchange = NOT_WRITTEN;
      let token: string;
      try {
        token = await tokens.get();
        const mayWrite = begin();
        if (!(await intend())) return 'withdrawn';
        sent.add(token);
        const own = { authorization: `Bearer ${token}`, accept: acceptedTypes(contract[operation]) };
        const { method, path, headers, body } = encoded;
        exchange = await http.send(method, path, { ...headers, ...header, ...own }, body, disguise, mayWrite);
      } finally {
        limiter.release(permit, exchange);
      }
      if (exchange.answer) this.#reached = true;
      if (exchange.written) this.#unreachedInARow = 0;
      if (exchange.answer?.status !== 401) {
        if (exchange.answer) tokens.worked(token);
        return exchange;
      }
      if (refusals >= REFUSALS_BORNE[tokens.refused(token)]) throw tokenRefused();
    }
  }

  /** Waits after try number `tried`. Throws `SrqError('unreachable')` when the service has been out of reach for too long. */
  async #pauseAfter(tried: number, exchange: Exchange): Promise<void> {
    const { clock, stopping } = this.#parts;
    // These pause everybody at the limiter already, which also knows a pause that is too long.
    if (exchange.answer?.status === 429 || asksToWait(exchange.answer)) return;
    if (!exchange.written && !(exchange.error instanceof IntentRanOut)) {
      this.#unreachedInARow += 1;
      const limit = this.#reached ? UNREACHED_LIMIT : UNREACHED_AT_FIRST_LIMIT;
      if (this.#unreachedInARow >= limit) throw unreachable(exchange.error);
    }
    await clock.sleep(retryDelayMs(tried, exchange.answer, clock.nowMs()), stopping);
  }

  #maskFor(request: ServiceRequest): Mask {
    const { params, audio } = request;
    const fileName = audio && this.#sendsFileName ? [basename(audio.path)] : [];
    return new Mask([...Object.values(params), ...fileName, ...this.#secrets]);
  }
}

const NO_VALIDATE = 'The service has no validate, as its contract says.';
const STOPPED = 'The run was stopped before this request was sent.';
const NOT_WRITTEN: Exchange = { answer: null, error: new Error('not written'), written: false, reset: false, ms: 0 };
const NOT_REPEATED = unsent('The service may have forgotten the idempotency key of the first try.', null);

/** What one call needs before it may be written. */
interface Leave {
  /** Asked when the turn of the call has come; false: it must not be written. */
  readonly intend: () => Promise<boolean>;
  /** Called right before; what it returns is asked in the moment of the first byte. */
  readonly begin: () => () => boolean;
}

const FREELY: Leave = { intend: () => Promise.resolve(true), begin: () => () => true };

/**
 * The time since now. By the clock that says more: the monotonic one may stand still while the machine sleeps, the other one
 * may be set back.
 */
function stopwatch(clock: Clock): () => number {
  const [wallMs, startedMs] = [clock.nowMs(), clock.monotonicMs()];
  return () => Math.max(clock.nowMs() - wallMs, clock.monotonicMs() - startedMs);
}

/** Whether less than `lifeMs` has passed since now. */
function inTime(clock: Clock, lifeMs: number | null): () => boolean {
  const sinceMs = stopwatch(clock);
  return () => lifeMs === null || sinceMs() < lifeMs;
}

function sentResult({ stop, reason, creation }: Meaning, outcome: Outcome): Sent {
  return {
    outcome,
    stop: stop ? new SrqError(stop.code, reason, stop.hint) : null,
    unproven: creation?.is === 'unproven' ? { ...creation, form: creation.form ?? '' } : null,
    hasRemark: creation?.is === 'taken' && creation.hasRemark,
  };
}

function unsent(message: string, stop: SrqError | null): Sent {
  return { outcome: failedOutcome(message), stop, unproven: null, hasRemark: false };
}

function unreachable(error: Error): SrqError {
  const { reason, hint } = networkFailure(error);
  const next = 'What has failed was certainly not taken; run the same command again.';
  return new SrqError('unreachable', reason, `${hint} ${next}`, error);
}

/** After a try that may have been acted on, only an answer that tells of the request itself is an end. */
function afterDoubt(doubt: Outcome | null, result: Sent): Sent {
  const isTold = result.outcome.status === 'created' || result.outcome.status === 'duplicate';
  return doubt === null || isTold ? result : { ...unsent('', result.stop), outcome: doubt };
}

/** JSON, and before it what the description says that the answer is: some services refuse to send anything else. */
function acceptedTypes({ success }: Operation): string {
  const described = success?.contentType ?? JSON_CONTENT_TYPE;
  return described === JSON_CONTENT_TYPE ? JSON_CONTENT_TYPE : `${described}, ${JSON_CONTENT_TYPE};q=0.9`;
}

/** What the partner gave for header or query may be a key; in the body its name tells. */
function givenKeys(contract: Contract): string[] {
  return parametersOf(contract).flatMap(({ in: place, path, constant }) =>
    constant !== null && (place !== 'body' || isSecretName(path.at(-1) ?? '')) ? [constant] : [],
  );
}

function parametersOf({ create, validate }: Contract): Parameter[] {
  return [...(create.parameters ?? []), ...(validate.parameters ?? [])];
}
