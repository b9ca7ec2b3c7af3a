import { statSync } from 'node:fs';
import type { LogStore, OpenLog } from '../request/log/log-store.ts';
import { SrqError, shellWord, systemCode } from '../request/words/errors.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';
import type { Host, LogPlace } from './host.ts';

/** What the log needs from the program that uses it. */
export interface LogHost extends Pick<Host, 'clock' | 'run' | 'halt' | 'onClose'> {
  /** Whether the store may begin without what the log in the profile's file has. */
  readonly freshStore: boolean;
  /** The numeric user id, or null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  /** Describes this process to others that find the log in use. `command` says what it does. */
  holder(command: string): string;
  warn(message: string): Promise<void>;
  /**
   * Throws `SrqError('settings')` if the environment turns off Node.js's certificate checks. `authority` says how to
   * name a private certificate authority instead.
   */
  requireCertificateCheck(authority: string): void;
}

/** A log in a file that the store does not know, in words for people. */
interface UnknownFileLog {
  /** Identifies the log: 32 hex digits. */
  readonly log: string;
  /** The key of its newest request. */
  readonly newestKey: string;
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** Finds out where the log is kept and opens it, each once per command. */
export class LogKeeper {
  readonly #host: LogHost;
  readonly #findPlace: () => Promise<LogPlace>;
  #place: LogPlace | null = null;
  #fileStore: LogStore | null = null;
  #postgresStore: PostgresStore | null = null;
  #isStoreAway = false;

  /** `findPlace` is called when the place is first needed. */
  constructor(host: LogHost, findPlace: () => Promise<LogPlace>) {
    this.#host = host;
    this.#findPlace = findPlace;
  }

  /** Tells whether the store was unavailable when it was last used. */
  get isStoreAway(): boolean {
    return this.#isStoreAway;
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
    const holder = (command: string) => this.#host.holder(command);
    const { clock, run, uid } = this.#host;
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
    await this.requireKnownFileLog();
    const log = await (await this.store()).open(command, exclusive);
    this.#host.onClose(() => log.close());
    return log;
  }

  /**
   * Throws `SrqError('usage')` if the profile has a log in a file whose requests the store does not know: they would be
   * sent again. With `freshStore` the store begins without them, and remembers that.
   */
  async requireKnownFileLog(): Promise<void> {
    const unknown = await this.unknownFileLog();
    if (unknown === null) return;
    const { log, newestKey, path, message, hint } = unknown;
    if (!this.#host.freshStore) throw new SrqError('store.log-unknown', `${message} Nothing was sent.`, hint);
    await (await this.postgresStore()).noteFileLog({ log, newestKey, name: path, isImported: false });
  }

  /** Returns the profile's log in a file if the log is kept in a store that does not know it. */
  async unknownFileLog(): Promise<UnknownFileLog | null> {
    const place = await this.place();
    if (place.kind === 'file' || !mayHaveRecords(place.file)) return null;
    const { fileLogOf } = await import('../store/file/file-store.ts');
    const found = await fileLogOf(place.file);
    if (found === null || (await (await this.postgresStore()).knowsFileLog(found))) return null;
    const message = `The store ${place.name} does not know what the log ${place.file} says was sent, so the same rows would be sent again.`;
    const hint = `Take it over: srq store import ${shellWord(place.file)}    Or begin without it, once: --fresh-store`;
    return { ...found, path: place.file, message, hint };
  }

  async #openPostgres(place: Extract<LogPlace, { kind: 'store' }>): Promise<PostgresStore> {
    const { url, name, isEncrypted, password } = place;
    const { clock, run, halt } = this.#host;
    if (isEncrypted) this.#host.requireCertificateCheck(' in the URL of the store: ?sslrootcert=FILE');
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
    const holder = (command: string) => this.#host.holder(command);
    // Every operation that waits for the store reports it, but the user sees the message only once.
    const away = (message: string | null) => {
      if (this.#isStoreAway === (message !== null)) return;
      this.#isStoreAway = message !== null;
      void this.#host.warn(
        message === null ? `The store ${name} is back.` : `${message} Nothing is sent until it is back.`,
      );
    };
    const warn = (message: string) => void this.#host.warn(message);
    const store = openPostgresStore({ url, password, clock, run, holder, stopping: halt.signal, away, warn });
    this.#host.onClose(() => store.close());
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
