import type { SrqError } from './errors.ts';
import type { Identifiers, Outcome } from './outcome.ts';
import type { AudioFile, ServiceRequest } from './service-request.ts';
import type { LogEvent, LoggedState, SettledBy } from './status.ts';

/** Time, handed in: `nowMs` is the wall clock for records, `monotonicMs` measures ages. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when `signal` fires; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export type Verdict = 'clear' | 'duplicate' | 'unknown';

/** What validate said. `unknown` with `http` 2xx: the answer could not be read. */
export interface ValidateResult {
  readonly verdict: Verdict;
  readonly ids: Identifiers;
  readonly http: number | null;
  readonly message: string | null;
  /** Why the request cannot go on: the service refused its data, or could not be reached or used. */
  readonly refused: 'rejected' | 'failed' | null;
  readonly raw: string | null;
}

/** An answer of success that proves nothing by itself. */
export interface UnprovenAnswer {
  /** Status, media type, names and kinds of its members; the same for all requests. Empty: it cannot be read at all. */
  readonly form: string;
  /** Where it may name the request; null: nowhere. */
  readonly place: string | null;
  /** It says itself that the request was not taken. */
  readonly isDenied: boolean;
  readonly ids: Identifiers;
}

/** What became of a create. `stop`: every further call is pointless (wrong address, credentials refused, …). */
export interface Sent {
  readonly outcome: Outcome;
  readonly stop: SrqError | null;
  /** With the outcome `unknown`: the answer of success that did not prove that the request was taken. */
  readonly unproven: UnprovenAnswer | null;
  /** With the outcome `created`: the answer also tells of an error. */
  readonly hasRemark: boolean;
}

/** The service, as the pipeline needs it. */
export interface MarketplaceApi {
  /** Harmless, so repeated by itself. Throws `SrqError` for what makes every further call pointless. */
  validate(request: ServiceRequest): Promise<ValidateResult>;
  /**
   * Sent again only after a try that was certainly not acted on. `intend` is called when the request's turn has come, right
   * before each time it is written: minutes may lie between two tries. False, or its rejection, means that it must not be
   * written; the former resolves to null, the latter is passed on. Never rejects otherwise.
   *
   * `idempotencyKey`, 32 hex digits, names the send to a service that is idempotent; a try that may have been acted on is
   * repeated there, too, while the service knows the key. The same key for the same request, and for another send of it that is meant as such another key.
   *
   * `writeLeaseMs`: for so long after `intend` was called the request may be written; null: for ever.
   */
  create(
    request: ServiceRequest,
    intend: () => Promise<boolean>,
    idempotencyKey: string,
    writeLeaseMs?: number | null,
  ): Promise<Sent | null>;
  /**
   * Asks validate, for some seconds, whether it sees a request that was answered so and that it had called clear before;
   * resolves to whether it does, and remembers what such an answer means. Null: it could not be asked, or what it says of
   * such answers is known to tell nothing.
   */
  confirm(request: ServiceRequest, unproven: UnprovenAnswer): Promise<boolean | null>;
  /**
   * For so long after the first try of a create a repetition under its idempotency key may be begun: the service recognises
   * it and does not act again, as its description says. Null: it may not.
   */
  readonly idempotencyWindowMs: number | null;
  /** Goes on at this share of the present rate. */
  slowDown(share: number): void;
}

/** Reads a recording when its request is about to go. */
export interface AudioReader {
  describe(path: string): Promise<AudioFile>;
  readBase64(audio: AudioFile): Promise<string>;
}

/** Who a record is about. */
export interface LogSubject {
  readonly key: string;
  readonly row: number;
  readonly ref: string | null;
  /** Code of the market, where it is known. */
  readonly market?: string;
}

/** One line of the log, read back. */
export interface LogRecord extends LogSubject {
  readonly event: LogEvent;
  readonly at: string;
  readonly run: string;
  readonly ids: Identifiers;
  readonly http: number | null;
  readonly ms: number | null;
  readonly message: string | null;
  readonly raw: string | null;
  /** On records that settle a doubt; `idempotency` on the `sending` of one that goes again under its idempotency key. */
  readonly by: SettledBy | 'idempotency' | null;
  /** A deliberate second send (`--again`), under an idempotency key of its own; on its `sending` and its outcome. */
  readonly again: boolean;
}

export interface SendingHow {
  readonly again?: boolean;
  readonly by?: 'idempotency';
}

export interface OutcomeHow {
  readonly seen?: LoggedState;
  readonly by?: SettledBy;
  readonly again?: boolean;
}

