import { existsSync, statSync } from 'node:fs';
import type { LogStore, OpenLog } from '../request/log/log-store.ts';
import { SrqError, shellWord, systemCode } from '../request/words/errors.ts';
import { ANY_OWNER, OwnFile } from '../settings/own-file.ts';
import type { Confirmed } from '../store/postgres/postgres-log.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';
import type { LogHost, LogPlace } from './host.ts';

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
    await this.requireKnown();
    const log = await (await this.store()).open(command, exclusive);
    this.#host.onClose(() => log.close());
    return log;
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
      return { reason: 'store.other', message, hint, accept: async () => new OwnFile(memory, ANY_OWNER).remove() };
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
    const { store, epoch, key, id } = this.#newest;
    const memory = memoryBeside(file);
    const known = remembered(memory);
    // Another process of the profile may have recorded more.
    if (known?.store === store && known.newest !== null && known.newest.id >= id) return;
    remember(memory, { store, name, newest: { key, id }, epoch });
  }

  async #openPostgres(place: Extract<LogPlace, { kind: 'store' }>): Promise<PostgresStore> {
    const { url, name, isEncrypted, password } = place;
    const { clock, run, halt } = this.#host;
    if (isEncrypted) this.#host.requireCertificateCheck(' in the URL of the store: ?sslrootcert=FILE');
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
    const holder = (command: string) => this.#host.holder(command);
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
  /** A record in the store: the key of its request, and its number. */
  readonly newest: Pick<Confirmed, 'key' | 'id'> | null;
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
  return new OwnFile(memory, ANY_OWNER).json({ parse }) ?? SOME_STORE;
}

function remember(memory: string, mark: StoreMark): void {
  new OwnFile(memory, ANY_OWNER).replace(`${JSON.stringify(mark)}\n`, true);
}
