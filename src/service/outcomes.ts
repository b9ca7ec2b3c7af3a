import type { Contract } from '../request/contract/contract.ts';
import { isSuccess, type Outcome, UNNAMED } from '../request/log/outcome.ts';
import type {
  Clock,
  CreateResult,
  CreateTerms,
  MarketplaceApi,
  Proof,
  UnprovenAnswer,
  ValidateResult,
} from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import type { AnswerReader, ReadCreation } from './answers/answer-reader.ts';
import type { Form } from './answers/form.ts';
import type { Experiment } from './experiment.ts';
import type { Exchange } from './network/exchange.ts';
import { cutRaw, type Redactor } from './redaction/redactor.ts';

interface JudgeDeps {
  readonly reader: AnswerReader;
  readonly experiment: Experiment;
  readonly contract: Contract;
  readonly clock: Clock;
}

/** Says what became of creates, by what is known of such answers. The first ones of a service are tried out. */
export class CreateJudge {
  readonly #deps: JudgeDeps;

  constructor(deps: JudgeDeps) {
    this.#deps = deps;
  }

  judged(read: ReadCreation, exchange: Exchange, sent: Redactor, { key, cleared = null }: CreateTerms): CreateResult {
    const { meaning, form, ids, isBelieved } = read;
    const outcome = createOutcome(read, exchange, sent, this.#deps.reader);
    const result = { ...ended(outcome), stop: meaning.stop };
    const http = exchange.answer?.status;
    if (http === undefined || (!isSuccess(http) && http !== 409)) return result;
    const isCreated = meaning.status === 'created';
    // There is nothing to find out about a request that a person has settled, and validate may not see it for long.
    const isTried = cleared !== null && this.#deps.experiment.isOpen && !this.#deps.reader.isSaid(form);
    if (isCreated ? !isTried : meaning.status !== 'unknown')
      return isCreated ? this.#identified(key, form, result) : result;
    const claimed = http === 409 ? null : this.#deps.reader.identities.claim(key, form);
    if (claimed !== null) return sameAnswer(result, claimed);
    const unproven = { text: form?.text() ?? '', form, http, ids, isBelieved: isBelieved || isCreated };
    if (isBelieved && cleared === null) return this.#taken(key, result, unproven);
    // Nobody finds out what it means, so it waits for a person's word.
    if (cleared === null) this.#deps.reader.learn('create', form, 'open', 'experiment', this.#deps.clock.nowMs());
    if (!isCreated) return { ...result, unproven };
    const message = 'Validate has not shown yet whether it was taken.';
    return { ...result, unproven, outcome: { ...outcome, status: 'unknown', ids: {}, message } };
  }

  /** Returns the result of an answer that is believed to be a creation, and learns it. */
  #taken(key: string, result: CreateResult, answer: UnprovenAnswer): CreateResult {
    const form = answer.form as Form | null;
    const by = this.#deps.contract.create.identifiers.length > 0 ? 'document' : 'experiment';
    this.#deps.reader.learn('create', form, 'taken', by, this.#deps.clock.nowMs());
    this.#deps.reader.identities.holdAll(form, key);
    const outcome: Outcome = { ...result.outcome, status: 'created', ids: answer.ids, message: null, raw: null };
    return this.#identified(key, form, { ...result, outcome });
  }

  /** Makes a creation unknown whose identifier another request has. */
  #identified(key: string, form: Form | null, result: CreateResult): CreateResult {
    const sameAs = this.#deps.reader.identify(key, form);
    return sameAs === null ? result : sameAnswer(result, sameAs);
  }

  /** See `MarketplaceApi.prove`. */
  async prove(...[request, key, unproven, cleared]: Parameters<MarketplaceApi['prove']>): Promise<Proof> {
    const form = unproven.form as Form | null;
    const { isBelieved } = unproven;
    const nothing = { isTaken: false, isSeen: false, stop: null, sameAs: null };
    // What was cut or cannot be read is settled like a request that was not answered.
    if (form === null) return nothing;
    // A conflict means that the service has the request, and never what an answer to a new one looks like.
    const isConflict = unproven.http === 409;
    const isSeen = await this.#deps.experiment.inspect(
      request,
      key,
      { form: isConflict ? null : form, isBelieved },
      cleared,
    );
    if (isSeen && isConflict) return { ...nothing, isTaken: true, isSeen };
    // If validate does not see the request, it may not have been taken, whatever the answer looks like. Until it is known
    // whether validate tells, the API description and a comparison with other creations count for more.
    const isKnown = () => this.#deps.contract.create.identifiers.length > 0 || this.#deps.reader.isTaken(form, key);
    const isTaken = isSeen || (isBelieved && !this.#deps.reader.knowsValidate && isKnown());
    if (!isTaken) this.#deps.reader.learn('create', form, 'open', 'experiment', this.#deps.clock.nowMs());
    if (!isTaken) return nothing;
    if (!isSeen) this.#deps.reader.learn('create', form, 'taken', 'document', this.#deps.clock.nowMs());
    this.#deps.reader.identities.holdAll(form, key);
    const sameAs = this.#deps.reader.identify(key, form);
    return { isTaken: sameAs === null, isSeen, sameAs, stop: sameAs === null ? null : sameIdentifier() };
  }

  learn({ form }: UnprovenAnswer, said: 'taken' | 'refused' | 'id'): void {
    const means = said === 'refused' ? 'refused' : 'taken';
    this.#deps.reader.learn('create', form as Form | null, means, 'person', this.#deps.clock.nowMs(), said === 'id');
  }
}

