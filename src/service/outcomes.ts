import { isSuccess, type Outcome, UNNAMED } from '../request/log/outcome.ts';
import type { CreateResult, ValidateResult } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { type AnswerReader, identifiersOf, type ReadCreation } from './answers/answer-reader.ts';
import type { Exchange } from './network/exchange.ts';
import { cutRaw, type Redactor } from './redaction/redactor.ts';

/** Returns the outcome of a create, as it is recorded and shown. */
export function createOutcome(read: ReadCreation, exchange: Exchange, sent: Redactor, reader: AnswerReader): Outcome {
  const { answer } = exchange;
  const { status, reason } = read.meaning;
  if (!answer) return { status, ids: {}, http: null, message: reason, raw: null, ms: exchange.ms };
  const ids = status === 'created' ? read.ids : {};
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

/** Builds the result of a create whose answer nobody has to find out about. `stop` means that further calls are pointless. */
export function resultOf(outcome: Outcome, stop: SrqError | null = null): CreateResult {
  return { outcome, stop, unproven: null, sameAs: null };
}

const SAME_IDENTIFIER = 'The answer names the identifier of another request, so nobody knows which of them was taken.';

/** Returns the result of an answer that names the identifier of another request. */
export function sameAnswer(result: CreateResult, sameAs: string): CreateResult {
  const outcome: Outcome = { ...result.outcome, status: 'unknown', ids: {}, message: SAME_IDENTIFIER };
  const both = 'The service gave two requests the same identifier. Both are unknown.';
  const hint = 'Look both up at the service, then record what you found: srq resolve';
  return { ...result, outcome, stop: new SrqError('answer.same-identifier', both, hint), sameAs };
}

/**
 * Returns the result of one exchange on validate, whether trying again may help, and the reason why further calls are
 * pointless, or null.
 */
export function readValidate(
  exchange: Exchange,
  sent: Redactor,
  reader: AnswerReader,
): { result: ValidateResult; isTransient: boolean; stop: SrqError | null } {
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
  const mayBeNone = status === 404 && form !== null && !reader.knowsValidate && !reader.kept.isFamiliar;
  const isCompared = isSuccess(status) || status === 409 || mayBeNone;
  if (verdict !== 'unknown' || isCompared) {
    const raw = verdict === 'unknown' ? cutRaw(sent.redact(answer.body)) : null;
    const said = verdict === 'unknown' ? reader.errorText(answer, sent) : null;
    const message = said && `Validate said "${said}". srq does not know what that means.`;
    const ids = verdict === 'duplicate' ? identifiersOf(form?.identifiers ?? []) : {};
    return {
      result: { verdict, form, ids, http: status, message, refused: null, raw },
      // An answer that was cut may be whole the next time. One that is whole would only be read in the same way.
      isTransient: verdict === 'unknown' && !answer.complete,
      stop: null,
    };
  }
  const meaning = reader.whyNoVerdict(exchange);
  const isRejected = meaning.status === 'rejected';
  const why = isRejected ? meaning.reason : `The service could not say whether this is a duplicate (HTTP ${status}).`;
  const said = reader.errorText(answer, sent);
  const message = said === null ? why : `${why} ${said}`;
  return {
    result: { ...failedValidate(message, status), form, refused: isRejected ? 'rejected' : 'failed' },
    isTransient: !isRejected,
    stop: isRejected ? null : validateStop(meaning.stop, status, said),
  };
}

/** Returns why validate need not be asked again, with what the service said, or null. */
function validateStop(stop: SrqError | null, status: number, said: string | null): SrqError | null {
  if (stop?.reason === 'service.wrong-address')
    return new SrqError(stop.reason, `The service does not know validate (HTTP ${status}).`, NO_VALIDATE);
  if (stop === null || said === null) return stop;
  return new SrqError(stop.reason, `${stop.message} ${said}`, stop.hint);
}

const NO_VALIDATE = 'Check the base URL with: srq status. If the service has no validate, leave it out: --no-validate';

/** Builds the result of a validate without a usable answer. */
export function failedValidate(message: string, http: number | null): ValidateResult {
  return { verdict: 'unknown', form: null, ids: {}, http, message, refused: 'failed', raw: null };
}
