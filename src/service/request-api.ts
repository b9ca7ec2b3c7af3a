import { basename } from 'node:path';
import { type AnswerMemory, isOpenForm } from '../request/answer-memory.ts';
import {
  type Contract,
  isOffered,
  type Observations,
  type Operation,
  parametersOf,
  wireFormOf,
} from '../request/contract.ts';
import { SrqError } from '../request/errors.ts';
import { isSecretName, secretTexts } from '../request/names.ts';
import type { RequestOperationName } from '../request/operations.ts';
import type {
  AudioReader,
  Clock,
  CreateResult,
  MarketplaceApi,
  UnprovenAnswer,
  ValidateResult,
} from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import { ACCEPTED_TYPES, JSON_CONTENT_TYPE } from '../request/wire.ts';
import { AnswerReader } from './answers/answer-reader.ts';
import { CreateTries, idempotencyHeader, keyLife, type WritePermission } from './create-tries.ts';
import type { Exchange } from './network/exchange.ts';
import { networkFailure } from './network/network-failure.ts';
import { failedValidate, processCreate, processValidate, unsent } from './outcomes.ts';
import { isThrottled, type RateLimiter } from './pacing/rate-limiter.ts';
import { asksToWait, MAX_TRIES, retryDelayMs } from './pacing/retry.ts';
import { REDACTED, Redactor } from './redaction/redactor.ts';
import type { RedactedCall } from './redaction/trace.ts';
import type { AuthorizedCall, Authorizer } from './token/authorizer.ts';
import { type EncodedRequest, type Encoder, makeEncoder } from './wire/encode.ts';
import { type Http, LeaseExpired } from './wire/http.ts';

/** Maximum number of attempts for a create that was certainly not acted on. After that it is `failed`. */
const MAX_CREATE_TRIES = 10;
/**
 * Maximum number of attempts for a create that may have been acted on. It is repeated only if the service recognises
 * its idempotency key.
 */
const MAX_DOUBTFUL_TRIES = 4;
/** Pauses before each question to validate when it confirms a creation. */
const CONFIRM_PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];
/**
 * Number of consecutive failures to reach the service, over all requests, that end the run. Before the first answer
 * fewer are enough.
 */
const MAX_UNREACHED = 8;
const MAX_UNREACHED_AT_FIRST = 3;

/** The dependencies of the client. */
export interface RequestApiDeps {
  readonly http: Http;
  readonly authorizer: Authorizer;
  readonly limiter: RateLimiter;
  readonly audio: AudioReader;
  readonly contract: Contract;
  readonly clock: Clock;
  /** Aborted when the run is to end. Nothing new is sent then; calls in flight are finished. */
  readonly stopping: AbortSignal;
  /** Values that are never shown or stored, such as the client secret. */
  readonly secrets: readonly string[];
  /** What earlier processes have learned about the service's answers. */
  readonly memory?: AnswerMemory;
  /** Called whenever more has been learned. */
  readonly remember?: (memory: AnswerMemory) => void;
  /** Returns the column that a field came from, for error messages, or null. */
  readonly columnOf?: (field: string) => string | null;
}

/**
 * The client of validate and create. It limits the rate, adds valid credentials, and repeats nothing that may have been
 * acted on, unless the service recognises the repetition.
 */
export class RequestApi implements MarketplaceApi {
  readonly #deps: RequestApiDeps;
  readonly wireForm: string | null;
  readonly #encoder: Encoder;
  readonly #reader: AnswerReader;
  readonly #secrets: readonly string[];
  readonly #sendsFileName: boolean;
  #reached = false;
  #unreachedInARow = 0;

