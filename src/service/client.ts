import {
  type FormMeaning,
  hasHiddenSuccess,
  type KnownAnswers,
  type ProvenBy,
} from '../request/contract/known-answers.ts';
import { wireFormOf } from '../request/contract/public-api.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import { isSuccess, outcomeOf, UNNAMED } from '../request/log/outcome.ts';
import type { CreateResult, CreateTerms, Look, MarketplaceApi, ValidateResult, Verdict } from '../request/ports.ts';
import { stopwatch } from '../request/small.ts';
import { SrqError } from '../request/words/errors.ts';
import { AnswerReader, type ReadCreation } from './answers/answer-reader.ts';
import type { Form } from './answers/form.ts';
import { type CallDeps, Caller, idempotencyHeader, isUnreached, keyWindowMs, type WritePermission } from './call.ts';
import { Experiment } from './experiment.ts';
import { invented } from './invented.ts';
import type { Exchange } from './network/exchange.ts';
import { createOutcome, failedValidate, readValidate, resultOf, sameAnswer } from './outcomes.ts';
import { MAX_TRIES } from './pacing/retry.ts';
import type { Redactor } from './redaction/redactor.ts';
import { tokenRefused } from './token/token-answer.ts';

/** Maximum number of attempts for a create that was certainly not acted on. After that it is `failed`. */
const MAX_CREATE_TRIES = 10;

/** The dependencies of the client. */
export interface RequestApiDeps extends CallDeps {
  /** What earlier processes have learned about the service's answers. */
  readonly known?: KnownAnswers;
  /** Called whenever more has been learned. */
  readonly remember?: (known: KnownAnswers) => void;
  /** Returns the column that a field came from, for error messages, or null. */
  readonly columnOf?: (field: string) => string | null;
}

/**
 * The client of the service, in the order of the protocol: validate asks about a request, create hands it over, and both
 * are sent by a `Caller`, with a token and in their turn. Nothing is repeated that may have been acted on.
 */
export class RequestApi implements MarketplaceApi {
  readonly wireForm: string | null;
  readonly invented = invented;
  readonly #deps: RequestApiDeps;
  readonly #caller: Caller;
  readonly #reader: AnswerReader;
  readonly #experiment: Experiment;

  /** `reader` is that of another client of the same service, if this one shares what it learns of the answers. */
  constructor(deps: RequestApiDeps, reader?: AnswerReader) {
    const { contract, columnOf = () => null, clock, stopping } = deps;
    this.#deps = deps;
    this.wireForm = wireFormOf(contract);
    this.#caller = new Caller(deps);
    this.#reader = reader ?? new AnswerReader(contract, columnOf, deps.known, deps.remember);
    const ask = (request: ServiceRequest) => this.#ask(request);
    this.#experiment = new Experiment({ reader: this.#reader, clock, stopping, ask });
  }

