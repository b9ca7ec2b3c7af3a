import { randomUUID } from 'node:crypto';
import { type Connection, openConnection } from '../account/connection.ts';
import { draftSentBefore } from '../delivery/other-readings.ts';
import { type Prepared, prepareDraft } from '../delivery/prepare.ts';
import { loggedStatus } from '../delivery/sent-before.ts';
import { requireOneEach, settleByWord, unknownRecords } from '../delivery/settle-by-word.ts';
import { submitOne } from '../delivery/settle-rows.ts';
import { fromLog, type Submission, type SubmitOptions, shown } from '../delivery/submit.ts';
import { describeAudio, readAudioBase64 } from '../input/audio.ts';
import { type Contract, contractAt, withJudges } from '../request/contract/contract.ts';
import { operationsOf, type RequestOperationName } from '../request/contract/operations.ts';
import { documentedContract } from '../request/contract/public-api.ts';
import type { Draft } from '../request/lead/service-request.ts';
import { isSelected, keysOfRun, type LogEntry, logEntryOf, type OpenLog } from '../request/log/log-store.ts';
import type { AudioReader, LogView } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { quotedMessage } from '../request/words/finding.ts';
import type { RequestApi } from '../service/client.ts';
import type { Refused } from '../service/pacing/rate-limiter.ts';
import { ContractStore } from '../settings/contract-store.ts';
import type * as api from './api.ts';
import {
  requireCallOptions,
  requireCreateOptions,
  requireImportOptions,
  requireKeys,
  requireLogFilter,
  requireRows,
  requireWord,
} from './call-options.ts';
import { LibraryHost } from './host.ts';
import { importTable, type OpenedAccount, sentBefore } from './import-rows.ts';
import { draftOf, tableOf } from './rows.ts';
import type { LibrarySettings } from './settings.ts';
import { endedBySignal, haltWith } from './signals.ts';
import { Calls, ended, endOrAbort, Turns } from './turns.ts';

/**
 * The marketplace for a program that imports the library. Everything is opened when it is first used, and only once.
 */
export class LibraryMarketplace implements api.Marketplace {
  readonly #settings: LibrarySettings;
  readonly #version: string;
  readonly #host: LibraryHost;
  readonly #turns = new Turns();
  readonly #calls = new Calls();
  readonly #openLog: () => Promise<OpenLog>;
  readonly #openAccount: () => Promise<OpenedAccount>;
  readonly #contract: () => Promise<Contract>;
  /** The contract as it was learned, or null if there is none. */
  readonly #learned: () => Promise<Contract | null>;
  /** The creates under way, by key. A create with the same key waits for the one before. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** The log that is open for sending, or is being opened. */
  #opening: Promise<OpenLog> | null = null;
  #isClosed = false;