  /** `reader` is that of another client of the same service, with which this one shares what it learns of the answers. */
  constructor(deps: RequestApiDeps, reader: AnswerReader | null = null) {
    const { contract, columnOf = () => null } = deps;
    this.#deps = deps;
    this.wireForm = wireFormOf(contract);
    this.#encoder = makeEncoder(contract);
    this.#reader = reader ?? new AnswerReader(contract, columnOf, deps.memory, deps.remember);
    this.#secrets = [...deps.secrets, ...givenKeys(contract)];
    this.#sendsFileName = parametersOf(contract).some(
      ({ field, audioForm }) => field === 'audio_name' || audioForm === 'binary',
    );
  }

  /** Returns this client for work that another signal ends as well. It has the same rate and learns for the same service. */
  until(stopping: AbortSignal): RequestApi {
    return new RequestApi({ ...this.#deps, stopping }, this.#reader);
  }

  get idempotencyWindowMs(): number | null {
    return keyLife(this.#deps.contract.create)?.settleMs ?? null;
  }

  /** Counts how often answers agreed with settings of the contract, or did not. */
  observations(): Observations {
    return { ...this.#deps.authorizer.observations, ...this.#reader.observed.counts };
  }

  /** Withdraws the observation of the last verdict, because the verdict cannot be right. */
  withdrawVerdict(): void {
    this.#reader.observed.withdraw('validate.verdict');
  }

  async validate(request: ServiceRequest): Promise<ValidateResult> {
    if (isOffered(this.#deps.contract, 'validate') === false) return failedValidate(NO_VALIDATE, null);
    const redactor = this.#redactorFor(request);
    for (let tried = 1; ; tried++) {
      const attempt = await this.#send(await this.#prepare('validate', request, redactor), ALWAYS_ALLOWED);
      if (attempt.is !== 'exchanged') return failedValidate(STOPPED, null);
      const { result, isTransient, stop } = processValidate(attempt.exchange, redactor, this.#reader);
      if (stop) throw stop;
      if (!isTransient || tried >= MAX_TRIES) return result;
      await this.#pauseUnlessPaced(tried, attempt.exchange);
    }
  }

  async create(
    request: ServiceRequest,
    intend: () => Promise<boolean>,
    idempotencyKey: string | null = null,
    writeLeaseMs: number | null = null,
  ): Promise<CreateResult | null> {
    const { contract, clock } = this.#deps;
    const header = idempotencyHeader(contract.create, idempotencyKey);
    const isKnownByKey = Object.keys(header).length > 0;
    const tries = new CreateTries(clock, isKnownByKey ? (keyLife(contract.create)?.repeatMs ?? 0) : 0);
    try {
      return await this.#createRepeatedly(request, header, tries, tries.permission(intend, writeLeaseMs));
    } catch (error) {
      // An error is thrown only before anything was written, or after attempts that were not acted on or are in doubt.
      // Nobody else knows what became of those attempts, so they are returned as outcomes even if the log is what failed.
      if (!(error instanceof SrqError) || (error.code === 'log' && !tries.areBegun)) throw error;
      return tries.ended(unsent(error.message, error.code === 'input' ? null : error));
    }
  }

  async #createRepeatedly(
    request: ServiceRequest,
    header: EncodedRequest['headers'],
    tries: CreateTries,
    permission: WritePermission,
  ): Promise<CreateResult | null> {
    const redactor = this.#redactorFor(request);
    for (let tried = 1; ; tried++) {
      if (!tries.isRemembered) return tries.ended(unsent(FORGOTTEN, null));
      const attempt = await this.#send(await this.#prepare('create', request, redactor, header), permission);
      if (attempt.is === 'withdrawn') return tries.isTooLate ? tries.ended(unsent(FORGOTTEN, null)) : null;
      if (attempt.is === 'stopped') return tries.ended(unsent(STOPPED, null));
      const processed = processCreate(attempt.exchange, redactor, this.#reader);
      // A create in doubt is tried again only if the service recognises the repetition by its key. Otherwise it ends
      // here.
      const mayRepeatDoubt = processed.isRepeatableByKey && tries.mayRepeatDoubt;
      if (tried >= (mayRepeatDoubt ? MAX_DOUBTFUL_TRIES : MAX_CREATE_TRIES)) return tries.ended(processed.sent);
      if (mayRepeatDoubt) tries.leaveInDoubt(processed.sent.outcome);
      else if (!processed.isToRepeat) return tries.ended(processed.sent);
      await this.#pauseUnlessPaced(tried, attempt.exchange);
    }
  }

  async confirm(request: ServiceRequest, unproven: UnprovenAnswer): Promise<boolean | null> {
    const { clock, stopping, contract } = this.#deps;
    const { form, isDenied } = unproven;
    // If the answer denies the creation or cannot be read, it has no meaning to be learned, so validate is not asked.
    if (isDenied || form === '' || isOffered(contract, 'validate') === false) return null;
    if (!isOpenForm(this.#reader.memory, form)) return null;
    for (const pauseMs of CONFIRM_PAUSES_MS) {
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

  /** What was learned about the service's answers to create, for the next process. */
  get memory(): AnswerMemory {
    return this.#reader.memory;
  }

  slowDown(share: number): void {
    this.#deps.limiter.slowDown(share);
  }

  /** Prepares a call: reads the recording and encodes the request. Nothing is sent. */
  async #prepare(
    operation: RequestOperationName,
    request: ServiceRequest,
    redactor: Redactor,
    header: EncodedRequest['headers'] = {},
  ): Promise<PreparedCall> {
    const recording = request.audio ? await this.#deps.audio.readBase64(request.audio) : null;
    const encoded = this.#encoder[operation](request, recording);
    const headers = { ...encoded.headers, ...header };
    const redacted = () => ({
      ...this.#encoder.shown[operation](request, recording),
      redactor,
      grantsToken: false,
    });
    return { operation, encoded: { ...encoded, headers }, redactor, redacted };
  }

  /**
   * Sends a prepared call with valid credentials, which are added to the values to redact, and again with new ones while
   * the service refuses them and there are others.
   */
  async #send(
    { operation, encoded, redactor, redacted }: PreparedCall,
    { startLease, intend }: WritePermission,
  ): Promise<Attempt> {
    const { authorizer, limiter, http, contract, stopping } = this.#deps;
    const { method, path, headers, body } = encoded;
    for (let refusals = 0; ; refusals++) {
      // Get the token before the permit, so that no place is held meanwhile. It is checked again with the permit,
      // because it may have expired while the request waited.
      await authorizer.authorize();
      const permit = await limiter.acquire(contract[operation].path, stopping);
      if (!permit) return { is: 'stopped' };
      let sent: Exchange | null = null;
      let exchange: Exchange;
      let call: AuthorizedCall;
      try {
        call = await authorizer.authorize();
        const mayWrite = startLease();
        if (!(await intend())) return { is: 'withdrawn' };
        for (const secret of call.secrets) redactor.add(secret);
        const own = { ...call.headers, accept: acceptedTypes(contract[operation]) };
        const [address, shown] = withKey(call, path, redacted);
        exchange = await http.send(method, address, { ...headers, ...own }, body, shown, mayWrite);
        if (!(exchange.error instanceof LeaseExpired)) sent = exchange;
      } finally {
        limiter.release(permit, sent);
      }
      if (exchange.answer) this.#reached = true;
      if (exchange.written) this.#unreachedInARow = 0;
      if (!exchange.answer || !call.isRefused(exchange.answer.status, refusals)) return { is: 'exchanged', exchange };
    }
  }

  /**
   * Waits after attempt number `tried`. Throws `SrqError('unreachable')` if the service has been unreachable for too
   * long.
   */
  async #pauseUnlessPaced(tried: number, exchange: Exchange): Promise<void> {
    const { clock, stopping } = this.#deps;
    const { answer } = exchange;
    // A 429, and any answer with Retry-After, has lengthened the rate limiter's pause when the permit was released. The
    // next `acquire` waits it out, and knows when it is too long.
    if (answer !== null && (isThrottled(answer.status) || asksToWait(answer))) return;
    if (!exchange.written && !(exchange.error instanceof LeaseExpired)) {
      this.#unreachedInARow += 1;
      const limit = this.#reached ? MAX_UNREACHED : MAX_UNREACHED_AT_FIRST;
      if (this.#unreachedInARow >= limit) throw unreachable(exchange.error);
    }
    await clock.sleep(retryDelayMs(tried, answer, clock.nowMs()), stopping);
  }

  #redactorFor(request: ServiceRequest): Redactor {
    const { params, parts = {}, audio } = request;
    const fileName = audio && this.#sendsFileName ? [basename(audio.path)] : [];
    return new Redactor([...Object.values(params), ...Object.values(parts), ...fileName, ...this.#secrets]);
  }
}

const NO_VALIDATE = 'The contract says that this service has no validate.';
const STOPPED = 'The run was stopped before this request was sent.';
const FORGOTTEN = 'The service may have forgotten the idempotency key of the first try.';

/** A prepared call of an operation. */
interface PreparedCall {
  readonly operation: RequestOperationName;
  readonly encoded: EncodedRequest;
  /** The values to be redacted wherever the call is shown. */
  readonly redactor: Redactor;
  readonly redacted: () => RedactedCall;
}

/**
 * The result of trying to send a call. `stopped` means that the run is being stopped, and `withdrawn` that the
 * permission to write was refused; nothing was sent in either case.
 */
type Attempt =
  | { readonly is: 'exchanged'; readonly exchange: Exchange }
  | { readonly is: 'stopped' }
  | { readonly is: 'withdrawn' };

const ALWAYS_ALLOWED: WritePermission = { startLease: () => () => true, intend: () => Promise.resolve(true) };

/** Returns a path with the key that goes in its query, and what may be shown of the call. */
function withKey({ query }: AuthorizedCall, path: string, redacted: () => RedactedCall): [string, () => RedactedCall] {
  if (query === null) return [path, redacted];
  const { name, value } = query;
  const added = (to: string, pair: string) => `${to}${to.includes('?') ? '&' : '?'}${pair}`;
  const shown = () => {
    const call = redacted();
    return { ...call, path: added(call.path, `${name}=${REDACTED}`) };
  };
  return [added(path, new URLSearchParams({ [name]: value }).toString()), shown];
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
function acceptedTypes({ success }: Operation): string {
  const described = success?.contentType ?? JSON_CONTENT_TYPE;
  return described === JSON_CONTENT_TYPE ? ACCEPTED_TYPES : `${described}, ${JSON_CONTENT_TYPE};q=0.9, */*;q=0.1`;
}

/**
 * Returns constants of the contract that may be keys: all those in headers and query, and those in the body with the
 * name of a secret.
 */
function givenKeys(contract: Contract): string[] {
  const { create, validate } = contract;
  const chosen = [create, validate].flatMap(({ choices }) => choices.flat().flatMap(({ constants }) => constants));
  return [
    ...parametersOf(contract).flatMap(({ in: place, path, constant }) =>
      constant !== null && (place !== 'body' || isSecretName(path.at(-1) ?? '')) ? [constant] : [],
    ),
    ...chosen.flatMap(({ path, value }) => secretTexts(path.at(-1) ?? '', value)),
  ];
}
