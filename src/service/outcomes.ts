import { isSuccess, type Outcome, UNNAMED } from '../request/log/outcome.ts';
import type { SentStatus } from '../request/log/status.ts';
import type { CreateResult, ValidateResult } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import type { AnswerReader, ReadCreation } from './answers/answer-reader.ts';
import type { CreateMeaning, ExchangeClass } from './answers/classify.ts';
import type { Exchange } from './network/exchange.ts';
import { cutRaw, type Redactor } from './redaction/redactor.ts';

const STATUS_OF: Record<ExchangeClass, SentStatus> = {
  created: 'created',
  duplicate: 'duplicate',
  rejected: 'rejected',
  'not-acted': 'failed',
  unknown: 'unknown',
};

/** Returns the outcome of a create, as it is recorded and shown. */
export function createOutcome(
  { meaning, form, ids: found }: ReadCreation,
  exchange: Exchange,
  redactor: Redactor,
  reader: AnswerReader,
): Outcome {
  const { answer } = exchange;
  const status = STATUS_OF[meaning.class];
  const { reason } = meaning;
  if (!answer) return { status, ids: {}, http: null, message: reason, raw: null, ms: exchange.ms };
  const ids = status === 'created' ? found : status === 'duplicate' ? reader.identifiersOfDuplicate(form) : {};
  const isIdentified = Object.keys(ids).length > 0;
  const said = status === 'created' ? null : reader.errorText(answer, redactor, 'create');
  const unnamed = isIdentified ? null : UNNAMED;
  return {
    status,
    ids,
    http: answer.status,
    message: status === 'created' ? unnamed : said === null ? reason : `${reason} ${said}`,
    raw: isIdentified ? null : cutRaw(redactor.redact(answer.body)),
    ms: answer.ms,
  };
}

/** Builds the result of a create that never reached the service. `stop` means that further calls are pointless. */
export function unsent(message: string, stop: SrqError | null): CreateResult {
  const outcome: Outcome = { status: 'failed', ids: {}, http: null, message, raw: null, ms: null };
  return { outcome, stop, unproven: null, sameAs: null };
}

/** The result of one exchange on validate. */
interface ProcessedValidate {
  readonly result: ValidateResult;
  /** Whether trying again may help. */
  readonly isTransient: boolean;
  /** The reason why further calls are pointless, or null. */
  readonly stop: SrqError | null;
}

export function processValidate(exchange: Exchange, redactor: Redactor, reader: AnswerReader): ProcessedValidate {
  const { answer } = exchange;
  if (!answer) {
    const { reason, stop } = reader.whyNoVerdict(exchange);
    const message = exchange.written ? 'The service gave no answer to validate.' : reason;
    return { result: failedValidate(message, null), isTransient: stop === null, stop: asError(reason, stop) };
  }
  const { verdict, form } = reader.look(answer, redactor);
  const { status } = answer;
  if (verdict !== 'unknown' || isSuccess(status) || status === 409) {
    const raw = verdict === 'unknown' ? cutRaw(redactor.redact(answer.body)) : null;
    const ids = verdict === 'duplicate' ? reader.identifiersOfDuplicate(form) : {};
    return {
      result: { verdict, form, ids, http: status, message: null, refused: null, raw },
      // An answer that was cut may be whole the next time. One that is whole would only be read in the same way.
      isTransient: verdict === 'unknown' && !answer.complete,
      stop: null,
    };
  }
  const meaning = reader.whyNoVerdict(exchange);
  const said = reader.errorText(answer, redactor, 'validate');
  const withWords = (reason: string) => (said === null ? reason : `${reason} ${said}`);
  if (meaning.class === 'rejected') {
    const message = withWords(meaning.reason);
    const result = { verdict, form, ids: {}, http: status, message, refused: 'rejected', raw: null } as const;
    return { result, isTransient: false, stop: null };
  }
  const message = withWords(`The service could not say whether this is a duplicate (HTTP ${status}).`);
  return {
    result: { ...failedValidate(message, status), form },
    isTransient: true,
    stop: asError(meaning.reason, meaning.stop),
  };
}

/** Builds the result of a validate without a usable answer. */
export function failedValidate(message: string, http: number | null): ValidateResult {
  return { verdict: 'unknown', form: null, ids: {}, http, message, refused: 'failed', raw: null };
}

export function asError(reason: string, stop: CreateMeaning['stop']): SrqError | null {
  return stop ? new SrqError(stop.reason, reason, stop.hint) : null;
}