  constructor(settings: LibrarySettings, version: string) {
    this.#settings = settings;
    this.#version = version;
    this.#host = new LibraryHost(settings);
    // The log is opened exclusively. A request of an earlier process without an outcome is then certainly in doubt,
    // because that process has ended.
    this.#openLog = onceOpened(() => {
      this.#opening = this.#host.log.open(OPENED_FOR, true);
      return this.#opening;
    });
    this.#learned = onceOpened(() => this.#readContract());
    this.#contract = onceOpened(() => this.#contractInUse());
    this.#openAccount = onceOpened(() => this.#connect());
  }

  get run(): string {
    return this.#host.run;
  }

  async validate(request: api.RequestFields, options: api.CallOptions = {}): Promise<api.ValidateResult> {
    this.#requireOpen();
    requireCallOptions(options);
    return this.#calls.track(this.#validate(request, options));
  }

  async #validate(request: api.RequestFields, { signal }: api.CallOptions): Promise<api.ValidateResult> {
    const { prepared } = await this.#prepare(request, ['validate']);
    const { key, message, problems } = preparedParts(prepared);
    const nothing = { verdict: 'unknown', ids: {}, http: null, key, message, problems, error: null } as const;
    if (!prepared.request) return nothing;
    const { connection } = await this.#openAccount();
    const client = this.#clientUntil(this.#endingWith(signal), connection);
    try {
      const { verdict, ids, http, message: said } = await client.validate(prepared.request);
      return { verdict, ids, http, message: said, key, problems, error: null };
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      return { ...nothing, message: error.message, error };
    }
  }

  async create(request: api.RequestFields, options: api.CreateOptions = {}): Promise<api.CreateResult> {
    this.#requireOpen();
    requireCreateOptions(options);
    return this.#calls.track(this.#create(request, options));
  }

  async #create(request: api.RequestFields, options: api.CreateOptions): Promise<api.CreateResult> {
    const submitting = await this.#submitOptions(options);
    const { draft, prepared } = await this.#prepare(request, operationsOf(submitting));
    if (!draft || !prepared.request) return { ...notSent(prepared), status: 'invalid' };
    const signal = this.#endingWith(options.signal);
    return this.#turns.together(() => this.#afterEqualOne({ ...prepared, draft }, submitting, signal), signal);
  }

  async importRows(
    rows: Iterable<api.RequestFields> | AsyncIterable<api.RequestFields>,
    options: api.ImportOptions = {},
  ): Promise<api.ImportResult> {
    this.#requireOpen();
    requireRows(rows);
    requireImportOptions(options);
    return this.#calls.track(this.#importRows(rows, options));
  }

  async #importRows(
    rows: Iterable<api.RequestFields> | AsyncIterable<api.RequestFields>,
    options: api.ImportOptions,
  ): Promise<api.ImportResult> {
    const { defaults = {} } = this.#settings;
    const signal = this.#endingWith(options.signal);
    const table = await tableOf(rows, defaults, signal);
    const submitting = await this.#submitOptions(options);
    const preparation = await this.#preparation(operationsOf(submitting), options.strict);
    return this.#turns.alone(async () => {
      const halt = haltWith(signal);
      const log = await this.#openLog();
      const account = await this.#openAccount();
      const store = await this.#host.log.store();
      const { concurrency, profile } = this.#settings;
      // Each import is an occasion of its own, because a program may send the same rows again in the same run.
      const sending = { ...submitting, occasion: randomUUID() };
      const settings = { ...options, ...sending, concurrency, profile, version: this.#version };
      return importTable(table, { log, store, account, preparation, halt, clock: this.#host.clock }, settings);
    });
  }

  async resolve(keys: string | readonly string[], word: api.Word): Promise<readonly LogEntry[]> {
    this.#requireOpen();
    requireKeys(keys);
    requireWord(word);
    const named = typeof keys === 'string' ? [keys] : keys;
    return this.#turns.alone(async () => {
      const log = await this.#openLog();
      const doubtful = named.length === 0 ? [] : await unknownRecords(await this.#host.log.store(), named);
      requireOneEach(doubtful, named);
      const idle = named.find((name) => !doubtful.some(({ key }) => key.startsWith(name)));
      if (idle !== undefined) {
        throw new SrqError(
          'doubt.unknown',
          `"${idle}" is the key of no request with an unknown outcome; nothing was noted.`,
        );
      }
      if (typeof word === 'object' && doubtful.length > 1) {
        throw new SrqError('doubt.several', `${doubtful.length} requests are meant; they cannot share one identifier.`);
      }
      const id = typeof word === 'object' ? word.created : null;
      await settleByWord(log, doubtful, word === 'not-created' ? word : { id });
      const settled = await Promise.all(doubtful.map(({ key }) => log.read(key)));
      return settled.flatMap((record) => (record ? [logEntryOf(record)] : []));
    });
  }

  async *log(filter: api.LogFilter = {}): AsyncGenerator<LogEntry, void> {
    this.#requireOpen();
    requireLogFilter(filter);
    const { since, until, run, ...selection } = filter;
    const store = await this.#host.log.store();
    const keys = await keysOfRun(store, run);
    for await (const record of store.latest()) {
      if (keys !== null && keys.find(record.key) < 0) continue;
      if (isSelected(record, selection, since?.getTime(), until?.getTime())) yield logEntryOf(record);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A call takes its turn only after its request is prepared, or its rows are read.
    await this.#calls.ended();
    await this.#turns.idle();
    await this.#host.close();
  }

  /** Creates a request once no create with the same key is under way. */
  async #afterEqualOne(
    submission: DraftSubmission,
    options: SubmitOptions,
    signal: AbortSignal,
  ): Promise<api.CreateResult> {
    const { key } = submission;
    const before = this.#underWay.get(key) ?? Promise.resolve();
    const running = endOrAbort(before, signal).then(() => this.#submit(submission, options, signal));
    // One that its signal ended early leaves the one before under way, for which a later one still has to wait.
    const settled = Promise.all([before, ended(running)]);
    this.#underWay.set(key, settled);
    try {
      return await running;
    } finally {
      if (this.#underWay.get(key) === settled) this.#underWay.delete(key);
    }
  }

  async #submit(submission: DraftSubmission, options: SubmitOptions, signal: AbortSignal): Promise<api.CreateResult> {
    if (signal.aborted) return this.#untried(submission, options);
    const log = await this.#openLog();
    const { connection } = await this.#openAccount();
    const deps = { api: this.#clientUntil(signal, connection), log };
    const { key, problems } = submission;
    // This rejects if the log cannot be asked, because nobody knows then whether its outcome is unknown.
    await log.prefetch([key]);
    const known = loggedStatus(log.lookup(key), options);
    if (!options.again) await this.#requireNotSentBefore(submission, options, log);
    try {
      const sent = await submitOne(submission, deps, options);
      const { row: _, ...told } = shown(sent);
      const { stop, unrecorded } = sent;
      const wasEnded = signal.aborted && sent.status === 'failed';
      return { ...told, problems, error: stop ?? (wasEnded ? endedBySignal() : null), isRecorded: !unrecorded };
    } catch (error) {
      // The intent could not be recorded. Nothing was sent, neither now nor, as the log has just said, before.
      if (!(error instanceof SrqError) || known !== null) throw error;
      return notSent(submission, error);
    }
  }

  /** Returns the result of a request whose signal has fired: what the log says of it. No log is made for that. */
  async #untried(submission: Submission & Prepared, options: SubmitOptions): Promise<api.CreateResult> {
    const sent = await this.#readLog(async (log) => {
      await log.prefetch([submission.key]);
      return loggedStatus(log.lookup(submission.key), options) && fromLog(submission, log, options);
    });
    if (!sent) return notSent(submission, endedBySignal());
    const { row: _, ...told } = shown(sent);
    const error = sent.status === 'unknown' ? endedBySignal() : null;
    return { ...told, problems: submission.problems, error, isRecorded: true };
  }

  /** Reads the log: the open one, or else without opening it for sending. */
  async #readLog<Result>(read: (log: LogView) => Promise<Result>): Promise<Result> {
    const log = await this.#opening?.catch(() => null);
    if (log) return read(log);
    await this.#host.log.requireKnown();
    const reader = await (await this.#host.log.store()).openReader();
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  }

  async #submitOptions({ validate = true, onDuplicate = 'skip', again = false }: api.CreateOptions) {
    const isThere = (await this.#contract()).validate !== null;
    return { validate: validate && isThere, onDuplicate, again };
  }

  /**
   * Throws `SrqError('usage')` if the log knows the request not as it is read now, but as it may have been read or
   * addressed before. It would be created a second time.
   */
  async #requireNotSentBefore(submission: DraftSubmission, options: SubmitOptions, log: LogView): Promise<void> {
    const preparation = await this.#preparation(operationsOf(options));
    const when = await draftSentBefore(submission.draft, submission, preparation, log);
    if (when === null) return;
    throw sentBefore(`The request was sent before, when ${when}. If it is sent now, it is created again.`);
  }

  async #prepare(
    request: api.RequestFields,
    operations: readonly RequestOperationName[],
  ): Promise<{ readonly draft: Draft | null; readonly prepared: Prepared }> {
    const draft = draftOf(request, this.#settings.defaults ?? {});
    if (!('fields' in draft)) {
      return { draft: null, prepared: { row: 1, request: null, ref: null, problems: [draft] } };
    }
    return { draft, prepared: await prepareDraft(draft, null, await this.#preparation(operations)) };
  }

  async #preparation(operations: readonly RequestOperationName[], strict = false) {
    const { baseUrl, clientId, audioFolder } = this.#settings;
    const contract = await this.#contract();
    return { destination: { baseUrl, clientId }, contract, operations, strict, audio: recordingsIn(audioFolder) };
  }

  async #contractInUse(): Promise<Contract> {
    const { baseUrl, encoding } = this.#settings;
    const learned = await this.#learned();
    return learned ? withJudges(contractAt(learned, baseUrl)) : documentedContract(encoding);
  }

  async #readContract(): Promise<Contract | null> {
    const { contractFile } = this.#settings;
    if (contractFile === undefined) return null;
    const contract = await (await this.#contractStore(contractFile)).read();
    if (contract) return contract;
    throw new SrqError(
      'contract.unusable',
      `There is no contract ${contractFile}.`,
      'srq contract show names that of a profile.',
    );
  }

  async #contractStore(contract: string): Promise<ContractStore> {
    return new ContractStore(this.#settings.profile, contract, await this.#host.trust());
  }

  async #connect(): Promise<OpenedAccount> {
    const { baseUrl, clientId, rate, concurrency, timeoutMs, audioFolder } = this.#settings;
    const account = {
      destination: { baseUrl, clientId },
      contract: await this.#contract(),
      readSecret: () => this.#host.readSecret(),
      network: (url: string) => this.#host.network(url),
      timeoutMs: timeoutMs ?? null,
      traces: [],
    };
    let listener: Refused = () => {};
    const asking = { rate, concurrency, audio: recordingsIn(audioFolder) };
    const told: Refused = (http, pauseMs) => listener(http, pauseMs);
    const connection = await openConnection(this.#host, account, { ...asking, refused: told });
    this.#host.onClose(async () => connection.keepRate());
    const listen = (refused: Refused) => {
      listener = refused;
    };
    return { connection, listen };
  }

  /** Returns a signal that fires with this one or with the marketplace's own. */
  #endingWith(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([this.#host.halt.signal, signal]) : this.#host.halt.signal;
  }

  #clientUntil(signal: AbortSignal, { api: client }: Connection): RequestApi {
    return signal === this.#host.halt.signal ? client : client.until(signal);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new SrqError('arguments.invalid', 'The marketplace is closed.', 'Open it again.');
  }
}

