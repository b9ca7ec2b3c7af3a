import { randomUUID } from 'node:crypto';
import { invalid, type Prepared, prepareDraft } from '../delivery/prepare.ts';
import { loggedStatus } from '../delivery/sent-before.ts';
import { heldByReference, submitOne } from '../delivery/settle-by-key.ts';
import { requireClear, requireOwnIdentifier, settleByWord, unknownRecords } from '../delivery/settle-by-word.ts';
import { type Submission, type SubmitOptions, shown } from '../delivery/submit.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import type { Draft } from '../request/lead/service-request.ts';
import { entriesWith, isSelected, type LogEntry, logEntryOf } from '../request/log/log-store.ts';
import { SrqError } from '../request/words/errors.ts';
import { type Problem, whyInvalid } from '../request/words/finding.ts';
import type * as api from './api.ts';
import { LibraryHost } from './host.ts';
import { importTable } from './import-rows.ts';
import { forProgram } from './program-words.ts';
import { draftOf, tableOf } from './rows.ts';
import { type LibrarySettings, requireFit } from './settings.ts';
import { endedBySignal, haltWith } from './signals.ts';

/**
 * The marketplace for a program that imports the library. Everything is opened when it is first used, and only once.
 */
export class LibraryMarketplace implements api.Marketplace {
  readonly #host: LibraryHost;
  /** The calls under way, from their first moment on. */
  readonly #calls = new Map<Promise<unknown>, HowCalled>();
  /** The creates under way, by key and by reference. A create with the same one waits for the one before. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Ends with the last word of a person. A create that begins meanwhile waits for it. */
  #settled: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(settings: LibrarySettings, version: string) {
    this.#host = new LibraryHost(settings, version);
  }

  get run(): string {
    return this.#host.run;
  }

  async validate(request: api.RequestFields, options: api.CallOptions = {}): Promise<api.ValidateResult> {
    return this.#call('beside', async () => {
      requireFit('call', options);
      const signal = this.#endingWith(options.signal);
      const prepared = await this.#prepare(draftOf(request, this.#host.settings.defaults), 'validate');
      const { key, problems } = prepared;
      const message = prepared.request ? null : whyInvalid(problems).message;
      const nothing = { verdict: 'unknown', ids: {}, http: null, key, message, problems, error: null } as const;
      if (!prepared.request) return nothing;
      try {
        const connection = await this.#host.connection();
        const { verdict, ids, http, message: said } = await connection.api.until(signal).validate(prepared.request);
        return { verdict, ids, http, message: said, key, problems, error: null };
      } catch (error) {
        const told = forProgram(error);
        return { ...nothing, message: told.message, error: told };
      }
    });
  }

  async create(request: api.RequestFields, options: api.CreateOptions = {}): Promise<api.CreateResult> {
    return this.#call('together', async () => {
      requireFit('create', options);
      const draft = draftOf(request, this.#host.settings.defaults);
      const [signal, settled] = [this.#endingWith(options.signal), this.#settled];
      const submitting = await this.#submitOptions({ ...options });
      const prepared = await this.#prepare(draft, 'create');
      if (!prepared.request) return notSent(prepared);
      await settled;
      return this.#afterEqualOne(prepared, submitting, signal);
    });
  }

  async importRows(
    rows: Iterable<api.RequestFields> | AsyncIterable<api.RequestFields>,
    options: api.ImportOptions = {},
  ): Promise<api.ImportResult> {
    return this.#call('alone', async () => {
      requireFit('rows', rows);
      requireFit('importRows', options);
      const asked = { ...options };
      const signal = this.#endingWith(asked.signal);
      const table = await tableOf(rows, this.#host.settings.defaults, signal);
      const submitting = await this.#submitOptions(asked);
      const preparation = await this.#host.preparation('create');
      // Each import is an occasion of its own, because a program may send the same rows again in the same run.
      const sending = { ...submitting, occasion: randomUUID() };
      const halt = haltWith(signal);
      return importTable(table, this.#host, { preparation, halt }, { ...asked, ...sending }).finally(() => {
        // What the host holds on to of an import ends with it.
        halt.abort();
        this.#host.refused = () => {};
      });
    });
  }

  async resolve(keys: string | readonly string[], word: api.Word): Promise<readonly LogEntry[]> {
    return this.#call('together', async () => {
      requireFit('keys', keys);
      requireFit('word', word);
      const named = [keys].flat();
      const said = word === 'not-created' ? word : { id: typeof word === 'object' ? word.created : null };
      // What is under way has no outcome yet that a person could know.
      const before = [...this.#calls].flatMap(([call, how]) => (how === 'together' ? call : []));
      const settling = Promise.all(before).then(() => this.#settle(named, said));
      this.#settled = Promise.allSettled([settling]);
      return settling;
    });
  }

  async *log(filter: api.LogFilter = {}): AsyncGenerator<LogEntry, void> {
    try {
      this.#requireOpen();
      requireFit('log', filter);
      const { since, ...selection } = filter;
      const store = await this.#host.log.store();
      yield* entriesWith(store, selection, (record) => isSelected(record, selection, since?.getTime()));
    } catch (error) {
      throw forProgram(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#calls.keys());
    try {
      await this.#host.close();
    } catch (error) {
      throw forProgram(error);
    }
  }

  /** Makes a call of the program, if it can run beside those under way. What it was given is copied before this returns. */
  async #call<Result>(how: HowCalled, begin: () => Promise<Result>): Promise<Result> {
    try {
      this.#requireOpen();
      const others = [...this.#calls.values()].filter((other) => other !== 'beside');
      if (how !== 'beside' && others.some((other) => how === 'alone' || other === 'alone')) {
        throw new SrqError('arguments.invalid', 'Another call is under way.', 'Await it first.');
      }
      const call = begin();
      const settled = Promise.allSettled([call]);
      this.#calls.set(settled, how);
      void settled.then(() => this.#calls.delete(settled));
      return await call;
    } catch (error) {
      throw forProgram(error);
    }
  }

  async #settle(named: readonly string[], said: Parameters<typeof settleByWord>[2]): Promise<readonly LogEntry[]> {
    const log = await this.#host.openLog();
    if (named.length === 0) return [];
    const store = await this.#host.log.store();
    const doubtful = await unknownRecords(store, named);
    requireClear(doubtful, named, said);
    await requireOwnIdentifier(store, said);
    await settleByWord(log, doubtful, said);
    const settled = await Promise.all(doubtful.map(({ key }) => log.read(key)));
    return settled.flatMap((record) => (record ? [logEntryOf(record)] : []));
  }

  /** Creates a request once no create with the same key or the same reference is under way. */
  async #afterEqualOne(submission: Submission & Prepared, options: SubmitOptions, signal: AbortSignal) {
    const { key, request } = submission;
    const names = [key, ...(request.ref === null ? [] : [`reference ${request.ref}`])];
    const before = Promise.all(names.map((name) => this.#underWay.get(name)));
    const running = before.then(() => this.#submit(submission, options, signal));
    const settled = Promise.allSettled([running]);
    for (const name of names) this.#underWay.set(name, settled);
    try {
      return await running;
    } finally {
      for (const name of names) if (this.#underWay.get(name) === settled) this.#underWay.delete(name);
    }
  }

  async #submit(submission: Submission & Prepared, options: SubmitOptions, signal: AbortSignal) {
    const log = await this.#host.openLog();
    const connection = await this.#host.connection();
    const deps = { api: connection.api.until(signal), log };
    const { key, problems } = submission;
    // This rejects if the log cannot be asked, because nobody knows then whether its outcome is unknown.
    await log.prefetch([key]);
    const known = loggedStatus(log.lookup(key), options);
    try {
      const held = await heldByReference([submission], options, { log, taken: (ref) => this.#host.takenBefore(ref) });
      const sent = held.get(submission.row) ?? (await submitOne(submission, deps, options));
      const { row: _, ...told } = shown(sent);
      const { stop, unrecorded } = sent;
      const wasEnded = signal.aborted && sent.status === 'failed';
      const error = stop ? forProgram(stop) : wasEnded ? endedBySignal() : null;
      return { ...told, problems, error, isRecorded: !unrecorded };
    } catch (error) {
      // The intent could not be recorded. Nothing was sent, neither now nor, as the log has just said, before.
      if (!(error instanceof SrqError) || known !== null) throw error;
      return notSent(submission, error);
    }
  }

  async #submitOptions({ validate = true, onDuplicate = 'skip', again = false }: api.CreateOptions) {
    const isThere = (await this.#host.contract()).validate !== null;
    return { validate: validate && isThere, onDuplicate, again };
  }

  async #prepare(draft: Draft | Problem, operation: RequestOperationName): Promise<Prepared> {
    if (!('fields' in draft)) return invalid(1, null, [draft]);
    return prepareDraft(draft, null, await this.#host.preparation(operation));
  }

  /** Returns a signal that fires with this one or with the marketplace's own. */
  #endingWith(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([this.#host.halt.signal, signal]) : this.#host.halt.signal;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new SrqError('arguments.invalid', 'The marketplace is closed.', 'Open it again.');
  }
}

/** Builds the result of a request for which nothing was sent, because of an error if the request itself is in order. */
function notSent(prepared: Prepared, error: SrqError | null = null): api.CreateResult {
  const { request, key, problems } = prepared;
  const ref = request ? request.ref : prepared.ref;
  const { message, reason } = error ?? whyInvalid(problems);
  const status = request ? 'failed' : 'invalid';
  const nothing = { ids: {}, http: null, isRecorded: true } as const;
  return { ...nothing, status, ref, key, problems, message, reason, error: error && forProgram(error) };
}

/** How a call goes with others: together with those of its kind, alone, or beside all. */
type HowCalled = 'together' | 'alone' | 'beside';
