import type { ServiceRequest } from './lead/service-request.ts';
import type { Identifiers, Outcome } from './log/outcome.ts';
import type { LogEvent, LoggedState, SettledBy } from './log/status.ts';
import type { SrqError } from './words/errors.ts';

/** A source of time. `nowMs` is the wall clock for records, and `monotonicMs` measures ages. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when `signal` fires. It never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export type Verdict = 'clear' | 'duplicate' | 'unknown';

/** The form of an answer: what it looks like without what differs between requests. Only the service's client reads it. */
export interface AnswerForm {
  readonly text: () => string;
}

/** One answer of validate. `form` is null if there was none, or none that can be compared. */
export interface Look {
  readonly verdict: Verdict;
  readonly form: AnswerForm | null;
}

/** The result of validate. `unknown` with a 2xx in `http` means that nothing shows what the answer says. */
export interface ValidateResult extends Look {
  readonly ids: Identifiers;
  readonly http: number | null;
  readonly message: string | null;
  /** Why the request cannot proceed: the service refused its data, or could not be reached or used. Null if it can. */
  readonly refused: 'rejected' | 'failed' | null;
  readonly raw: string | null;
}

/** An answer to create that by itself does not prove that the request was taken. */
export interface UnprovenAnswer {
  /** The answer as a person may see it, or empty if it cannot be read at all. */
  readonly text: string;
  readonly form: AnswerForm | null;
  readonly http: number;
  readonly ids: Identifiers;
  /** Whether it holds as a creation where validate tells nothing. */
  readonly isBelieved: boolean;
}

/** The result of a create. `stop` is set if every further call is pointless (wrong address, credentials refused, …). */
export interface CreateResult {
  readonly outcome: Outcome;
  readonly stop: SrqError | null;
  /** The answer that did not prove that the request was taken. It is set only with the outcome `unknown`. */
  readonly unproven: UnprovenAnswer | null;
  /** The key of another request that got the same identifier, so that both are unknown, or null. */
  readonly sameAs: string | null;
}

/** What a create needs to know of its request. */
export interface CreateTerms {
  /** The key of the request's content. An identifier belongs to one content. */
  readonly key: string;
  /**
   * 32 hex digits that identify the send to a service that is idempotent. There, a try that may have been acted on is also
   * repeated while the service knows the key. Repetitions of one send use the same key, and a deliberate second send of the
   * same request uses another one.
   */
  readonly idempotencyKey: string;
  /** The time after the call of `intend` in which the request may be written, or null if there is no limit. */
  readonly writeLeaseMs?: number | null;
  /** The answer by which validate called the request clear before, or null if it was not asked or did not. */
  readonly cleared?: ValidateResult | null;
}

