import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogPlace, Program } from '../account/program.ts';
import { printableLines } from '../report/output.ts';
import { makeReporter, type Reporter } from '../report/terminal/reporter.ts';
import { type Contract, contractAt, forRehearsal } from '../request/contract/contract.ts';
import { documentedContract } from '../request/contract/public-api.ts';
import { type Failure, failureOf, SrqError, systemCode } from '../request/words/errors.ts';
import type { MappingStore } from '../settings/mapping-store.ts';
import { directories, profileNamed, type StateFiles, settingsFiles, stateFiles } from '../settings/paths.ts';
import type { ProfileStore } from '../settings/profile-store.ts';
import { resolveSettings, type Settings, type Sourced } from '../settings/settings.ts';
import type { WrittenFiles } from '../settings/written-files.ts';
import { withProfileFlags } from './command-line.ts';
import { Interruption } from './interruption.ts';
import type { GlobalOptions } from './table/options.ts';

/**
 * The dependencies of a command. One context is built per command, and parts that take time or read a file are loaded
 * on first use.
 */
export class Context extends Program {
  readonly process: NodeJS.Process;
  readonly options: GlobalOptions;
  readonly version: string;
  readonly interruption: Interruption;
  readonly reporter: Reporter;
  /** What of this command has which file: the log, and each output. */
  readonly outputs = new Map<string, object>();
  /**
   * The base URL of a login, which sets it before the settings are needed. Those of the environment and of the profile need
   * not be usable then, because the login replaces them.
   */
  newBaseUrl: string | null = null;
  #settings: Promise<Settings> | null = null;
  #learned: Promise<Contract | null> | null = null;
  #state: string | null = null;
  readonly #secrets: string[] = [];

  constructor(process: NodeJS.Process, options: GlobalOptions, version: string) {
    super(process);
    this.process = process;
    this.options = options;
    this.version = version;
    this.interruption = new Interruption(process);
    this.reporter = makeReporter(process, options, this.clock.monotonicMs);
  }

  /**
   * Tells whether the user can be asked. Stdin and stderr must be terminals, and neither `--no-input` nor CI may be
   * set.
   */
  get interactive(): boolean {
    const { stdin, stderr, env } = this.process;
    return Boolean(stdin.isTTY && stderr.isTTY && this.options.input !== false && !env['CI']);
  }

  /** Whether the store may begin without what the log in the profile's file has. */
  get freshStore(): boolean {
    return this.options.freshStore === true;
  }

  /** Aborted by the first signal, or by the command itself. Nothing more is sent then. */
  get halt(): AbortController {
    return this.interruption.halt;
  }

  protected named(command: string): string {
    return `srq ${command}`;
  }

  async warn(message: string): Promise<void> {
    this.reporter.warn(message);
  }

