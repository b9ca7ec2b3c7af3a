import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LogStore, OpenLog } from '../request/log/log-store.ts';
import type { Clock } from '../request/ports.ts';
import { SrqError, shellWord, systemCode } from '../request/words/errors.ts';
import { ANY_OWNER, ownFile, type Trust } from '../settings/own-file.ts';
import type { StateFiles } from '../settings/paths.ts';
import { requireCertificateCheck } from '../settings/settings.ts';
import type { Confirmed } from '../store/postgres/postgres-log.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';
import { systemClock } from './system-clock.ts';

/** Time for which a program that closes still tries to tell its store what it has learned. */
const LAST_TRIES_MS = 5_000;

/**
 * What a command and a program that imports the library have in common: both open their log and their connections in the
 * same way, when these are first needed, and close them at the end.
 */
export abstract class Program {
  readonly clock: Clock = systemClock;
  /** Identifies the records of this process in the log. */
  run: string = randomUUID();
  /** The log in use. */
  log = this.#newLog();
  /** The numeric user id, or null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  readonly #closers: (() => Promise<void>)[] = [];
  /** Files that have been reported and are not reported again. */
  readonly #distrusted = new Set<string>();
  readonly #own: Pick<NodeJS.Process, 'env' | 'pid'>;

  constructor(own: Pick<NodeJS.Process, 'getuid' | 'env' | 'pid'>) {
    this.uid = own.getuid?.() ?? null;
    this.#own = own;
  }

  /** Aborted when nothing more is to be sent. */
  abstract get halt(): AbortController;
  /** Whether the store may begin without what the log in the profile's file has. */
  abstract get freshStore(): boolean;
  /** Names this process by what it does. */
  protected abstract named(command: string): string;
  /** Returns the paths of the token and of what was learned about the service. */
  abstract stateFiles(): Promise<StateFiles>;
  abstract warn(message: string): Promise<void>;
  /** Removes this text from error reports from now on. */
  abstract addSecret(secret: string): void;
  /** Finds out where the log is kept. */
  protected abstract findLog(): Promise<LogPlace>;

  /** Describes this process to others that find the log in use. */
  readonly holder = (command: string): string => {
    const since = new Date(this.clock.nowMs()).toISOString();
    return `${this.named(command)}, process ${this.#own.pid} on ${hostname()}, since ${since}`;
  };

  /**
   * Throws `SrqError('settings')` if the environment turns off Node.js's certificate checks. `authority` says how to
   * name a private certificate authority instead.
   */
  requireCertificateCheck(authority: string): void {
    requireCertificateCheck(this.#own.env, authority);
  }

  /** Begins another run in this process. The log is opened anew, because its records name the run. */
  beginRun(): void {
    this.run = randomUUID();
    this.log = this.#newLog();
  }

  /** Returns the rules for trusting the small files that srq keeps. A file that cannot be trusted is not used. */
  async trust(): Promise<Trust> {
    const onDistrusted = (message: string) => {
      if (!this.#distrusted.has(message)) void this.warn(message);
      this.#distrusted.add(message);
    };
    return { uid: this.uid, onDistrusted };
  }

  /** Registers a function to run at the end. The function registered last runs first. */
  onClose(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  /**
   * Runs what was registered by `onClose`, also what that registers. A store that is away is soon no longer waited for.
   * Throws the first error, once all of it has run.
   */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    const closed = new AbortController();
    void this.clock.sleep(LAST_TRIES_MS, closed.signal).then(() => {
      if (!closed.signal.aborted) this.halt.abort();
    });
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop())
      await Promise.resolve()
        .then(closer)
        .catch((error) => errors.push(error));
    closed.abort();
    if (errors.length > 0) throw errors[0];
  }

  #newLog(): LogKeeper {
    return new LogKeeper(this, () => this.findLog());
  }
}

/** The place of the log: a file on this machine, or a store that several machines share. */
export type LogPlace =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** True if --log names it; otherwise it is in srq's own folder. */
      readonly isGiven: boolean;
    }
  | {
      readonly kind: 'store';
      readonly url: string;
      /** The address without its password, for messages. */
      readonly name: string;
      readonly isEncrypted: boolean;
      /** Reads the password. Null if no password is known. */
      readonly password: (() => Promise<string>) | null;
      /** The file in which the log would be kept without the store. */
      readonly file: string;
    };

/** Why a log must not be used before a person has decided: it does not know what the profile has sent. */
interface UnknownLog {
  readonly reason: 'store.log-unknown' | 'store.other' | 'store.behind';
  readonly message: string;
  readonly hint: string;
  /** Remembers the decision to do without what it does not know; null if that is not decided by --fresh-store. */
  readonly accept: (() => Promise<void>) | null;
  /** Stops the others, which may not know it. */
  readonly hold?: () => Promise<void>;
}

/** The newest record of a store is written down at most once in this time. */
const MARK_MS = 5_000;

/** What the log needs from the program that uses it. */
type LogHost = Pick<Program, 'clock' | 'run' | 'uid' | 'halt' | 'freshStore' | 'warn' | 'onClose'> &
  Pick<Program, 'holder' | 'requireCertificateCheck'>;