/** The service, as the delivery needs it. */
export interface MarketplaceApi {
  /**
   * Asks validate about a request. The call has no effects, so it is retried automatically. Throws `SrqError` if every
   * further call is pointless.
   */
  validate(request: ServiceRequest): Promise<ValidateResult>;
  /**
   * Creates a request. It is sent again only after a try that was not acted on. `intend` is called when the request's turn
   * has come, right before each time it is written, because minutes may lie between two tries. If it resolves to false or
   * rejects, the request must not be written: after false, `create` resolves to null. A rejection before the first try is
   * passed on. A later one becomes `stop`, beside the outcome of the earlier tries. `create` never rejects otherwise.
   */
  create(request: ServiceRequest, intend: () => Promise<boolean>, terms: CreateTerms): Promise<CreateResult | null>;
  /**
   * Finds out by experiment whether a request was taken that was answered in this way: validate, which called it clear
   * before, has to call it a duplicate now, and one that cannot exist still clear. Remembers what such answers mean. Resolves
   * to null if nothing shows that it was taken.
   */
  prove(
    request: ServiceRequest,
    key: string,
    unproven: UnprovenAnswer,
    cleared: ValidateResult,
  ): Promise<CreateResult | null>;
  /** Asks validate once, without a conclusion. */
  look(request: ServiceRequest): Promise<Look>;
  /**
   * Returns a request like this one that cannot exist at the service: of a customer who has sent nothing, with a text that
   * nobody has sent, or both.
   */
  invented(request: ServiceRequest, what: { readonly customer: boolean; readonly text: boolean }): ServiceRequest;
  /**
   * Returns a function that tells answers of validate apart as these are: answers about requests that cannot exist, and about
   * requests that do. Null if they cannot be told apart.
   */
  tellApart(clear: readonly Look[], duplicate: readonly Look[]): ((look: Look) => Verdict) | null;
  /**
   * Time after the first try of a create in which a repetition under its idempotency key may be started. The service's
   * description says that it recognises the repetition and does not act again. Null if no repetition is allowed.
   */
  readonly idempotencyWindowMs: number | null;
  /**
   * The form in which the contract in force has creates written, as a digest. Null for the form of the public document.
   * What is known of the service under one form says nothing about a try that was written in another.
   */
  readonly wireForm: string | null;
  /**
   * Notes that an earlier run sent this request. What validate sees of another one of the same customer may be this one.
   */
  noteSent(request: ServiceRequest): void;
  /**
   * Whether the service has answered a request with a success that validate did not show, and nobody has called it a refusal.
   * Left out means that it has not.
   */
  readonly hasHiddenSuccess?: boolean;
  /** Reduces the rate to this share of the present one. */
  slowDown(share: number): void;
}

/** The request that a record is about. */
export interface LogSubject {
  /** The key of the request: a digest of its content and of where it was sent. */
  readonly key: string;
  /** The number of its row, or of the request among those of one command. */
  readonly row: number;
  /** The caller's own reference. */
  readonly ref: string | null;
  /** Code of the market, if it is known. */
  readonly market?: string | undefined;
}

/** A record of the log, as read back. */
export interface LogRecord extends LogSubject {
  /** The kind of record: `sending`, the status that the request got, or `licence`. */
  readonly event: LogEvent;
  /** Time of the record: `2026-11-21T03:39:00.123Z`. */
  readonly at: string;
  /** The id of the run that wrote it. */
  readonly run: string;
  /** The service's identifiers, as text. */
  readonly ids: Identifiers;
  /** The HTTP status of the answer, or null if there was none. */
  readonly http: number | null;
  /** Milliseconds until the answer, in a store until recorded, and at first until validate had shown it, or null. */
  readonly ms: number | null;
  /** One sentence for a person, or null. */
  readonly message: string | null;
  /**
   * The answer with everything that was sent redacted, or null. It is kept only if no identifier could be read from the
   * answer.
   */
  readonly raw: string | null;
  /**
   * Who settled the request, on records that settle an unknown outcome. It is `idempotency` on the `sending` record of a
   * request that is repeated under its idempotency key.
   */
  readonly by: SettledBy | 'idempotency' | null;
  /**
   * The form in which the request was written, on the records `sending` and `unknown`. Left out if it is that of the
   * public document, or if nobody knows.
   */
  readonly wireForm?: string;
  /** Whether validate had called the request clear before it was sent. Kept like `wireForm`. */
  readonly wasClear?: boolean;
  /**
   * Whether it only tells what validate said of a request whose outcome stays unknown. It was sent `ms` before `at`.
   */
  readonly looked?: boolean;
  /**
   * Whether it belongs to a deliberate second send, of a request that the log knew as taken or that validate called a
   * duplicate (`--again`, `--on-duplicate create`). It has an idempotency key of its own. Set on all records of that send, up to the one that says that it was taken.
   */
  readonly again: boolean;
}

/** The circumstances of a try, as its record keeps them. */
interface TryOptions {
  readonly again?: boolean;
  readonly wireForm?: string | null;
  readonly wasClear?: boolean;
}

