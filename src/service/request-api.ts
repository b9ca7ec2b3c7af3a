import { basename } from 'node:path';
import { addressOf, type Call, type Contract, callsOf } from '../request/contract/contract.ts';
import type { KnownAnswers } from '../request/contract/known-answers.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import { readPlace } from '../request/contract/place.ts';
import { wireFormOf } from '../request/contract/public-api.ts';
import { ACCEPTED_TYPES, JSON_CONTENT_TYPE } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import { isSuccess, type Outcome } from '../request/log/outcome.ts';
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
import { SrqError } from '../request/words/errors.ts';
import { isSecretName, secretTexts } from '../request/words/names.ts';
import { AnswerReader, type ReadCreation } from './answers/answer-reader.ts';
import type { Form } from './answers/form.ts';
import { CreateTries, idempotencyHeader, keyLife, type WritePermission } from './create-tries.ts';
import { Experiment } from './experiment.ts';
import { invented } from './invented.ts';
import type { Exchange } from './network/exchange.ts';
import { networkFailure } from './network/network-failure.ts';
import { asError, createOutcome, failedValidate, processValidate, unsent } from './outcomes.ts';
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
 * Maximum number of attempts for a create that may have been acted on. It is repeated only if the service recognises
 * its idempotency key.
 */
const MAX_DOUBTFUL_TRIES = 4;
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
  readonly known?: KnownAnswers;
  /** Called whenever more has been learned. */
  readonly remember?: (known: KnownAnswers) => void;
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
  readonly #creates: Map<string, number>;
  readonly #experiment: Experiment;
  readonly #secrets: readonly string[];
  readonly #sendsFileName: boolean;
  #reached = false;
  #unreachedInARow = 0;

  /** `other` is another client of the same service, with which this one shares what it learns of the answers. */
  constructor(deps: RequestApiDeps, other: RequestApi | null = null) {
    const { contract, columnOf = () => null } = deps;
    this.#deps = deps;
    this.wireForm = wireFormOf(contract);
    this.#encoder = makeEncoder(contract);
    const reader = other ? other.#reader : new AnswerReader(contract, columnOf, deps.known, deps.remember);
    this.#reader = reader;
    this.#creates = other ? other.#creates : new Map();
    const { clock, stopping } = deps;
    const ask = (request: ServiceRequest) => this.#ask(request);
    this.#experiment = new Experiment({ reader, clock, stopping, ask, creates: this.#creates });
    this.#secrets = [...deps.secrets, ...givenKeys(contract)];
    this.#sendsFileName = callsOf(contract).some(
      ({ audio, fields }) => audio === 'binary' || Object.values(fields).includes('audio_name'),
    );
  }

  /** Returns this client for work that another signal ends as well. It has the same rate and learns for the same service. */
  until(stopping: AbortSignal): RequestApi {
    return new RequestApi({ ...this.#deps, stopping }, this);
  }

  get idempotencyWindowMs(): number | null {
    return keyLife(this.#deps.contract.create)?.settleMs ?? null;
  }

  async validate(request: ServiceRequest): Promise<ValidateResult> {
    return this.#experiment.judged(request, await this.#ask(request));
  }

  async look(request: ServiceRequest): Promise<Look> {
    const { verdict, form, refused } = await this.#ask(request);
    return { verdict, form: refused === null ? form : null };
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

  /** Asks validate about one request. */
  async #ask(request: ServiceRequest): Promise<ValidateResult> {
    if (this.#deps.contract.validate === null) return failedValidate(NO_VALIDATE, null);
    const redactor = this.#redactorFor(request);
    for (let tried = 1; ; tried++) {
      const attempt = await this.#send(await this.#prepare('validate', request, redactor), ALWAYS_ALLOWED);
      if (attempt.is !== 'exchanged') return failedValidate(STOPPED, null);
      const { result, isTransient, stop } = processValidate(attempt.exchange, redactor, this.#reader);
      if (result.verdict === 'unknown') distrust(attempt.exchange);
      if (stop) throw stop;
      if (!isTransient || tried >= MAX_TRIES) return result;
      await this.#pauseUnlessPaced(tried, attempt.exchange);
    }
  }

  async create(
    request: ServiceRequest,
    intend: () => Promise<boolean>,
    terms: CreateTerms,
  ): Promise<CreateResult | null> {
    const { contract, clock } = this.#deps;
    const header = idempotencyHeader(contract.create, terms.idempotencyKey);
    const isKnownByKey = Object.keys(header).length > 0;
    const tries = new CreateTries(clock, isKnownByKey ? (keyLife(contract.create)?.repeatMs ?? 0) : 0);
    const permission = tries.permission(intend, terms.writeLeaseMs ?? null);
    try {
      return await this.#createRepeatedly(request, header, tries, permission, terms);
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
    terms: CreateTerms,
  ): Promise<CreateResult | null> {
    const redactor = this.#redactorFor(request);
    let isRenewed = false;
    // A request that was refused once, and not sent again for another reason, may have been taken then.
    const ended = (result: CreateResult): CreateResult => {
      const told = tries.ended(result);
      if (!isRenewed || told.outcome.status !== 'failed') return told;
      return { ...told, outcome: { ...told.outcome, status: 'unknown', http: 401, message: REFUSED_ONCE } };
    };
    this.#experiment.noteCreate(request);
    for (let tried = 1; ; tried++) {
      if (!tries.isRemembered) return ended(unsent(FORGOTTEN, null));
      const attempt = await this.#send(await this.#prepare('create', request, redactor, header), permission);
      if (attempt.is === 'withdrawn') return tries.isTooLate ? ended(unsent(FORGOTTEN, null)) : null;
      if (attempt.is === 'stopped') return ended(unsent(STOPPED, null));
      const { exchange } = attempt;
      const read = this.#reader.creation(exchange, redactor, terms.key);
      const { meaning } = read;
      if (meaning.next === 'renew') {
        const refused = await this.#whyNotRenewed(request, isRenewed, attempt.isAccepted());
        if (refused !== null)
          return ended({ ...unsent('', refused.stop), outcome: unknownOutcome(exchange, refused.why) });
        isRenewed = true;
        continue;
      }
      const result = this.#judged(read, exchange, redactor, terms);
      // A create whose outcome is unknown is tried again only if the service recognises the repetition by its key, and its
      // answer would not be the same.
      const { outcome, stop, unproven } = result;
      if (outcome.status === 'unknown' && !unproven?.isBelieved) distrust(exchange);
      const isUnknown = outcome.status === 'unknown' && meaning.next === 'record' && stop === null && unproven === null;
      const mayRepeat = isUnknown && tries.mayRepeatDoubt;
      if (tried >= (mayRepeat ? MAX_DOUBTFUL_TRIES : MAX_CREATE_TRIES)) return ended(result);
      if (mayRepeat) tries.leaveInDoubt(outcome);
      else if (meaning.next !== 'again') return ended(result);
      await this.#pauseUnlessPaced(tried, exchange);
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
    return verdict === 'clear'
      ? null
      : { why: 'The token was refused (HTTP 401), and validate does not call it clear.', stop: null };
  }

  /** Returns the result of an answer, by what is known of such answers. The first ones of a service are tried out. */
  #judged(
    read: ReadCreation,
    exchange: Exchange,
    redactor: Redactor,
    { key, cleared = null }: CreateTerms,
  ): CreateResult {
    const { meaning, form, ids, isBelieved } = read;
    const outcome = createOutcome(read, exchange, redactor, this.#reader);
    const result = { outcome, stop: asError(meaning.reason, meaning.stop), unproven: null, sameAs: null };
    const http = exchange.answer?.status;
    if (http === undefined || (!isSuccess(http) && http !== 409)) return result;
    const isCreated = meaning.class === 'created';
    // Of what a person has said nothing is to be found out, and validate may not see it for long.
    const isTried = cleared !== null && this.#experiment.isOpen && !this.#reader.isSaid(form);
    if (isCreated ? isTried : meaning.class === 'unknown') {
      const claimed = http === 409 ? null : this.#reader.claim(key, form);
      if (claimed !== null) return sameAnswer(result, claimed);
      const answer = { text: form?.text() ?? '', form, http, ids, isBelieved: isBelieved || isCreated };
      if (isBelieved && cleared === null) return this.#taken(key, result, answer);
      // Nobody finds out what it means, so it waits for a person's word.
      if (cleared === null) this.#reader.learn('create', form, 'open', 'experiment', this.#deps.clock.nowMs());
      const reason = 'Validate has not shown yet whether it was taken.';
      return {
        ...result,
        unproven: answer,
        outcome: isCreated ? { ...outcome, status: 'unknown', ids: {}, message: reason } : outcome,
      };
    }
    return isCreated ? this.#identified(key, form, result) : result;
  }

  /** Returns the result of an answer that is believed to be a creation, and learns it. */
  #taken(key: string, result: CreateResult, answer: UnprovenAnswer): CreateResult {
    const { clock, contract } = this.#deps;
    const form = answer.form as Form | null;
    this.#reader.learn(
      'create',
      form,
      'taken',
      contract.create.reads.id.length > 0 ? 'document' : 'experiment',
      clock.nowMs(),
    );
    this.#reader.holdAll(form, key);
    const { ids } = answer;
    return this.#identified(key, form, {
      ...result,
      outcome: { ...result.outcome, status: 'created', ids, message: null, raw: null },
    });
  }

  /** Makes a creation unknown whose identifier another request has. */
  #identified(key: string, form: Form | null, result: CreateResult): CreateResult {
    const sameAs = this.#reader.identify(key, form);
    return sameAs === null ? result : sameAnswer(result, sameAs);
  }

  async prove(request: ServiceRequest, key: string, unproven: UnprovenAnswer, cleared: ValidateResult): Promise<Proof> {
    const form = unproven.form as Form | null;
    const { isBelieved } = unproven;
    // What was cut or cannot be read is settled like a request that was not answered.
    if (form === null) return { isTaken: false, isSeen: false, stop: null, sameAs: null };
    // A conflict means that the service has the request, and never what an answer to a new one looks like.
    const isConflict = unproven.http === 409;
    const created = { form: isConflict ? null : form, isBelieved };
    const isSeen = await this.#experiment.inspect(request, key, created, cleared);
    if (isSeen && isConflict) return { isTaken: true, isSeen, stop: null, sameAs: null };
    // What validate does not see may not have been taken, whatever the answer looks like. Only the API description counts for
    // more, and a creation like others, as long as nobody knows whether validate tells.
    const isKnown = () =>
      this.#deps.contract.create.reads.id.length > 0 || (form !== null && this.#reader.isTaken(form, key));
    const isTaken = isSeen || (isBelieved && !this.#reader.knowsValidate && isKnown());
    if (!isTaken) {
      this.#reader.learn('create', form, 'open', 'experiment', this.#deps.clock.nowMs());
      return { isTaken, isSeen, stop: null, sameAs: null };
    }
    if (!isSeen) this.#reader.learn('create', form, 'taken', 'document', this.#deps.clock.nowMs());
    this.#reader.holdAll(form, key);
    const sameAs = this.#reader.identify(key, form);
    return { isTaken: sameAs === null, isSeen, sameAs, stop: sameAs === null ? null : sameIdentifier() };
  }

  learn({ form }: UnprovenAnswer, said: 'taken' | 'refused' | 'id'): void {
    const means = said === 'refused' ? 'refused' : 'taken';
    this.#reader.learn('create', form as Form | null, means, 'person', this.#deps.clock.nowMs(), said === 'id');
  }

  /** What was learned about the service's answers, for the next process. */
  get known(): KnownAnswers {
    return this.#reader.known;
  }

  noteSent(request: ServiceRequest): void {
    this.#experiment.noteCreate(request);
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
    const described = contract[operation] ?? contract.create;
    for (let refusals = 0; ; refusals++) {
      // Get the token before the permit, so that no place is held meanwhile. It is checked again with the permit,
      // because it may have expired while the request waited.
      await authorizer.authorize();
      const permit = await limiter.acquire(addressOf(described).path, stopping);
      if (!permit) return { is: 'stopped' };
      let sent: Exchange | null = null;
      let exchange: Exchange;
      let call: AuthorizedCall;
      try {
        call = await authorizer.authorize();
        const mayWrite = startLease();
        if (!(await intend())) return { is: 'withdrawn' };
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
      const attempt = { is: 'exchanged', exchange, isAccepted: call.isAccepted } as const;
      if (!exchange.answer || !call.isRefused(exchange.answer.status, refusals)) return attempt;
      // A create that was answered is sent again by those who know what may have become of it.
      if (operation === 'create') return attempt;
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

const SAME_IDENTIFIER =
  'The answer names the identifier of another request, so that nobody knows which of them was taken.';

/** Returns the result of an answer that names the identifier of another request. */
function sameAnswer(result: CreateResult, sameAs: string): CreateResult {
  const outcome: Outcome = { ...result.outcome, status: 'unknown', ids: {}, message: SAME_IDENTIFIER };
  return { ...result, outcome, stop: sameIdentifier(), sameAs };
}

function sameIdentifier(): SrqError {
  return new SrqError(
    'answer.same-identifier',
    'The service gave two requests the same identifier. Both are unknown.',
    'Look both up at the service, then record what you found: srq resolve',
  );
}

/** An answer that is like no other may belong to another call, so that the next answer on its connection would as well. */
function distrust(exchange: Exchange): void {
  if (exchange.answer) exchange.distrust?.();
}

function unknownOutcome({ answer }: Exchange, message: string): Outcome {
  return { status: 'unknown', ids: {}, http: answer?.status ?? null, message, raw: null, ms: answer?.ms ?? null };
}

const REFUSED_ONCE = 'The token was refused (HTTP 401), and the request was not sent again.';
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
  | { readonly is: 'exchanged'; readonly exchange: Exchange; readonly isAccepted: () => boolean }
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