  /**
   * Opens the record of the files that srq has written for the user with this profile. The results of another account are
   * not replaced, and a rehearsal with --sandbox replaces only what rehearsals wrote.
   */
  async writtenFiles(): Promise<WrittenFiles> {
    const name = this.options.sandbox ? 'written-in-sandbox' : join('written', (await this.profileName()).value);
    const { writtenFiles } = await import('../settings/written-files.ts');
    return writtenFiles(join(this.#directories().state, name), await this.trust());
  }

  async profiles(): Promise<ProfileStore> {
    const { profileStore } = await import('../settings/profile-store.ts');
    return profileStore(this.#directories().config, this.uid);
  }

  /** Returns the name of the profile in use: from the flag, the environment, or the settings. */
  async profileName(): Promise<Sourced<string>> {
    const { profile } = this.options;
    if (profile !== undefined) return { value: profileNamed(profile), source: 'flag' };
    const fromEnv = this.process.env['SRQ_PROFILE'];
    if (fromEnv) return { value: profileNamed(fromEnv), source: 'env' };
    return { value: profileNamed((await this.profiles()).current()), source: 'profile' };
  }

  settings(): Promise<Settings> {
    this.#settings ??= this.options.sandbox ? this.#ofSandbox() : this.#userSettings();
    return this.#settings;
  }

  /** Opens the contract of the profile in use. With --sandbox, the sandbox behaves as this contract says. */
  async contracts() {
    const { contractStore } = await import('../settings/contract-store.ts');
    const { value } = await this.profileName();
    return contractStore(value, settingsFiles((await this.paths()).config, value).contract, this.uid);
  }

  /**
   * Opens the mappings that were confirmed under the profile in use. A rehearsal with --sandbox uses them, too, so that
   * what is confirmed there applies to the run. It needs no settings, so it gets null if they name no profile.
   */
  async mappings(): Promise<MappingStore | null> {
    const { mappingStore } = await import('../settings/mapping-store.ts');
    const value = await this.#ownProfile();
    if (value === null) return null;
    return mappingStore(settingsFiles((await this.paths()).config, value).mappings, await this.trust());
  }

  /**
   * Returns the contract as used under the base URL `at`, or else under the base URL of the settings. Throws
   * `SrqError('settings')` if the contract cannot be used.
   */
  async contract(at?: string): Promise<Contract> {
    const learned = await this.#learnedContract();
    const { baseUrl, encoding } = await this.settings();
    const place = at ?? baseUrl?.value;
    if (!learned) return documentedContract(encoding);
    const agreed = this.options.sandbox ? forRehearsal(learned) : learned;
    return place === undefined ? agreed : contractAt(agreed, place);
  }

  /**
   * Returns the places of srq's files. The log may be the URL of a store without its password. Throws like `log.place` if no
   * log can be kept where the user says.
   */
  async paths() {
    const place = await this.log.place();
    const log = place.kind === 'file' ? place.path : place.name;
    return { config: join(this.#directories().config, 'config.json'), state: this.#stateDirectory(), log };
  }

  async stateFiles(): Promise<StateFiles> {
    return stateFiles(this.#stateDirectory(), (await this.settings()).profile.value);
  }

  /** Returns the place of the log, or null for the log of a rehearsal, which ends with the command. */
  async lastingLog(): Promise<string | null> {
    const { sandbox, log, store } = this.options;
    return sandbox && (log ?? store) === undefined ? null : (await this.paths()).log;
  }

  protected async findLog(): Promise<LogPlace> {
    const { logPlace } = await import('./log-place.ts');
    return logPlace(this, this.#stateDirectory());
  }

  /** Adds the flags that chose profile and log to the commands that a text suggests. */
  withProfile(text: string): string {
    return withProfileFlags(text, this.options);
  }

  /** Returns an error as it is told, with a hint that can be pasted. */
  failureOf(error: SrqError): Failure {
    return failureOf(error, (hint) => this.withProfile(hint));
  }

  /** Warns about an error that does not end the command. */
  warnOf({ message, hint }: { readonly message: string; readonly hint: string | null }): void {
    this.reporter.warn(`${message} ${this.withProfile(hint ?? '')}`.trim());
  }

  /** Removes this text, also in its encoded forms, from error reports from now on. */
  addSecret(secret: string): void {
    this.#secrets.push(secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64'));
  }

  /** Returns the text with everything that was passed to `addSecret` replaced by `***`. */
  redacted(text: string): string {
    return this.#secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '***')), text);
  }

  /** Prints the stack of a fault if --verbose is given. */
  async showStack(error: unknown): Promise<void> {
    if (!this.options.verbose) return;
    this.process.stderr.write(`${printableLines(this.redacted(String((error as Error)?.stack)))}\n`);
  }

  /**
   * Makes a folder for personal data, which only the user can open. It is removed when the command ends, also by a
   * signal. Throws `SrqError('settings')` if no temporary folder can be made.
   */
  temporaryFolder(prefix: string): string {
    let folder: string | null = null;
    const remove = () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    };
    this.interruption.beforeExit(remove);
    try {
      folder = mkdtempSync(join(tmpdir(), prefix));
    } catch (error) {
      throw new SrqError(
        'settings.unwritable',
        `No temporary folder can be created in ${tmpdir()} (${systemCode(error)}). Nothing was sent.`,
        'Name a folder that can be written in TMPDIR (on Windows in TEMP).',
        error,
      );
    }
    this.onClose(async () => remove());
    return folder;
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } finally {
      this.interruption.stop();
    }
  }

  /** Returns the name of the profile in use, or null for a rehearsal whose settings name none, because it needs no settings. */
  async #ownProfile(): Promise<string | null> {
    const name = this.profileName().then(({ value }) => value);
    return this.options.sandbox ? name.catch(() => null) : name;
  }

  #learnedContract(): Promise<Contract | null> {
    this.#learned ??= this.#ownProfile().then(async (name) => (name === null ? null : (await this.contracts()).read()));
    return this.#learned;
  }

  #stateDirectory(): string {
    if (!this.options.sandbox) return this.#directories().state;
    this.#state ??= this.temporaryFolder('srq-sandbox-');
    return this.#state;
  }

  #directories() {
    return directories(this.process.env, this.process.platform);
  }

  async #userSettings(): Promise<Settings> {
    const { env } = this.process;
    const own = this.newBaseUrl === null ? env : { ...env, SRQ_BASE_URL: this.newBaseUrl };
    return resolveSettings(await this.profileName(), (await this.profiles()).all(), own);
  }

  /** Starts a marketplace inside this process, with temporary credentials, state and log. */
  async #ofSandbox(): Promise<Settings> {
    const { startEmbedded } = await import('./rehearsal.ts');
    return startEmbedded(this, await this.#learnedContract(), this.options.keep === true);
  }
}