export type SendingOptions = TryOptions & { readonly by?: 'idempotency' };

/** The conditions and circumstances of recording an outcome. */
export interface OutcomeOptions extends TryOptions {
  readonly seen?: LoggedState;
  readonly by?: SettledBy;
  readonly looked?: boolean;
}

/**
 * The log of what was sent, in a file on this machine or in a database that several machines share. Every method throws
 * `SrqError('log')` once the log cannot be trusted to keep a record.
 */
export interface DeliveryLog {
  /** Identifies this process's records. */
  readonly run: string;
  /**
   * Time for which an intent is valid after it was asked for. Later the request must not be written. It applies to a
   * log through which several processes send at once: a process that was stopped or cut off in between may have been
   * taken for dead, and its request settled. Null if nobody settles it while this process lives.
   */
  readonly writeLeaseMs: number | null;
  /** The wall clock that dates the records. Ages of records are computed with it. */
  nowMs(): number;
  /** Returns what this process last knew about a key. */
  lookup(key: string): LoggedState;
  /** Makes `lookup` current for these keys only. Only the state `none` may be some seconds old. */
  prefetch(keys: readonly string[]): Promise<void>;
  /**
   * Makes the intent to send durable, provided that the log's state of the key still is `seen` (from an earlier
   * `lookup`). The request may be written only after this resolved to true. False means that another process recorded
   * something meanwhile.
   */
  sending(subject: LogSubject, seen: LoggedState, how?: SendingOptions): Promise<boolean>;
  /**
   * Records an outcome, and resolves to true once it is durable. If `seen` is given, the outcome is recorded only if
   * the log's state of the key still is `seen`. Otherwise the result is false, and nothing is recorded. `seen` is left
   * out after an own send, whose outcome is a fact whatever else is recorded. If another process has recorded more
   * meanwhile, the outcome that the request was not taken this time says nothing about that, and the result is false.
   * `by` says who settled the request if it was in doubt.
   */
  outcome(subject: LogSubject, outcome: Outcome, how?: OutcomeOptions): Promise<boolean>;
  /**
   * Makes the permission durable to send a request in doubt once more, provided that the log's state of the key still
   * is `seen`. False means that it is not, and there is no permission.
   */
  licence(subject: LogSubject, seen: LoggedState, by: SettledBy, how?: Pick<TryOptions, 'again'>): Promise<boolean>;
  /** Tells whether a request without an outcome may still be in flight in another live process. */
  mayBeUnderWay(key: string): boolean | Promise<boolean>;
  /** Returns the last record of a key, or null. It returns synchronously if that costs no round trip. */
  read(key: string): LogRecord | null | Promise<LogRecord | null>;
}

/** The part of a log that says what is known of requests. Nothing is recorded through it. */
export type LogView = Pick<DeliveryLog, 'lookup' | 'prefetch' | 'read'>;

/**
 * A bearer token as kept between commands. Times are wall-clock milliseconds. `expiresAtMs` is null if it is not known.
 */
export interface CachedToken {
  readonly accessToken: string;
  readonly obtainedAtMs: number;
  readonly expiresAtMs: number | null;
}

/** Shares the token of one base URL and client id with other processes. A cache that fails counts as empty. */
export interface TokenCache {
  /** Returns the token as of now, or as of the last `refresh`. */
  read(): CachedToken | null;
  write(token: CachedToken): void | Promise<void>;
  /** Drops this token if it is still the cached one. */
  forget(accessToken: string): void;
  /** Looks what other processes have kept meanwhile. If it is left out, `read` always does. */
  refresh?(): Promise<void>;
}

/**
 * A call to the service as it may be shown to anyone. Secrets and personal data that was sent are redacted everywhere in
 * it.
 */
export interface TracedCall {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ms: number;
  /** The answer, or null if there was none, for the reason in `failure`. */
  readonly answer: TracedAnswer | null;
  readonly failure: string | null;
}

interface TracedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
