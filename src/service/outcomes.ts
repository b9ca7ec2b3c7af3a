import { SrqError } from '../request/errors.ts';
import { isSuccess, type Outcome } from '../request/outcome.ts';
import type { CreateResult, ValidateResult } from '../request/ports.ts';
import type { SentStatus } from '../request/status.ts';
import type { AnswerReader } from './answers/answer-reader.ts';
import type { CreateMeaning, ExchangeClass } from './answers/classify.ts';
import type { Exchange } from './network/exchange.ts';
import { cutRaw, type Redactor } from './redaction/redactor.ts';

const STATUS_OF: Record<ExchangeClass, SentStatus> = {
  created: 'created',
  duplicate: 'duplicate',
  rejected: 'rejected',
  'not-acted': 'failed',
  doubt: 'unknown',
};

/** The result of one exchange on create. */
interface ProcessedCreate {
  readonly sent: CreateResult;
  /** Whether the service certainly did not act on the request, and trying again may help. */
  readonly isToRepeat: boolean;
  /** Whether the service may have acted on the request, and would recognise a repetition by its key. */
  readonly isRepeatableByKey: boolean;
}

/** Interprets the answer to create. A success that proves nothing is remembered by its form. */
export function processCreate(exchange: Exchange, redactor: Redactor, reader: AnswerReader): ProcessedCreate {
  const meaning = reader.creation(exchange, redactor);
  const { creation, next, reason, stop } = meaning;
  const unproven = creation?.is === 'unproven' ? { ...creation, form: creation.form ?? '' } : null;
  const hasRemark = creation?.is === 'taken' && creation.hasRemark;
  const outcome = createOutcome(meaning, exchange, redactor, reader);
  if (unproven) reader.noteUnproven(unproven);
  return {
    sent: { outcome, stop: asError(reason, stop), unproven, hasRemark },
    isToRepeat: next === 'again',
    // A success that proves nothing would only be repeated in the same words.
    isRepeatableByKey: meaning.class === 'doubt' && next === 'record' && unproven === null,
  };
}

/** Returns the outcome of a create, as it is recorded and shown. */
export function createOutcome(
  meaning: CreateMeaning,
  exchange: Exchange,
  redactor: Redactor,
  reader: AnswerReader,
): Outcome {
  const { answer } = exchange;
  const status = STATUS_OF[meaning.class];
  if (!answer) return { status, ids: {}, http: null, message: meaning.reason, raw: null, ms: exchange.ms };
  const { creation } = meaning;
  const ids =
    creation?.is === 'taken'
      ? creation.ids
      : status === 'duplicate'
        ? reader.identifiersOfDuplicate(answer, redactor)
        : {};
  const isIdentified = Object.keys(ids).length > 0;
  return {
    status,
    ids,
    http: answer.status,
    message: outcomeMessage(meaning, isIdentified, () => reader.errorText(answer, redactor, 'create')),
    raw: isIdentified ? null : cutRaw(redactor.redact(answer.body)),
    ms: answer.ms,
  };
}

function outcomeMessage({ creation, reason }: CreateMeaning, isIdentified: boolean, errorText: () => string | null) {
  if (creation?.is === 'taken') {
    const unnamed = isIdentified ? null : 'Taken; the answer names no identifier.';
    const remark = creation.hasRemark
      ? `Taken, with a remark: ${errorText() ?? 'the answer tells of an error.'}`
      : null;
    return remark ?? unnamed;
  }
  const said = errorText();
  return said === null ? reason : `${reason} ${said}`;
}

/** Builds the result of a create that never reached the service. `stop` means that further calls are pointless. */
export function unsent(message: string, stop: SrqError | null): CreateResult {
  const outcome: Outcome = { status: 'failed', ids: {}, http: null, message, raw: null, ms: null };
  return { outcome, stop, unproven: null, hasRemark: false };
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
  const verdict = reader.verdict(answer);
  if (verdict !== 'unknown' || isSuccess(answer.status)) {
    const raw = verdict === 'unknown' ? cutRaw(redactor.redact(answer.body)) : null;
    const ids = verdict === 'duplicate' ? reader.identifiersOfDuplicate(answer, redactor) : {};
    return {
      result: { verdict, ids, http: answer.status, message: null, refused: null, raw },
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
    const result: ValidateResult = { verdict, ids: {}, http: answer.status, message, refused: 'rejected', raw: null };
    return { result, isTransient: false, stop: null };
  }
  const message = withWords(`The service could not say whether this is a duplicate (HTTP ${answer.status}).`);
  return {
    result: failedValidate(message, answer.status),
    isTransient: true,
    stop: asError(meaning.reason, meaning.stop),
  };
}

/** Builds the result of a validate without a usable answer. */
export function failedValidate(message: string, http: number | null): ValidateResult {
  return { verdict: 'unknown', ids: {}, http, message, refused: 'failed', raw: null };
}

function asError(reason: string, stop: CreateMeaning['stop']): SrqError | null {
  return stop ? new SrqError(stop.reason, reason, stop.hint) : null;
}
