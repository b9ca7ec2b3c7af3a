import type { SrqError } from '../request/errors.ts';
import type { Problem } from '../request/finding.ts';
import type { LogEntry, LogSelection } from '../request/log-entry.ts';
import type { Identifiers, RowResult } from '../request/outcome.ts';
import type { Verdict } from '../request/ports.ts';
import type { Counts } from '../request/status.ts';

/** The options of {@link openMarketplace}. Nothing is read from arguments, environment or settings of the command. */
export interface MarketplaceOptions {
  /** The base URL of the service: https, or plain http on this machine. */
  readonly baseUrl: string;
  /** The client id of the partner. */
  readonly clientId: string;
  /** The client secret, or a function that reads it when it is first needed. */
  readonly clientSecret: string | (() => string | Promise<string>);
  /**
   * The folder of the log, the token and what is learned of the service. The folder of the command (`paths.state` of
   * `srq status --json`) makes both one: what the one has sent the other does not send again.
   */
  readonly stateFolder: string;
  /** The profile whose log in that folder is used. Default: `default`. */
  readonly profile?: string | undefined;
  /** A store in PostgreSQL in place of the log, for programs on several machines: `postgres://USER@HOST:5432/DATABASE`. */
  readonly store?: string | undefined;
  /** The password of the store, or a function that reads it. Without it, that of the URL or of `~/.pgpass` is used. */
  readonly storePassword?: string | (() => string | Promise<string>) | undefined;
  /** Uses a store although it does not know what the log in `stateFolder` has. Without it, that is refused (`store.log-unknown`). */
  readonly freshStore?: boolean | undefined;
  /** The file of a contract that `srq contract learn` made; `srq contract show` names it. */
  readonly contractFile?: string | undefined;
  /** How bodies are encoded if there is no contract. Default: `form`. */
  readonly encoding?: 'form' | 'json' | undefined;
  /** Fields of every request that does not give them itself, such as `{ country: 'PT', lang: 'pt' }`. */
  readonly defaults?: RequestFields | undefined;
  /** Requests a second: adaptive, a limit, or no pacing. Default: `auto`. */
  readonly rate?: 'auto' | 'max' | number | undefined;
  /** Maximum number of requests in flight. Default: 16. */
  readonly concurrency?: number | undefined;
  /** Time after which a call without an answer is given up. The default is that of the command. */
  readonly timeoutMs?: number | undefined;
  /** The only folder from which recordings (`audio_file`) are read. Without it, requests with recordings are invalid. */
  readonly audioFolder?: string | undefined;
  /** The URL of a proxy for https. */
  readonly proxy?: string | undefined;
  /** A file of certificate authorities to trust besides those of Node.js. */
  readonly caFile?: string | undefined;
  /** The file of a client certificate. It needs `keyFile`. */
  readonly certFile?: string | undefined;
  /** The file of the certificate's private key. */
  readonly keyFile?: string | undefined;
  /** The passphrase of an encrypted key. */
  readonly keyPassphrase?: string | undefined;
  /** Ends all work in order: nothing new is sent, and what is in flight is finished and recorded. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what the command would say as a warning. The library itself prints nothing. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * A request by the names of its fields. A name that is not listed here goes to the service as a parameter of that name. Every
 * value is text, because numbers lose digits.
 */
export interface RequestFields {
  /** The market: a code or a name, such as `PT`. */
  readonly country?: string | null | undefined;
  /** The language, such as `pt`. Left out: the usual one of the market. */
  readonly lang?: string | null | undefined;
  /** Locality and postal code. */
  readonly location?: string | null | undefined;
  /** The customer's name. */
  readonly fullname?: string | null | undefined;
  /** The customer's e-mail address. */
  readonly email?: string | null | undefined;
  /** The customer's telephone number. */
  readonly phone?: string | null | undefined;
  /** What is needed. */
  readonly request_text?: string | null | undefined;
  /** The category of the need. */
  readonly category?: string | null | undefined;
  /** The name of a recording in the `audioFolder`, in place of text. */
  readonly audio_file?: string | null | undefined;
  /** Your own reference, kept in the log. */
  readonly ref?: string | null | undefined;
  /** A parameter of the service. */
  readonly [parameter: string]: string | null | undefined;
}

/** An option of every call. */
export interface CallOptions {
  /** Ends this call in order: nothing new is sent for it, and what is in flight is finished and recorded. */
  readonly signal?: AbortSignal | undefined;
}

/** How requests are created. */
export interface CreateOptions extends CallOptions {
  /** Ask the service first whether the request is a duplicate. Default: true, if the service can tell. */
  readonly validate?: boolean | undefined;
  /** What to do with a duplicate. Default: `skip`. */
  readonly onDuplicate?: 'skip' | 'create' | undefined;
  /** Send also what the log says was created before. A request in doubt is not sent all the same. Default: false. */
  readonly again?: boolean | undefined;
}

/** What became of a request that was to be created. */
export interface CreateResult extends Omit<RowResult, 'row'> {
  /** What is wrong with the request, or doubtful. */
  readonly problems: readonly Problem[];
  /** Why it could not be sent, or no other could be: credentials refused, service out of reach, ended by a signal. */
  readonly error: SrqError | null;
  /** False if the outcome could not be written to the log: keep it, nothing else does. */
  readonly isRecorded: boolean;
}

/** What the service says of a request that is not created. */
export interface ValidateResult {
  /** Whether the service knows the request: `clear`, `duplicate` or `unknown`. */
  readonly verdict: Verdict;
  /** The identifiers that the service names. */
  readonly ids: Identifiers;
  /** The HTTP status, or null without an answer. */
  readonly http: number | null;
  /** One sentence for a person, or null. */
  readonly message: string | null;
  /** The key of the request, or null if it is invalid. */
  readonly key: string | null;
  /** What is wrong with the request, or doubtful. */
  readonly problems: readonly Problem[];
  /** Why the verdict is `unknown`, if that is known. */
  readonly error: SrqError | null;
}

/** How many requests are imported, and how. */
export interface ImportOptions extends CreateOptions {
  /** The name of the import in `srq report`. Default: `importRows`. */
  readonly name?: string | undefined;
  /** Warnings make a row invalid as well. Default: false. */
  readonly strict?: boolean | undefined;
  /** Number of invalid and rejected rows at which the import stops: `50`, or `'5%'` of all. Default: no limit. */
  readonly maxErrors?: number | `${number}%` | undefined;
  /** Rows whose outcome is unknown: leave them so, or have validate settle them where it is trusted. Default: `validate`. */
  readonly inDoubt?: 'park' | 'validate' | undefined;
  /** Age that a doubt must have before validate is asked about it. Default: learned, at least 60 s. */
  readonly settleMs?: number | undefined;
  /** Called with every row whose outcome is known, as it comes. */
  readonly onResult?: ((result: RowResult) => void) | undefined;
}

/** One row of an import and what became of it. */
export interface ImportedRow extends RowResult {
  /** What is wrong with the row, or doubtful. */
  readonly problems: readonly Problem[];
}

/** What became of an import. */
export interface ImportResult {
  /** Number of rows. The numbers by status add up to it. */
  readonly rows: number;
  /** Number of rows by status. */
  readonly counts: Omit<Counts, 'ready'>;
  /** All rows, in their order. */
  readonly results: readonly ImportedRow[];
  /** Why the import ended early, or null. What is `failed` was certainly not taken, and the next import sends it. */
  readonly stopped: SrqError | null;
}

/** What you found out about a request in doubt: `not-created`, so that it may be sent once more, or `created`. */
export type Word = 'not-created' | 'created' | { readonly created: string };

/** Which requests of the log are meant, by time as well. What is left out selects all. */
export interface LogFilter extends LogSelection {
  /** The first moment that is meant. */
  readonly since?: Date | undefined;
  /** The first moment that is not meant. */
  readonly until?: Date | undefined;
}

/**
 * A marketplace with its log. What becomes of a request is a value; a method rejects with {@link SrqError} if it cannot begin
 * at all, because the log is held by another process or the settings cannot be used.
 */
export interface Marketplace {
  /** Names the records of this process in the log. */
  readonly run: string;
  /** Asks the service whether the request is a duplicate. Creates nothing and needs no log. */
  validate(request: RequestFields, options?: CallOptions): Promise<ValidateResult>;
  /**
   * Creates the request, unless the log knows that it was created or may have been. The same request is recognised by its
   * content, in this process, a later one, or the command. Of equal requests at a time the second waits for the first.
   */
  create(request: RequestFields, options?: CreateOptions): Promise<CreateResult>;
  /**
   * Imports requests as `srq bulk` does: reads and checks all rows, sends those that are new, settles doubts, and accounts for
   * every row. Nothing is sent before the last row is read. Other calls wait meanwhile, but for `validate` and `log`. The rows
   * are held in memory.
   */
  importRows(
    rows: Iterable<RequestFields> | AsyncIterable<RequestFields>,
    options?: ImportOptions,
  ): Promise<ImportResult>;
  /**
   * Settles requests in doubt by your word, by their keys. `log({ status: 'unknown' })` lists them. Throws
   * `SrqError('usage')` if a key is of no request in doubt; nothing is noted then.
   */
  resolve(keys: string | readonly string[], word: Word): Promise<readonly LogEntry[]>;
  /** Yields the requests of the log with their last records, oldest first. Needs no lock. */
  log(filter?: LogFilter): AsyncIterable<LogEntry>;
  /** Waits for what is under way, then releases the log and the connections. */
  close(): Promise<void>;
}