/** Returns the outcome of a create, as it is recorded and shown. */
function createOutcome(
  { meaning, ids: found }: ReadCreation,
  exchange: Exchange,
  sent: Redactor,
  reader: AnswerReader,
): Outcome {
  const { answer } = exchange;
  const { status, reason } = meaning;
  if (!answer) return { status, ids: {}, http: null, message: reason, raw: null, ms: exchange.ms };
  const ids = status === 'created' ? found : {};
  const isIdentified = Object.keys(ids).length > 0;
  const said = status === 'created' ? null : reader.errorText(answer, sent);
  const unnamed = isIdentified ? null : UNNAMED;
  return {
    status,
    ids,
    // Half an answer says no more than none, so the request is settled like one that was not answered.
    http: status === 'unknown' && !answer.complete ? null : answer.status,
    message: status === 'created' ? unnamed : said === null ? reason : `${reason} ${said}`,
    raw: isIdentified ? null : cutRaw(sent.redact(answer.body)),
    ms: answer.ms,
  };
}

const ended = (outcome: Outcome): CreateResult => ({ outcome, stop: null, unproven: null, sameAs: null });

/** Builds the result of a create that never reached the service. `stop` means that further calls are pointless. */
export function unsent(message: string, stop: SrqError | null): CreateResult {
  return { ...ended({ status: 'failed', ids: {}, http: null, message, raw: null, ms: null }), stop };
}

const SAME_IDENTIFIER = 'The answer names the identifier of another request, so nobody knows which of them was taken.';

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

/** The result of one exchange on validate. */
interface ProcessedValidate {
  /** Made when it is asked for, because nobody reads the words of an answer after which the call is tried again. */
  readonly result: ValidateResult;
  /** Whether trying again may help. */
  readonly isTransient: boolean;
  /** The reason why further calls are pointless, or null. */
  readonly stop: SrqError | null;
}

export function processValidate(exchange: Exchange, sent: Redactor, reader: AnswerReader): ProcessedValidate {
  const { answer } = exchange;
  if (!answer) {
    const meaning = reader.whyNoVerdict(exchange);
    const message = exchange.written ? 'The service gave no answer to validate.' : meaning.reason;
    return { result: failedValidate(message, null), isTransient: meaning.stop === null, stop: meaning.stop };
  }
  const { verdict, form } = reader.look(answer, sent);
  const { status } = answer;
  // Of a service that nobody knows yet, 404 may mean that it has no such request. If validate does not see the first
  // creation either, there is none at this address.
  const mayBeNone = status === 404 && form !== null && !reader.knowsValidate && !reader.isFamiliar;
  const isCompared = isSuccess(status) || status === 409 || mayBeNone;
  if (verdict !== 'unknown' || isCompared) {
    const raw = verdict === 'unknown' ? cutRaw(sent.redact(answer.body)) : null;
    const ids = verdict === 'duplicate' ? reader.identifiersOfDuplicate(form) : {};
    return {
      result: { verdict, form, ids, http: status, message: null, refused: null, raw },
      // An answer that was cut may be whole the next time. One that is whole would only be read in the same way.
      isTransient: verdict === 'unknown' && !answer.complete,
      stop: null,
    };
  }
  const meaning = reader.whyNoVerdict(exchange);
  const isRejected = meaning.status === 'rejected';
  const why = isRejected ? meaning.reason : `The service could not say whether this is a duplicate (HTTP ${status}).`;
  return {
    get result(): ValidateResult {
      const said = reader.errorText(answer, sent);
      const message = said === null ? why : `${why} ${said}`;
      return { ...failedValidate(message, status), form, refused: isRejected ? 'rejected' : 'failed' };
    },
    isTransient: !isRejected,
    stop: isRejected ? null : meaning.stop?.reason === 'service.wrong-address' ? noValidate(status) : meaning.stop,
  };
}

function noValidate(status: number): SrqError {
  const hint = 'Check the base URL with: srq status. If the service has no validate, leave it out: --no-validate';
  return new SrqError('service.wrong-address', `The service does not know validate (HTTP ${status}).`, hint);
}

/** Builds the result of a validate without a usable answer. */
export function failedValidate(message: string, http: number | null): ValidateResult {
  return { verdict: 'unknown', form: null, ids: {}, http, message, refused: 'failed', raw: null };
}