/**
 * The record of what was sent, in a file of this machine's or in a database that several share. Every method throws
 * `SrqError('log')` once the log cannot be trusted to keep a record.
 */
export interface DeliveryLog {
  /** Names this process's records. */
  readonly run: string;
  /**
   * For so long after it was asked for an intent holds; then the request must not be written any more. For a log that
   * several processes send by at once: one that was stopped or cut off in between may have been taken for dead, and its
   * request settled. Null: nobody settles it as long as this process lives.
   */
  readonly writeLeaseMs: number | null;
  /** The wall clock by which records are dated; ages of records count by it. */
  nowMs(): number;
  /** What this process last knew of a key. */
  lookup(key: string): LoggedState;
  /** Makes `lookup` current for these keys, and for no others; only `none` may be some seconds old. */
  prefetch(keys: readonly string[]): Promise<void>;
  /**
   * Makes the intent to send durable, provided the log still knows of the key what `seen` says (a `lookup` of before).
   * Only after it resolved with true may the request be written; false: another process recorded something meanwhile.
   */
  sending(subject: LogSubject, seen: LoggedState, how?: SendingHow): Promise<boolean>;
  /**
   * Resolves with true once the outcome is durable. `seen`, if given: only if the log still knows of the key what it says;
   * false: it does not, and nothing was recorded. Left out after an own send, whose outcome is the truth whatever else is
   * recorded; where another process has recorded more meanwhile, that the request was not taken this time says nothing of
   * that, and false comes back. `by`: who settled it, if it was in doubt.
   */
  outcome(subject: LogSubject, outcome: Outcome, how?: OutcomeHow): Promise<boolean>;
  /**
   * Makes the permission durable to send a request in doubt once more, provided the log still knows of it what `seen`
   * says. False: it does not, and there is no permission.
   */
  licence(subject: LogSubject, seen: LoggedState, by: SettledBy): Promise<boolean>;
  /** Whether a request without an outcome may still be under way in another process that lives. */
  mayBeUnderWay(key: string): boolean | Promise<boolean>;
  /** The last record of a key, or null. At once where that costs no round trip. */
  read(key: string): LogRecord | null | Promise<LogRecord | null>;
}

/** What a change of a record leaves behind, and what its maker learns. */
export interface Changed<Result> {
  /** Kept for the next one, as JSON. */
  readonly keep: unknown;
  readonly result: Result;
  /** The other processes are told at once. */
  readonly alarm?: boolean;
}

/** Small records about one account, by their names: in files of this machine's, or in the store in force. */
export interface AccountState {
  /** Hands the record of this name to `reduce` (null: there is none), as its own, and keeps what comes back. */
  change<Result>(name: string, reduce: (kept: unknown) => Changed<Result>): Promise<Result>;
}

/** The same where all processes that send for the account change the records, one process at a time. */
export interface SharedAccountState extends AccountState {
  /** Names this process. */
  readonly run: string;
  /**
   * `nowMs` is a clock that is the same for all. Waits for the store where it is away; throws `SrqError('log')` where that is
   * given up.
   */
  change<Result>(name: string, reduce: (kept: unknown, nowMs: number) => Changed<Result>): Promise<Result>;
  /** Those of these processes that have ended. */
  ended(runs: readonly string[]): Promise<string[]>;
  /** Calls back whenever a change of another process gave alarm under this name. */
  onAlarm(name: string, listen: () => void): void;
}

/** A bearer token as kept between commands. Times are wall-clock milliseconds; `expiresAtMs` null: not known. */
export interface CachedToken {
  readonly accessToken: string;
  readonly obtainedAtMs: number;
  readonly expiresAtMs: number | null;
}

/** Keeps the token of one base URL and client id for other processes. A cache that fails is an empty cache. */
export interface TokenCache {
  /** What is known to be kept: as of now, or of the last `alone`. */
  read(): CachedToken | null;
  write(token: CachedToken): void | Promise<void>;
  /** Drops this token if it is still the one kept. */
  forget(accessToken: string): void;
  /** Runs `work` while no other process does so by this cache, which is then current. Left out: nobody is kept waiting. */
  alone?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** One call to the service as it may be shown to anyone: secrets and what was sent about people are masked in all of it. */
export interface TracedCall {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ms: number;
  /** Null: there was none, for the reason in `failure`. */
  readonly answer: TracedAnswer | null;
  readonly failure: string | null;
}

interface TracedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
