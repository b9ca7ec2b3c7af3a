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

/** What the log's keeper needs of the context. */
interface Surroundings extends TellingContext {
  readonly clock: Clock;
  readonly run: string;
  readonly uid: number | null;
  readonly interruption: Interruption;
  profileName(): Promise<Sourced<string>>;
  profiles(): Promise<ProfileStore>;
  hide(secret: string): void;
  onClose(closer: () => Promise<void>): void;
}

/** Where the log is kept: a file of this machine's, or a store that several machines share. */
export type LogPlace =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** By --log; else it lies in srq's own folder. */
      readonly isGiven: boolean;
    }
  | {
      readonly kind: 'store';
      readonly url: string;
      /** As it may be shown. */
      readonly name: string;
      readonly isEncrypted: boolean;
      /** Null: none is known but what `.pgpass` may hold. */
      readonly password: (() => Promise<string>) | null;
      /** Where the log would be without the store. */
      readonly file: string;
    };

/** The keeper finds out where the log is kept and opens it, each once a command. */
export class LogKeeper {
  readonly #context: Surroundings;
  readonly #stateFolder: () => string;
  #place: LogPlace | null = null;
  #fileStore: LogStore | null = null;
  #postgresStore: PostgresStore | null = null;
  #isStoreAway = false;

  /** `stateFolder`: where a log lies that nobody has named. */
  constructor(context: Surroundings, stateFolder: () => string) {
    this.#context = context;
    this.#stateFolder = stateFolder;
  }

  /** Whether the store was away when it was needed last. */
  get isStoreAway(): boolean {
    return this.#isStoreAway;
  }

  /** Where the log is kept. Throws `SrqError('usage')` or `'settings'` for flags and settings that name no such place. */
  async place(): Promise<LogPlace> {
    if (!this.#place) {
      const name = this.#context.options.sandbox ? 'sandbox' : (await this.#context.profileName()).value;
      this.#place = await logPlace(this.#context, join(this.#stateFolder(), `${name}.ndjson`));
    }
    return this.#place;
  }

  /** The log in force, for reading and sending. Nothing is opened yet. */
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

  /** The store in force. Throws `SrqError('usage')` where the log is kept in a file. */
  async postgresStore(): Promise<PostgresStore> {
    const place = await this.place();
    if (place.kind === 'file') {
      const hint = 'Name it: --store postgres://USER@HOST:5432/DATABASE (or SRQ_STORE, or srq login --store URL)';
      throw new SrqError('usage', 'This needs a store in PostgreSQL.', hint);
    }
    this.#postgresStore ??= await this.#openPostgres(place);
    return this.#postgresStore;
  }

  /** The log, for sending. `exclusive`: a bulk run, of which a log in a file has one at a time. */
  async open(command: string, exclusive: boolean): Promise<OpenLog> {
    const log = await (await this.store()).open(command, exclusive);
    this.#context.onClose(() => log.close());
    await this.warnOfFileLog();
    return log;
  }

  /** A store that has just begun does not know what the profile's log in a file has as sent. */
  async warnOfFileLog(): Promise<void> {
    const place = await this.place();
    if (place.kind === 'file' || !statSync(place.file, { throwIfNoEntry: false })?.size) return;
    if (await (await this.postgresStore()).hasRecords()) return;
    (await this.#context.reporter()).warn(
      `The store ${place.name} is new: what was sent by the log ${place.file} is not known to it, and the same rows would be sent again.`,
    );
  }

  /** Names this process while it runs the command, for whoever finds the log in use. */
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
    // Everything that waits for the store tells; it is said once.
    const away = (message: string | null) => {
      if (this.#isStoreAway === (message !== null)) return;
      this.#isStoreAway = message !== null;
      reporter.warn(message === null ? `The store ${name} is back.` : `${message} Nothing is sent before it is back.`);
    };
    const stopping = interruption.halt.signal;
    const store = openPostgresStore({ url, password, clock, run, holder, stopping, away });
    this.#context.onClose(() => store.close());
    return store;
  }
}

/**
 * Flag before environment before profile; under --sandbox only flags count. `file`: the path in use where nothing else was
 * said. Throws `SrqError('usage')` for flags that contradict each other, or a password among them.
 */
async function logPlace(context: Surroundings, file: string): Promise<LogPlace> {
  const { log, store, sandbox } = context.options;
  if (log !== undefined && store !== undefined) throw new SrqError('usage', 'Choose one of --log and --store.');
  if (log !== undefined) return { kind: 'file', path: log, isGiven: true };
  const { env } = context.process;
  const profile = sandbox ? null : await storedProfile(context);
  const url = store ?? (sandbox ? undefined : env['SRQ_STORE'] || profile?.store);
  if (url === undefined) return { kind: 'file', path: file, isGiven: false };
  const { storeAddress } = await import('../store/postgres/store-url.ts');
  const { shown, password, config } = storeAddress(url);
  if (password !== null) context.hide(password);
  if (password !== null && url === store) throw passwordInSight('--store', shown);
  const command = url === profile?.store ? profile.storePasswordCommand : undefined;
  const fromEnv = env['PGPASSWORD'];
  const byCommand = command === undefined ? null : () => runSecretCommand(command);
  const isEncrypted = config.ssl !== false;
  return { kind: 'store', url, name: shown, isEncrypted, password: fromEnv ? async () => fromEnv : byCommand, file };
}

/** Every user of a machine can read its processes' arguments. `shown`: the URL without the password. */
function passwordInSight(flag: string, shown: string): SrqError {
  return new SrqError(
    'usage',
    `A password in ${flag} is open to every user of this machine, and stays in the shell's history.`,
    `Set PGPASSWORD or write it to ~/.pgpass, and leave it out: ${flag} '${shown}'`,
  );
}

async function storedProfile(context: Surroundings) {
  const { value } = await context.profileName();
  return (await context.profiles()).get(value);
}
