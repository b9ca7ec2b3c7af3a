import { basename } from 'node:path';
import { addressOf, type Call, type Contract, callsOf } from '../request/contract/contract.ts';
import type { KnownAnswers } from '../request/contract/known-answers.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { readPlace } from '../request/contract/place.ts';
import { wireFormOf } from '../request/contract/public-api.ts';
import { ACCEPTED_TYPES, JSON_CONTENT_TYPE } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import type { Outcome } from '../request/log/outcome.ts';
import type {
  AudioReader,
  Clock,
  CreateResult,
  CreateTerms,
  Look,
  MarketplaceApi,
  Proof,
  UnprovenAnswer,
  ValidateResult,
  Verdict,
} from '../request/ports.ts';
import { stopwatch } from '../request/small.ts';
import { SrqError } from '../request/words/errors.ts';
import { isSecretName, secretTexts } from '../request/words/names.ts';
import { AnswerReader } from './answers/answer-reader.ts';
import type { Form } from './answers/form.ts';
import { Experiment } from './experiment.ts';
import { idempotencyHeader, keyLife, repeatUnderKey, type WritePermission } from './idempotency.ts';
import { invented } from './invented.ts';
import type { Exchange } from './network/exchange.ts';
import { networkFailure } from './network/network-failure.ts';
import { CreateJudge, failedValidate, processValidate, unsent } from './outcomes.ts';
import { isThrottled, type RateLimiter } from './pacing/rate-limiter.ts';
import { asksToWait, MAX_TRIES, retryDelayMs } from './pacing/retry.ts';
import { REDACTED, Redactor } from './redaction/redactor.ts';
import type { RedactedCall } from './redaction/trace.ts';
import type { AuthorizedCall, Authorizer } from './token/authorizer.ts';
import { tokenRefused } from './token/token-answer.ts';
import { type EncodedRequest, type Encoder, makeEncoder } from './wire/encode.ts';
import { type Http, LeaseExpired } from './wire/http.ts';

/** Maximum number of attempts for a create that was certainly not acted on. After that it is `failed`. */
const MAX_CREATE_TRIES = 10;
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
  /** What earlier processes have learned about the service's answers. */
  readonly known?: KnownAnswers;
  /** Called whenever more has been learned. */
  readonly remember?: (known: KnownAnswers) => void;
  /** Returns the column that a field came from, for error messages, or null. */
  readonly columnOf?: (field: string) => string | null;
}

/**
 * The client of the service, in the order of the protocol: validate asks about a request, create hands it over, and both
 * are sent by `#send`, which has the token from the authorizer (RFC 6749, section 4.4; RFC 6750) and the turn from the
 * limiter. Nothing is repeated that may have been acted on, unless the service recognises the repetition.
 */
export class RequestApi implements MarketplaceApi {
  readonly wireForm: string | null;
  readonly #deps: RequestApiDeps;
  readonly #encoder: Encoder;
  readonly #reader: AnswerReader;
  readonly #creates: Map<string, number>;
  readonly #experiment: Experiment;
  readonly #judge: CreateJudge;
  readonly #secrets: readonly string[];
  readonly #sendsFileName: boolean;
  #reached = false;
  #unreachedInARow = 0;

