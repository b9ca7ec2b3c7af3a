import type { LogEntry, LogSelection } from '../request/log/log-store.ts';
import type { Identifiers, RowResult } from '../request/log/outcome.ts';
import type { Counts } from '../request/log/status.ts';
import type { Verdict } from '../request/ports.ts';
import type { SrqError } from '../request/words/errors.ts';
import type { Problem } from '../request/words/finding.ts';

/**
 * The options of {@link openMarketplace}. The library reads neither the arguments nor the environment variables nor the
 * settings of the command.
 */
export interface MarketplaceOptions {
  /** The base URL of the service: https, or plain http on this machine. */
  readonly baseUrl: string;
  /** The client id of the partner. */
  readonly clientId: string;
  /** The client secret, or a function that reads it when it is first needed, and again once the service has refused it. */
  readonly clientSecret: string | (() => string | Promise<string>);
  /**
   * The folder of the log, the token and what was learned about the service. If it is the folder of the command
   * (`paths.state` of `srq status --json`), the program and the command share one log, so that neither sends again what
   * the other has sent.
   */
  readonly stateFolder: string;
  /** The profile whose log in that folder is used. Default: `default`. */
  readonly profile?: string | undefined;
  /**
   * The URL of a PostgreSQL store that replaces the log file, for programs on several machines:
   * `postgres://USER@HOST:5432/DATABASE`.
   */
  readonly store?: string | undefined;
  /** The password of the store, or a function that reads it. Without it, the password in the URL is used. */
  readonly storePassword?: string | (() => string | Promise<string>) | undefined;
  /** Uses a store although it does not know what the log in `stateFolder` has. Without it, that is refused (`store.log-unknown`). */
  readonly freshStore?: boolean | undefined;
  /** The file of a contract that `srq contract learn` has written. With `--json` it says which (`file`). */
  readonly contractFile?: string | undefined;
  /** The encoding of bodies if there is no contract. Default: `form`. */
  readonly encoding?: 'form' | 'json' | undefined;
  /** Fields for every request that does not have them itself, such as `{ country: 'PT', lang: 'pt' }`. */
  readonly defaults?: RequestFields | undefined;
  /**
   * The rate: adaptive (`auto`), unlimited except for pauses that the service asks for (`max`), or a maximum number of
   * requests per second. Default: `auto`.
   */
  readonly rate?: 'auto' | 'max' | number | undefined;
  /** Maximum number of requests in flight. Default: 16. */
  readonly concurrency?: number | undefined;
  /**
   * Time in milliseconds after which a call without an answer is given up. The default is the same as that of `srq`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The only folder from which recordings (`audio_file`) are read. Without it, every request with a recording is
   * invalid.
   */
  readonly audioFolder?: string | undefined;
  /** The URL of a proxy for https. */
  readonly proxy?: string | undefined;
  /** Ends all work when it fires: nothing more is sent, and requests in flight are finished and recorded. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each warning that the command would print. The library itself prints nothing. An error of this function
   * is ignored, because a warning has no caller.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * A request, as texts by field name. A name that is not listed here is sent to the service as a parameter with that
 * name. Every value is text, because numbers lose digits.
 */
export interface RequestFields {
  /** The market, as a code or a name, such as `PT`. */
  readonly country?: string | null | undefined;
  /** The language, such as `pt`. Default: the usual language of the market. */
  readonly lang?: string | null | undefined;
  /** Locality and postal code. */
  readonly location?: string | null | undefined;
  /** The customer's name. */
  readonly fullname?: string | null | undefined;
  /** The customer's e-mail address. */
  readonly email?: string | null | undefined;
  /** The customer's telephone number. */
  readonly phone?: string | null | undefined;
  /** The description of what the customer needs. */
  readonly request_text?: string | null | undefined;
  /** The category of the request. */
  readonly category?: string | null | undefined;
  /** The name of a recording in `audioFolder`, which replaces the text. */
  readonly audio_file?: string | null | undefined;
  /** Your own reference, which the log keeps. */
  readonly ref?: string | null | undefined;
  /** A further parameter of the service. */
  readonly [parameter: string]: string | null | undefined;
}

/** The options of every call. */
export interface CallOptions {
  /**
   * Ends this call when it fires: nothing more is sent for it, and requests in flight are finished and recorded. While the
   * store is away, that takes until it is back.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The options for creating requests. */
export interface CreateOptions extends CallOptions {
  /** Whether the service is first asked if the request is a duplicate. Default: true, if the service has validate. */
  readonly validate?: boolean | undefined;
  /** What to do with a duplicate. Default: `skip`. */
  readonly onDuplicate?: 'skip' | 'create' | undefined;
  /**
   * Whether requests that the log knows as created are sent again. A request whose outcome is unknown is not. Default:
   * false.
   */
  readonly again?: boolean | undefined;
}

/** The result of `Marketplace.create`. */
export interface CreateResult extends Omit<RowResult, 'row'> {
  /** The errors and warnings that the local checks found in the request. */
  readonly problems: readonly Problem[];
  /**
   * The reason why this request or any further one cannot be sent, or null: the credentials were refused, the service
   * is unreachable, or a signal has fired.
   */
  readonly error: SrqError | null;
  /** False if the outcome could not be written to the log. The program must then keep it, because nothing else does. */
  readonly isRecorded: boolean;
}

/** The result of `Marketplace.validate`. */
export interface ValidateResult {
  /** The verdict: `duplicate` if the service knows the request, `clear` if it does not, otherwise `unknown`. */
  readonly verdict: Verdict;
  /** The identifiers in the service's answer. */
  readonly ids: Identifiers;
  /** HTTP status of the answer, or null if there was none. */
  readonly http: number | null;
  /** One sentence for a person, or null. */
  readonly message: string | null;
  /** The key of the request, or null if it is invalid. */
  readonly key: string | null;
  /** The errors and warnings that the local checks found in the request. */
  readonly problems: readonly Problem[];
  /** The reason for the verdict `unknown`, or null if it is not known. */
  readonly error: SrqError | null;
}

/** The options of an import. */
export interface ImportOptions extends CreateOptions {
  /** The name of the import in `srq report`. Default: `importRows`. */
  readonly name?: string | undefined;
  /**
   * Number of invalid and rejected rows at which the import stops, such as `50`, or their share of all rows, such as
   * `'5%'`. Default: no limit.
   */
  readonly maxErrors?: number | `${number}%` | undefined;
  /**
   * What to do with rows whose outcome is unknown. `park` leaves them unknown, and `validate` asks validate about them.
   * Default: `validate`.
   */
  readonly inDoubt?: 'park' | 'validate' | undefined;
  /**
   * Minimum age of a request whose outcome is unknown, in milliseconds, before validate is asked about it.
   * Default: 60 s, or 240 s if the process that sent it has ended or a proxy is used.
   */
  readonly settleMs?: number | undefined;
  /**
   * Called with the result of each row as soon as it is known. If it throws, or returns a promise that is rejected, the
   * import ends as by `signal`, and `importRows` is rejected once what is in flight is recorded. That error is the cause
   * of the `SrqError`.
   */
  readonly onResult?: ((result: RowResult) => void) | undefined;
}

/** The result of one row of an import. */
export interface ImportedRow extends RowResult {
  /** The errors and warnings that the local checks found in the row. */
  readonly problems: readonly Problem[];
}

/** The result of `Marketplace.importRows`. */
export interface ImportResult {
  /** Number of rows, which is the sum of `counts`. */
  readonly rows: number;
  /** Number of rows by status. */
  readonly counts: Omit<Counts, 'ready'>;
  /** The results of all rows, in the order of the rows. */
  readonly results: readonly ImportedRow[];
  /**
   * Why the import ended early, or null. Rows that are `failed` were certainly not taken, and the next import sends
   * them.
   */
  readonly stopped: SrqError | null;
}

/**
 * What you found out about a request whose outcome is unknown. After `not-created` it may be sent once more. An object
 * holds the identifier of the created request.
 */
export type Word = 'not-created' | 'created' | { readonly created: string };

/** Selects requests of the log. Members that are left out select all. */
export interface LogFilter extends LogSelection {
  /** The earliest time, inclusive. */
  readonly since?: Date | undefined;
}

/**
 * A marketplace with its log. Methods return the outcome of a request as a value. They reject with {@link SrqError}
 * only if they cannot begin at all, because another process holds the log, the log cannot be asked what it knows,
 * requests would be created a second time, or the settings cannot be used; or if a function of the program fails, whose
 * error is then the `cause`. What a method is given is copied before it returns. It waits for the functions of the
 * program and for its next row, even if a signal has fired.
 */
export interface Marketplace {
  /** Identifies the records of this process in the log. */
  readonly run: string;
  /** Asks the service whether the request is a duplicate. It creates nothing and needs no log. */
  validate(request: RequestFields, options?: CallOptions): Promise<ValidateResult>;
  /**
   * Creates the request, unless the log knows that it was or may have been created. A repeated request is recognised by
   * its content, whether this process, an earlier one or the command sent it. If equal requests are created
   * concurrently, the second one waits for the first.
   */
  create(request: RequestFields, options?: CreateOptions): Promise<CreateResult>;
  /**
   * Imports requests like `srq bulk`: it reads and checks all rows, sends the new ones, settles unknown outcomes, and
   * accounts for every row. Nothing is sent before the last row has been read. It runs alone: beside `create` or `resolve` it
   * is refused, and so are these beside it. The rows are held in memory.
   */
  importRows(
    rows: Iterable<RequestFields> | AsyncIterable<RequestFields>,
    options?: ImportOptions,
  ): Promise<ImportResult>;
  /**
   * Settles requests whose outcome is unknown by their keys, which `log({ status: 'unknown' })` lists. `word` says what
   * became of them. If a key is not that of such a request, it throws `SrqError('usage')` and records nothing. It waits for the
   * creates under way, and those that begin meanwhile wait for it.
   */
  resolve(keys: string | readonly string[], word: Word): Promise<readonly LogEntry[]>;
  /** Yields the last record of each request in the log, oldest first. It needs no lock. */
  log(filter?: LogFilter): AsyncIterable<LogEntry>;
  /** Waits for the calls under way, then releases the log and the connections. */
  close(): Promise<void>;
}