/** Finds out where the log is kept and opens it, each once per command. */
export class LogKeeper {
  readonly #host: LogHost;
  readonly #findPlace: () => Promise<LogPlace>;
  #place: LogPlace | null = null;
  #fileStore: LogStore | null = null;
  #postgresStore: PostgresStore | null = null;
  /** Whether the store was unavailable when it was last used. */
  isStoreAway = false;
  /** The newest record of this process in the store. */
  #newest: Confirmed | null = null;
  #rememberedMs = Number.NEGATIVE_INFINITY;

  /** `findPlace` is called when the place is first needed. */
  constructor(host: LogHost, findPlace: () => Promise<LogPlace>) {
    this.#host = host;
    this.#findPlace = findPlace;
  }

  /**
   * Returns where the log is kept. Throws `SrqError('usage')` or `SrqError('settings')` if flags or settings are
   * invalid.
   */
  async place(): Promise<LogPlace> {
    this.#place ??= await this.#findPlace();
    return this.#place;
  }

  /** Returns the log in use, for reading and sending. Nothing is opened yet. */
  async store(): Promise<LogStore> {
    const place = await this.place();
    if (place.kind === 'store') return this.postgresStore();
    const { openFileStore } = await import('../store/file/file-store.ts');
    const { clock, run, uid, holder } = this.#host;
    const { path, isGiven } = place;
    this.#fileStore ??= openFileStore({ path, clock, run, holder, user: { uid, isInStateFolder: !isGiven } });
    return this.#fileStore;
  }

  /** Returns the store in use. Throws `SrqError('usage')` if the log is kept in a file. */
  async postgresStore(): Promise<PostgresStore> {
    const place = await this.place();
    if (place.kind === 'file') {
      const hint = 'Name it: --store postgres://USER@HOST:5432/DATABASE (or SRQ_STORE, or srq login --store URL)';
      throw new SrqError('store.missing', 'This command needs a store in PostgreSQL.', hint);
    }
    this.#postgresStore ??= await this.#openPostgres(place);
    return this.#postgresStore;
  }

  /**
   * Opens the log for sending. With `exclusive`, for bulk runs, only one process at a time can hold a log that is a
   * file.
   */
  async open(command: string, exclusive: boolean): Promise<OpenLog> {
    await this.requireKnown();
    const log = await (await this.store()).open(command, exclusive);
    this.#host.onClose(() => log.close());
    return log;
  }