/** A checked request with the fields from which it was read. */
type DraftSubmission = Submission & Prepared & { readonly draft: Draft };

/** What this process does, for others that find the log in use. */
const OPENED_FOR = 'creating and importing';

/**
 * Returns a function that opens something on its first call and then returns the same. After a failure the next call
 * tries again.
 */
function onceOpened<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | null = null;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}

function recordingsIn(folder: string | undefined): AudioReader {
  return {
    describe: (path) =>
      folder === undefined
        ? Promise.reject(
            new SrqError('recording.unusable', 'Recordings are read from the audioFolder, and none is given.'),
          )
        : describeAudio(path, folder),
    readBase64: readAudioBase64,
  };
}

/** Builds the result of a request for which nothing was sent. */
function notSent(prepared: Prepared, error: SrqError | null = null): api.CreateResult {
  const { message, ...parts } = preparedParts(prepared);
  const nothing = { status: 'failed', ids: {}, http: null, isRecorded: true } as const;
  const reason = error?.reason ?? prepared.problems.find(({ severity }) => severity === 'error')?.code ?? null;
  return { ...nothing, ...parts, message: error?.message ?? message, reason, error };
}

function preparedParts(prepared: Prepared) {
  const { problems } = prepared;
  if (prepared.request) return { key: prepared.key, ref: prepared.request.ref, message: null, problems };
  const errors = problems.filter(({ severity }) => severity === 'error');
  return { key: null, ref: prepared.ref, message: errors.map(quotedMessage).join(' '), problems };
}
