import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SrqError } from '../request/errors.ts';
import type { LogStore, OpenLog } from '../request/log-store.ts';
import type { Clock } from '../request/ports.ts';
import type { ProfileStore } from '../settings/profile-store.ts';
import { requireCertificateCheck, runSecretCommand, type Sourced } from '../settings/settings.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';
import type { TellingContext } from './command.ts';
import type { Interruption } from './interruption.ts';

/** The parts of the context that the log keeper needs. */
interface LogContext extends TellingContext {
  readonly clock: Clock;
  readonly run: string;
  readonly uid: number | null;
  readonly interruption: Interruption;
  profileName(): Promise<Sourced<string>>;
  profiles(): Promise<ProfileStore>;
  hide(secret: string): void;
  onClose(closer: () => Promise<void>): void;
}

/** Where the log is kept: in a file of this machine, or in a store that several machines share. */
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
      /** Reads the password. Null if none is known, except what `.pgpass` may contain. */
      readonly password: (() => Promise<string>) | null;
      /** The file in which the log would be kept without the store. */
      readonly file: string;
    };

/** Finds out where the log is kept and opens it. Each is done once per command. */
export class LogKeeper {
  readonly #context: LogContext;
  readonly #stateFolder: () => string;
  #place: LogPlace | null = null;
  #fileStore: LogStore | null = null;
  #postgresStore: PostgresStore | null = null;
  #isStoreAway = false;

  /** `stateFolder` returns the folder for a log that no flag names. */
  constructor(context: LogContext, stateFolder: () => string) {
    this.#context = context;
    this.#stateFolder = stateFolder;
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
    if (!this.#place) {
      const name = this.#context.options.sandbox ? 'sandbox' : (await this.#context.profileName()).value;
      this.#place = await logPlace(this.#context, join(this.#stateFolder(), `${name}.ndjson`));
    }
    return this.#place;
  }

  /** Returns the log in use, for reading and sending. Nothing is opened yet. */
  async store(): Promise<LogStore> {
    const place = await this.place();
    if (place.kind === 'store') return this.postgresStore();
    const { openFileStore } = await import('../store/file/file-store.ts');
    const holder = (command: string) => this.#holder(command);
    const { clock, run, uid } = this.#context;
    const { path, isGiven } = place;
    this.#fileStore ??= openFileStore({ path, clock, run, holder, user: { uid, isInStateFolder: !isGiven } });
    return this.#fileStore;
  }

  /** Returns the store in use. Throws `SrqError('usage')` if the log is kept in a file. */
  async postgresStore(): Promise<PostgresStore> {
    const place = await this.place();
    if (place.kind === 'file') {
      const hint = 'Name it: --store postgres://USER@HOST:5432/DATABASE (or SRQ_STORE, or srq login --store URL)';
      throw new SrqError('usage', 'This command needs a store in PostgreSQL.', hint);
    }
    this.#postgresStore ??= await this.#openPostgres(place);
    return this.#postgresStore;
  }

  /**
   * Opens the log for sending. With `exclusive`, for bulk runs, only one process at a time can hold a log that is a
   * file.
   */
  async open(command: string, exclusive: boolean): Promise<OpenLog> {
    const log = await (await this.store()).open(command, exclusive);
    this.#context.onClose(() => log.close());
    await this.warnOfFileLog();
    return log;
  }

  /**
   * Warns if the store is empty but the profile has a log file, because the store does not know what was sent before.
   */
  async warnOfFileLog(): Promise<void> {
    const place = await this.place();
    if (place.kind === 'file' || !statSync(place.file, { throwIfNoEntry: false })?.size) return;
    if (await (await this.postgresStore()).hasRecords()) return;
    (await this.#context.reporter()).warn(
      `The store ${place.name} is new: it does not know what the log ${place.file} says was sent, so the same rows would be sent again.`,
    );
  }

  /** Describes this process to others that find the log in use. */
  #holder(command: string): string {
    const { clock, process } = this.#context;
    const since = new Date(clock.nowMs()).toISOString();
    return `srq ${command}, process ${process.pid} on ${hostname()}, since ${since}`;
  }

  async #openPostgres(place: Extract<LogPlace, { kind: 'store' }>): Promise<PostgresStore> {
    const { url, name, isEncrypted, password } = place;
    const { process, clock, run, interruption } = this.#context;
    if (isEncrypted) requireCertificateCheck(process.env, ' in the URL of the store: ?sslrootcert=FILE');
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
    const holder = (command: string) => this.#holder(command);
    const reporter = await this.#context.reporter();
    // Every operation that waits for the store reports it, but the user is told once.
    const away = (message: string | null) => {
      if (this.#isStoreAway === (message !== null)) return;
      this.#isStoreAway = message !== null;
      reporter.warn(message === null ? `The store ${name} is back.` : `${message} Nothing is sent until it is back.`);
    };
    const stopping = interruption.halt.signal;
    const warn = (message: string) => reporter.warn(message);
    const store = openPostgresStore({ url, password, clock, run, holder, stopping, away, warn });
    this.#context.onClose(() => store.close());
    return store;
  }
}

/**
 * Determines where the log is kept. Flags come before the environment, and that before the profile; with --sandbox only
 * flags count. `file` is the default path. Throws `SrqError('usage')` if flags contradict each other or contain a
 * password.
 */
async function logPlace(context: LogContext, file: string): Promise<LogPlace> {
  const { log, store, sandbox } = context.options;
  if (log !== undefined && store !== undefined) throw new SrqError('usage', 'Choose either --log or --store.');
  if (log !== undefined) return { kind: 'file', path: log, isGiven: true };
  const { env } = context.process;
  const profile = sandbox ? null : await storedProfile(context);
  const url = store ?? (sandbox ? undefined : env['SRQ_STORE'] || profile?.store);
  if (url === undefined) return { kind: 'file', path: file, isGiven: false };
  const { storeAddress } = await import('../store/postgres/store-url.ts');
  const { shown, password, config } = storeAddress(url);
  if (password !== null) context.hide(password);
  if (password !== null && url === store) throw passwordInArguments('--store', shown);
  const command = url === profile?.store ? profile.storePasswordCommand : undefined;
  const fromEnv = env['PGPASSWORD'];
  const byCommand = command === undefined ? null : () => runSecretCommand(command);
  const isEncrypted = config.ssl !== false;
  return { kind: 'store', url, name: shown, isEncrypted, password: fromEnv ? async () => fromEnv : byCommand, file };
}

/**
 * Refuses a password in a flag, because every user of a machine can read the arguments of its processes. `shown` is the
 * URL without the password.
 */
function passwordInArguments(flag: string, shown: string): SrqError {
  return new SrqError(
    'usage',
    `Every user of this machine can see a password in ${flag}, and it stays in the shell's history.`,
    `Set PGPASSWORD or write it to ~/.pgpass, and leave it out: ${flag} '${shown}'`,
  );
}

async function storedProfile(context: LogContext) {
  const { value } = await context.profileName();
  return (await context.profiles()).get(value);
}