  /** `other` is another client of the same service, with which this one shares what it learns of the answers. */
  constructor(deps: RequestApiDeps, other: RequestApi | null = null) {
    const { contract, columnOf = () => null, clock, stopping } = deps;
    this.#deps = deps;
    this.wireForm = wireFormOf(contract);
    this.#encoder = makeEncoder(contract);
    const reader = other ? other.#reader : new AnswerReader(contract, columnOf, deps.known, deps.remember);
    this.#reader = reader;
    this.#creates = other ? other.#creates : new Map();
    const ask = (request: ServiceRequest) => this.#ask(request);
    this.#experiment = new Experiment({ reader, clock, stopping, ask, creates: this.#creates });
    this.#judge = new CreateJudge(reader, this.#experiment, contract, clock);
    this.#secrets = [...deps.authorizer.secrets, ...givenKeys(contract)];
    this.#sendsFileName = callsOf(contract).some(
      ({ audio, fields }) => audio === 'binary' || Object.values(fields).includes('audio_name'),
    );
  }

  /** Returns this client for work that another signal ends as well. It has the same rate and learns for the same service. */
  until(stopping: AbortSignal): RequestApi {
    return new RequestApi({ ...this.#deps, stopping }, this);
  }

  async validate(request: ServiceRequest): Promise<ValidateResult> {
    return this.#experiment.judged(request, await this.#ask(request));
  }

  async look(request: ServiceRequest): Promise<Look> {
    const { verdict, form, refused } = await this.#ask(request);
    return { verdict, form: refused === null ? form : null };
  }

  /** Asks validate about one request. It has no effects, so it is repeated while that may help. */
  async #ask(request: ServiceRequest): Promise<ValidateResult> {
    if (this.#deps.contract.validate === null) return failedValidate(NO_VALIDATE, null);
    const call = await this.#prepare('validate', request);
    for (let tried = 1; ; tried++) {
      const sent = await this.#send(call, async () => () => true);
      if (typeof sent === 'string') return failedValidate(STOPPED, null);
      const processed = processValidate(sent.exchange, call.redactor, this.#reader);
      const { stop, isTransient } = processed;
      const result = stop || (isTransient && tried < MAX_TRIES) ? null : processed.result;
      if (result === null || result.verdict === 'unknown') distrust(sent.exchange);
      if (stop) throw stop;
      if (result) return result;
      await this.#pauseUnlessPaced(tried, sent.exchange);
    }
  }

  async create(
    request: ServiceRequest,
    intend: () => Promise<boolean>,
    terms: CreateTerms,
  ): Promise<CreateResult | null> {
    const { contract, clock, stopping } = this.#deps;
    const { writeLeaseMs = null } = terms;
    let isBegun = false;
    // The lease begins before the intent, so that the time for recording it counts.
    const permission: WritePermission = async () => {
      const sinceMs = stopwatch(clock);
      if (!(await intend())) return null;
      isBegun = true;
      return () => writeLeaseMs === null || sinceMs() < writeLeaseMs;
    };
    this.#experiment.noteCreate(request);
    let prepared: Promise<PreparedCall> | null = null;
    const create = async (allowed: WritePermission): Promise<CreateResult | null> => {
      const progress = { isRefused: false };
      try {
        prepared ??= this.#prepare('create', request, idempotencyHeader(contract.create, terms.idempotencyKey));
        const result = await this.#createOnce(request, await prepared, allowed, terms, progress);
        return result && afterRefusal(result, progress.isRefused);
      } catch (error) {
        // An error is thrown only while nothing is under way. Nobody else knows what became of earlier tries, so they are
        // returned as outcomes even if the log is what failed.
        if (!(error instanceof SrqError) || (error.code === 'log' && !isBegun)) throw error;
        return afterRefusal(unsent(error.message, error.code === 'input' ? null : error), progress.isRefused);
      }
    };
    const pause = (tried: number) => clock.sleep(retryDelayMs(tried, null, clock.nowMs()), stopping);
    const life = keyLife(contract.create);
    return life ? repeatUnderKey(create, permission, { repeatMs: life.repeatMs, clock, pause }) : create(permission);
  }

  /** Sends a create until it was acted on, or may have been. What it was certainly not acted on is sent again. */
  async #createOnce(
    request: ServiceRequest,
    call: PreparedCall,
    permission: WritePermission,
    terms: CreateTerms,
    progress: { isRefused: boolean },
  ): Promise<CreateResult | null> {
    for (let tried = 1; ; tried++) {
      const sent = await this.#send(call, permission);
      if (sent === 'withdrawn') return null;
      if (sent === 'stopped') return unsent(STOPPED, null);
      const { exchange, refused: credentialsRefused } = sent;
      const read = this.#reader.creation(exchange, call.redactor, terms.key);
      const { next } = read.meaning;
      if (credentialsRefused !== null && read.meaning.class !== 'unknown') {
        return unsent(credentialsRefused.message, credentialsRefused);
      } else if (next === 'renew') {
        const wasRefused = progress.isRefused;
        // Noted first: the question to validate may fail, and the request was refused all the same.
        progress.isRefused = true;
        const refused = await this.#whyNotRenewed(request, wasRefused, sent.isAccepted());
        if (refused !== null) return { ...unsent('', refused.stop), outcome: unknownOutcome(exchange, refused.why) };
      } else if (next === 'again' && tried < MAX_CREATE_TRIES) {
        await this.#pauseUnlessPaced(tried, exchange);
      } else {
        const result = this.#judge.judged(read, exchange, call.redactor, terms);
        if (result.outcome.status === 'unknown' && !result.unproven?.isBelieved) distrust(exchange);
        return { ...result, stop: result.stop ?? credentialsRefused };
      }
    }
  }

  /**
   * Returns why a request whose token was refused is not sent once more, or null if it is. A service that answers 401 after
   * it acted gets a request twice at most, and once where validate is known to tell.
   */
  async #whyNotRenewed(
    request: ServiceRequest,
    isRenewed: boolean,
    isAccepted: boolean,
  ): Promise<{ why: string; stop: SrqError | null } | null> {
    if (isRenewed) {
      const why = 'Two tokens in a row were refused (HTTP 401). The request may have been taken.';
      return { why, stop: isAccepted ? null : tokenRefused() };
    }
    if (!this.#reader.knowsValidate || this.#deps.contract.validate === null) return null;
    const { verdict } = await this.validate(request);
    if (verdict === 'clear') return null;
    return { why: 'The token was refused (HTTP 401), and validate does not call it clear.', stop: null };
  }

  /** Prepares a call: reads the recording and encodes the request, once for all tries. Nothing is sent. */
  async #prepare(
    operation: RequestOperationName,
    request: ServiceRequest,
    header: EncodedRequest['headers'] = {},
  ): Promise<PreparedCall> {
    const { params, parts = {}, audio } = request;
    const recording = audio ? await this.#deps.audio.readBase64(audio) : null;
    const encoded = this.#encoder[operation](request, recording);
    const fileName = audio && this.#sendsFileName ? [basename(audio.path)] : [];
    const values = [...Object.values(params), ...Object.values(parts), ...fileName, ...this.#secrets];
    const redactor = new Redactor(values);
    let shown: EncodedRequest | null = null;
    const redacted = () => {
      shown ??= this.#encoder.shown[operation](request, recording);
      return { ...shown, redactor, grantsToken: false };
    };
    return { operation, encoded: { ...encoded, headers: { ...encoded.headers, ...header } }, redactor, redacted };
  }

  /**
   * Sends a prepared call with valid credentials, which are added to the values to redact. A validate is sent again with
   * new ones while the service refuses them and there are others.
   */
  async #send(
    { operation, encoded, redactor, redacted }: PreparedCall,
    permission: WritePermission,
  ): Promise<SentCall | 'stopped' | 'withdrawn'> {
    const { authorizer, limiter, http, contract, stopping } = this.#deps;
    const { method, path, headers, body } = encoded;
    const described = contract[operation] ?? contract.create;
    for (let refusals = 0; ; refusals++) {
      // Get the token before the permit, so that no place is held meanwhile. It is checked again with the permit,
      // because it may have expired while the request waited.
      await authorizer.authorize();
      const permit = await limiter.acquire(addressOf(described).path, stopping);
      if (!permit) return 'stopped';
      let sent: Exchange | null = null;
      let exchange: Exchange;
      let call: AuthorizedCall;
      try {
        call = await authorizer.authorize();
        const mayWrite = await permission();
        if (mayWrite === null) return 'withdrawn';
        for (const secret of call.secrets) redactor.add(secret);
        const own = { ...call.headers, accept: acceptedTypes(described) };
        const [address, shown] = withKey(call, path, redacted);
        exchange = await http.send(method, address, { ...headers, ...own }, body, shown, mayWrite);
        if (!(exchange.error instanceof LeaseExpired)) sent = exchange;
      } finally {
        limiter.release(permit, sent);
      }
      if (exchange.answer) this.#reached = true;
      if (exchange.written) this.#unreachedInARow = 0;
      const isRefused = () => exchange.answer !== null && call.isRefused(exchange.answer.status, refusals);
      // What a create means is judged by its whole answer, also where the credentials are refused: it may have been taken.
      if (operation === 'create') return { exchange, isAccepted: call.isAccepted, refused: thrownBy(isRefused) };
      if (!isRefused()) return { exchange, isAccepted: call.isAccepted, refused: null };
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

  prove(...[request, key, unproven, cleared]: Parameters<MarketplaceApi['prove']>): Promise<Proof> {
    return this.#judge.prove(request, key, unproven, cleared);
  }

  learn(unproven: UnprovenAnswer, said: 'taken' | 'refused' | 'id'): void {
    this.#judge.learn(unproven, said);
  }

  invented(...[request, what]: Parameters<MarketplaceApi['invented']>): ServiceRequest {
    return invented(request, what);
  }

  tellApart(clear: readonly Look[], duplicate: readonly Look[]): ((look: Look) => Verdict) | null {
    if (this.#reader.isDocumented) {
      const isTold =
        clear.every(({ verdict }) => verdict === 'clear') && duplicate.every(({ verdict }) => verdict === 'duplicate');
      return isTold ? ({ verdict }) => verdict : null;
    }
    const forms = (looks: readonly Look[]) => looks.flatMap(({ form }) => (form === null ? [] : [form as Form]));
    if (forms(clear).length < clear.length || forms(duplicate).length < duplicate.length) return null;
    const tell = this.#reader.separationWith(forms(clear), forms(duplicate));
    if (tell === null || !forms(clear).every((form) => tell.verdict(form) === 'clear')) return null;
    return ({ form }) => (form && tell.verdict(form as Form)) ?? 'unknown';
  }

  get idempotencyWindowMs(): number | null {
    return keyLife(this.#deps.contract.create)?.settleMs ?? null;
  }

  noteSent(request: ServiceRequest): void {
    this.#experiment.noteCreate(request);
  }

  slowDown(share: number): void {
    this.#deps.limiter.slowDown(share);
  }

  /** What was learned about the service's answers, for the next process. */
  get known(): KnownAnswers {
    return this.#reader.known;
  }
}

/** A prepared call of an operation. */
interface PreparedCall {
  readonly operation: RequestOperationName;
  readonly encoded: EncodedRequest;
  /** The values to be redacted wherever the call is shown. */
  readonly redactor: Redactor;
  readonly redacted: () => RedactedCall;
}

interface SentCall {
  readonly exchange: Exchange;
  readonly isAccepted: () => boolean;
  /** Why the credentials cannot be used any more, or null. */
  readonly refused: SrqError | null;
}

function thrownBy(work: () => unknown): SrqError | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return error;
  }
}

/** An answer that is like no other may belong to another call, so that the next answer on its connection would as well. */
function distrust(exchange: Exchange): void {
  if (exchange.answer) exchange.distrust?.();
}

function unknownOutcome({ answer }: Exchange, message: string): Outcome {
  return { status: 'unknown', ids: {}, http: answer?.status ?? null, message, raw: null, ms: answer?.ms ?? null };
}

/** A request that was refused once, and not sent again for another reason, may have been taken then. */
function afterRefusal(result: CreateResult, isRefused: boolean): CreateResult {
  if (!isRefused || result.outcome.status !== 'failed') return result;
  return { ...result, outcome: { ...result.outcome, status: 'unknown', http: 401, message: REFUSED_ONCE } };
}

const REFUSED_ONCE = 'The token was refused (HTTP 401), and the request was not sent again.';
const NO_VALIDATE = 'The contract says that this service has no validate.';
const STOPPED = 'The run was stopped before this request was sent.';

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
function acceptedTypes({ answers }: Call): string {
  const described = answers.success?.contentType ?? JSON_CONTENT_TYPE;
  return described === JSON_CONTENT_TYPE ? ACCEPTED_TYPES : `${described}, ${JSON_CONTENT_TYPE};q=0.9, */*;q=0.1`;
}

/**
 * Returns constants of the contract that may be keys: all those in headers and query, and those in the body with the
 * name of a secret.
 */
function givenKeys(contract: Contract): string[] {
  return callsOf(contract).flatMap(({ always, when }) => [
    ...Object.entries(always).flatMap(([place, value]) => {
      const { in: where, path } = readPlace(place);
      const isKey = where !== 'body' || isSecretName(path.at(-1) ?? '');
      return isKey ? [String(value)] : secretTexts(path.at(-1) ?? '', value);
    }),
    ...Object.values(when).flatMap((values) =>
      Object.entries(values).flatMap(([place, value]) => secretTexts(readPlace(place).path.at(-1) ?? '', value)),
    ),
  ]);
}