  /** Returns this client for work that another signal ends as well. It has the same rate and learns for the same service. */
  until(stopping: AbortSignal): RequestApi {
    return new RequestApi({ ...this.#deps, stopping }, this.#reader);
  }

  async validate(request: ServiceRequest): Promise<ValidateResult> {
    const judged = await this.#experiment.judged(request, await this.#ask(request));
    // A comparison that was stopped half-way says nothing.
    const isHalf = judged.verdict === 'unknown' && this.#deps.stopping.aborted;
    return isHalf ? failedValidate(STOPPED, null) : judged;
  }

  async look(request: ServiceRequest): Promise<Look> {
    const { verdict, form, refused } = await this.#ask(request);
    return { verdict, form: refused === null ? form : null };
  }

  /** Asks validate about one request. It has no effects, so it is repeated while that may help. */
  async #ask(request: ServiceRequest): Promise<ValidateResult> {
    if (this.#deps.contract.validate === null) return failedValidate(NO_VALIDATE, null);
    const call = await this.#caller.prepare('validate', request);
    for (let tried = 1; ; tried++) {
      const exchange = await this.#caller.send(call, async () => () => true);
      if (typeof exchange === 'string') return failedValidate(STOPPED, null);
      const { result, isTransient, stop } = readValidate(exchange, call.redactor, this.#reader);
      if (result.verdict === 'unknown') exchange.distrust?.();
      if (stop) throw stop;
      if (!isTransient || (tried >= MAX_TRIES && !isUnreached(exchange))) return result;
      await this.#caller.pauseUnlessPaced(tried, exchange);
    }
  }

  async create(
    request: ServiceRequest,
    intend: () => Promise<boolean>,
    terms: CreateTerms,
  ): Promise<CreateResult | null> {
    const { contract, clock } = this.#deps;
    const { writeLeaseMs = null } = terms;
    let [isBegun, isRefused] = [false, false];
    // The lease begins before the intent, so that the time for recording it counts.
    const permission: WritePermission = async () => {
      const sinceMs = stopwatch(clock);
      if (!(await intend())) return null;
      isBegun = true;
      return () => writeLeaseMs === null || sinceMs() < writeLeaseMs;
    };
    this.#experiment.noteCreate(request);
    /** Sends it until it was acted on, or may have been. What it was certainly not acted on is sent again. */
    const sent = async (): Promise<CreateResult | null> => {
      const header = idempotencyHeader(contract.create, terms.idempotencyKey);
      const call = await this.#caller.prepare('create', request, header);
      for (let tried = 1; ; tried++) {
        const exchange = await this.#caller.send(call, permission);
        if (exchange === 'withdrawn') return null;
        if (exchange === 'stopped') return resultOf(outcomeOf('failed', STOPPED));
        const read = this.#reader.creation(exchange, call.redactor, terms.key);
        const { next } = read.meaning;
        if (next === 'renew') {
          const wasRefused = isRefused;
          // Noted first: the question to validate may fail, and the request was refused all the same.
          isRefused = true;
          const refused = await this.#notRenewed(request, wasRefused, exchange);
          if (refused !== null) return refused;
        } else if (next === 'again' && (tried < MAX_CREATE_TRIES || isUnreached(exchange))) {
          await this.#caller.pauseUnlessPaced(tried, exchange);
        } else {
          const result = this.#judged(read, exchange, call.redactor, terms);
          if (result.outcome.status === 'unknown' && !result.unproven?.isBelieved) exchange.distrust?.();
          return result;
        }
      }
    };
    try {
      const result = await sent();
      return result && afterRefusal(result, isRefused);
    } catch (error) {
      // An error is thrown only while nothing is under way. Nobody else knows what became of earlier tries, so they are
      // returned as outcomes even if the log is what failed.
      if (!(error instanceof SrqError) || (error.code === 'log' && !isBegun)) throw error;
      const result = resultOf(outcomeOf('failed', error.message), error.code === 'input' ? null : error);
      // Where the credentials are refused as well, they have changed: that explains the 401.
      return error.reason === 'auth.refused' ? result : afterRefusal(result, isRefused);
    }
  }

  /**
   * Returns the result of a request whose token was refused, or null if it is sent once more. A service that answers 401
   * after it acted gets a request twice at most, and once where validate is known to tell.
   */
  async #notRenewed(request: ServiceRequest, isRenewed: boolean, { answer }: Exchange): Promise<CreateResult | null> {
    const { status: http = null, ms = null } = answer ?? {};
    const unknown = (why: string, stop: SrqError | null) => resultOf(outcomeOf('unknown', why, { http, ms }), stop);
    if (isRenewed) return unknown(TWO_TOKENS, tokenRefused());
    if (!this.#reader.knowsValidate || this.#deps.contract.validate === null) return null;
    const { verdict } = await this.validate(request);
    return verdict === 'clear' ? null : unknown(NOT_CLEAR, null);
  }

  /** Says what became of a create, by what is known of such answers. The first ones of a service are tried out. */
  #judged(read: ReadCreation, exchange: Exchange, sent: Redactor, { key, cleared = null }: CreateTerms): CreateResult {
    const { meaning, form, ids, isBelieved } = read;
    const outcome = createOutcome(read, exchange, sent, this.#reader);
    const result = resultOf(outcome, meaning.stop);
    const { answer } = exchange;
    // What was cut is settled like a request that was not answered.
    if (!answer?.complete || (!isSuccess(answer.status) && answer.status !== 409)) return result;
    const http = answer.status;
    const isCreated = meaning.status === 'created';
    // There is nothing to find out about a request that a person has settled, and validate may not see it for long.
    const isTried = cleared !== null && this.#experiment.isOpen && !this.#reader.isSaid(form);
    if (isCreated ? !isTried : meaning.status !== 'unknown')
      return isCreated ? this.#identified(key, form, result) : result;
    const claimed = http === 409 ? null : this.#reader.kept.claim(key, form);
    if (claimed !== null) return sameAnswer(result, claimed);
    const unproven = { text: form?.text() ?? '', form, http, ids, isBelieved: isBelieved || isCreated };
    if (isBelieved && cleared === null) {
      const by = this.#deps.contract.create.identifiers.length > 0 ? 'document' : 'status';
      this.#learn(form, 'taken', by);
      const believed = { ...outcome, status: 'created', ids, message: null, raw: null } as const;
      return this.#identified(key, form, { ...result, outcome: believed });
    }
    // Nobody finds out what it means, so it waits for a person's word.
    if (cleared === null) this.#learn(form, 'open', 'experiment');
    if (!isCreated) return { ...result, unproven };
    const message = 'Validate has not shown yet whether it was taken.';
    return { ...result, unproven, outcome: { ...outcome, status: 'unknown', ids: {}, message } };
  }

  /** Makes a creation unknown whose identifier another request has. */
  #identified(key: string, form: Form | null, result: CreateResult): CreateResult {
    const sameAs = this.#reader.kept.identify(key, form);
    return sameAs === null ? result : sameAnswer(result, sameAs);
  }

  async prove(...[request, key, unproven, cleared]: Parameters<MarketplaceApi['prove']>): Promise<CreateResult | null> {
    const { http, ids, isBelieved } = unproven;
    const form = unproven.form as Form | null;
    // What was cut or cannot be read is settled like a request that was not answered.
    if (form === null) return null;
    // A conflict means that the service has the request, and never what an answer to a new one looks like.
    const isConflict = http === 409;
    const created = { form: isConflict ? null : form, isBelieved };
    const isSeen = await this.#experiment.inspect(request, key, created, cleared);
    if (isSeen && isConflict) return resultOf(outcomeOf('duplicate', CONFLICT, { http, ids }));
    // If validate does not see the request, it may not have been taken, whatever the answer looks like. Until it is known
    // whether validate tells, the API description and a comparison with other creations count for more.
    const isKnown = () => this.#deps.contract.create.identifiers.length > 0 || this.#reader.isTaken(form, key);
    const isTaken = isSeen || (isBelieved && !this.#reader.knowsValidate && isKnown());
    if (!isTaken) this.#learn(form, 'open', 'experiment');
    if (!isTaken) return null;
    if (!isSeen) this.#learn(form, 'taken', 'document');
    this.#reader.kept.holdAll(form, key);
    const message = Object.keys(ids).length > 0 ? null : isSeen ? SEEN : UNNAMED;
    return this.#identified(key, form, resultOf(outcomeOf('created', message, { http, ids })));
  }

  #learn(form: Form | null, means: FormMeaning, by: ProvenBy): void {
    this.#reader.learn('create', form, means, by, this.#deps.clock.nowMs());
  }

  tellApart(clear: readonly Look[], duplicate: readonly Look[]): ((look: Look) => Verdict) | null {
    const forms = (looks: readonly Look[]) => looks.flatMap(({ form }) => (form === null ? [] : [form as Form]));
    if (forms(clear).length < clear.length || forms(duplicate).length < duplicate.length) return null;
    const tell = this.#reader.separationWith(forms(clear), forms(duplicate));
    if (tell === null || !forms(clear).every((form) => tell.verdict(form) === 'clear')) return null;
    return ({ form }) => (form && tell.verdict(form as Form)) ?? 'unknown';
  }

  get idempotencyWindowMs(): number | null {
    return keyWindowMs(this.#deps.contract.create);
  }

  get hasHiddenSuccess(): boolean {
    return hasHiddenSuccess(this.#reader.kept.known);
  }

  noteSent(request: ServiceRequest): void {
    this.#experiment.noteCreate(request);
  }

  slowDown(share: number): void {
    this.#deps.limiter.slowDown(share);
  }

  /** What was learned about the service's answers, for the next process. */
  get known(): KnownAnswers {
    return this.#reader.kept.whole;
  }
}

/** A request that was refused once, and not sent again for another reason, may have been taken then. */
function afterRefusal(result: CreateResult, isRefused: boolean): CreateResult {
  if (!isRefused || result.outcome.status !== 'failed') return result;
  return { ...result, outcome: { ...result.outcome, status: 'unknown', http: 401, message: REFUSED_ONCE } };
}

const CONFLICT = 'The service answered HTTP 409, and validate shows that it has this request.';
const SEEN = 'Taken, as validate shows; the answer names no identifier.';
const TWO_TOKENS = 'Two tokens, one after the other, were refused (HTTP 401). The request may have been taken.';
const NOT_CLEAR = 'The token was refused (HTTP 401), and validate does not say clear.';
const REFUSED_ONCE = 'The token was refused (HTTP 401), and the request was not sent again.';
const NO_VALIDATE = 'The API description says that this service has no validate.';
const STOPPED = 'The run was stopped before this request was sent.';