  /** Notes where this run sends to, for those who later look for what was sent to another service. */
  async noteService(baseUrl: string): Promise<void> {
    const notes = (await this.store()).openNotes(this.#host.run);
    notes.note({ event: 'to', service: new URL(baseUrl).host });
    await notes.flush();
  }

  /**
   * Throws `SrqError('usage')` or `SrqError('log')` if the log does not know what the profile has sent, so that it would
   * be sent again. With `freshStore` a store may begin without it, and that is remembered.
   */
  async requireKnown(): Promise<void> {
    // Another store may have to be accepted, and then a log in a file that it does not know.
    for (const _ of ['store', 'file']) {
      const unknown = await this.unknown();
      if (unknown === null) return;
      const { reason, message, hint, accept, hold } = unknown;
      await hold?.();
      if (!this.#host.freshStore || accept === null) throw new SrqError(reason, `${message} Nothing was sent.`, hint);
      await accept();
    }
  }

  /** Returns why `requireKnown` would throw, or null. */
  async unknown(): Promise<UnknownLog | null> {
    const place = await this.place();
    return (await this.#unknownStore(place)) ?? (await this.#unknownFileLog(place));
  }

  /** Forgets which records the store had, because a person has said that it may go on without those that it lacks. */
  async acceptStore(): Promise<void> {
    const place = await this.place();
    if (place.kind === 'file') return;
    const memory = memoryBeside(place.file);
    const known = remembered(memory);
    // Another store is not accepted by that.
    const identity = await (await this.postgresStore()).identity();
    if (known === null || identity?.store !== known.store) return;
    remember(memory, { ...known, newest: null, epoch: identity.epoch });
  }

  /** The profile has sent through a store, and this is not it, or it has not all that was sent. */
  async #unknownStore(place: LogPlace): Promise<UnknownLog | null> {
    if (place.kind === 'file' && place.isGiven) return null;
    const memory = memoryBeside(place.kind === 'file' ? place.path : place.file);
    const known = remembered(memory);
    if (known === null) return null;
    const sent = `This profile has sent through the store ${known.name}`;
    if (place.kind === 'file') {
      const message = `${sent}, and the log ${place.path} does not know what that was.`;
      const hint =
        'Name the store again: --store URL (or SRQ_STORE)    To leave it: srq store export --output FILE, then --log FILE';
      return { reason: 'store.other', message, hint, accept: null };
    }
    const store = await this.postgresStore();
    const identity = await store.identity();
    if (identity?.store !== known.store) {
      const message = `${sent}. The store ${place.name} is another one, and does not know what that was.`;
      const hint = 'Name the store that it sent through, or begin with this one, once: --fresh-store';
      return { reason: 'store.other', message, hint, accept: async () => ownFile(memory, ANY_OWNER).remove() };
    }
    const isOlder = identity.epoch < known.epoch;
    if (!isOlder && (known.newest === null || (await store.has(known.newest)))) return null;
    const message = `The store ${place.name} lacks requests that this machine has recorded there. It may be an older state, such as a backup.`;
    const hint = 'Look up at the service what was created last. Then: srq store resume';
    return { reason: 'store.behind', message, hint, accept: null, hold: () => store.hold(known.epoch) };
  }

  /** The profile has a log in a file that the store in use does not know. */
  async #unknownFileLog(place: LogPlace): Promise<UnknownLog | null> {
    if (place.kind === 'file' || !mayHaveRecords(place.file)) return null;
    const { fileLogOf } = await import('../store/file/file-store.ts');
    const found = await fileLogOf(place.file);
    const store = await this.postgresStore();
    if (found === null || (await store.knowsFileLog(found))) return null;
    const message = `The store ${place.name} lacks requests that were sent according to the log ${place.file}, so the same rows would be sent again.`;
    const hint = `Take them over: srq store import ${shellWord(place.file)}    Or use the store without them, once: --fresh-store`;
    const accept = () => store.noteFileLog(found);
    return { reason: 'store.log-unknown', message, hint, accept };
  }

  /** Writes down which store the profile sends through, and the newest record that this machine knows to be there. */
  #remember({ file, name }: Extract<LogPlace, { kind: 'store' }>): void {
    if (this.#newest === null) return;
    const { store, epoch, key, id, run } = this.#newest;
    const memory = memoryBeside(file);
    const known = remembered(memory);
    // Another process of the profile may have recorded more.
    if (known?.store === store && known.newest !== null && known.newest.id >= id) return;
    remember(memory, { store, name, newest: { key, id, run }, epoch });
  }

  async #openPostgres(place: Extract<LogPlace, { kind: 'store' }>): Promise<PostgresStore> {
    const { url, name, isEncrypted, password } = place;
    const { clock, run, halt, holder } = this.#host;
    if (isEncrypted) this.#host.requireCertificateCheck(' in the URL of the store: ?sslrootcert=FILE');
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
    const away = (message: string | null) => {
      if (message === null && !this.isStoreAway) return;
      this.isStoreAway = message !== null;
      void this.#host.warn(
        message === null ? `The store ${name} is back.` : `${message} Nothing is sent until it is back.`,
      );
    };
    const warn = (message: string) => void this.#host.warn(message);
    const confirmed = (newest: Confirmed) => {
      this.#newest = newest;
      const nowMs = clock.monotonicMs();
      if (nowMs - this.#rememberedMs < MARK_MS) return;
      this.#rememberedMs = nowMs;
      this.#remember(place);
    };
    const stopping = halt.signal;
    const store = openPostgresStore({ url, password, clock, run, holder, stopping, away, warn, confirmed });
    // The log is closed before the store.
    this.#host.onClose(async () => {
      this.#remember(place);
      await store.close();
    });
    return store;
  }
}

/** Returns true unless it is certain that the log has no records. Why it cannot be read, its reader tells. */
function mayHaveRecords(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch (error) {
    return systemCode(error) !== 'ENOTDIR';
  }
}

/** What a profile remembers of the store that it sends through. */
interface StoreMark {
  /** Identifies the store. A copy or an older state of it has the same. */
  readonly store: string;
  /** The store's address without a password, for people. */
  readonly name: string;
  /** A record in the store. Its run is missing where an earlier srq has remembered it. */
  readonly newest: (Pick<Confirmed, 'key' | 'id'> & Partial<Pick<Confirmed, 'run'>>) | null;
  /** The highest epoch in which it was used. */
  readonly epoch: number;
}

/**
 * Returns the path of the file in which a profile remembers the store that it has sent through: which store it was, and the
 * newest record that this machine has had confirmed. Without it, a run that is pointed at a file or at another store, or at
 * a backup of the same one, would send everything again. `log` is the path of the log that the profile would have in a file.
 */
const memoryBeside = (log: string): string => `${log.replace(/\.ndjson$/, '')}.store.json`;

/** What a memory that cannot be read says at least: that there was a store. */
const SOME_STORE: StoreMark = { store: '', name: 'that it used before', newest: null, epoch: 0 };

function remembered(memory: string): StoreMark | null {
  if (!existsSync(memory)) return null;
  const parse = (kept: unknown): StoreMark | null => {
    const { store, name, newest = null, epoch = 0 } = kept as Partial<StoreMark>;
    return typeof store === 'string' && typeof name === 'string' ? { store, name, newest, epoch } : null;
  };
  return ownFile(memory, ANY_OWNER).json({ parse }) ?? SOME_STORE;
}

function remember(memory: string, mark: StoreMark): void {
  ownFile(memory, ANY_OWNER).replace(`${JSON.stringify(mark)}\n`, true);
}
