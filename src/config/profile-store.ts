import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { SrqError, systemCode } from '../model/errors.ts';
import { fileFlaw, octal } from '../model/ownership.ts';

const profileSchema = z.looseObject({
  baseUrl: z.string(),
  clientId: z.string(),
  clientSecret: z.optional(z.string()),
  /** A command that prints the secret, in place of the secret. */
  secretCommand: z.optional(z.string()),
  /** The operating system's keychain holds the secret, in place of this file. */
  keychain: z.optional(z.boolean()),
  encoding: z.optional(z.enum(['form', 'json'])),
  /** Absolute paths of PEM files: further authorities to trust, the client's own certificate and its key. */
  caFile: z.optional(z.string()),
  certFile: z.optional(z.string()),
  keyFile: z.optional(z.string()),
  /** URL of a store in PostgreSQL that takes the log's place, without a password; and a command that prints that. */
  store: z.optional(z.string()),
  storePasswordCommand: z.optional(z.string()),
  /** Whether this is a test service. Loopback always is one; every other profile is live. */
  test: z.optional(z.boolean()),
});

const settingsSchema = z.looseObject({
  current: z.optional(z.string()),
  profiles: z.optional(z.record(z.string(), profileSchema)),
});

export type Profile = z.infer<typeof profileSchema>;

/**
 * Profiles in `config.json`, mode 0600, in a directory of mode 0700. A file that others can read or write, or that is not
 * the user's own, is not read: `SrqError('settings')`.
 */
export class ProfileStore {
  readonly path: string;
  readonly #directory: string;
  readonly #uid: number | null;
  /** What a change of the settings also put right, in a sentence. */
  repaired: string | null = null;

  /** `uid`: the user's number; null where files have no owners and modes (Windows). */
  constructor(directory: string, uid: number | null) {
    this.#directory = directory;
    this.#uid = uid;
    this.path = join(directory, 'config.json');
  }

  get(name: string): Profile | null {
    const { profiles = {} } = this.#read();
    return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
  }

  /** All profiles, by name. */
  all(): Readonly<Record<string, Profile>> {
    return this.#read().profiles ?? {};
  }

  /** The profile in use when none is named. */
  current(): string {
    return this.#read().current ?? 'default';
  }

  /** Stores the profile and makes it the one in use. */
  async set(name: string, profile: Profile): Promise<void> {
    const settings = this.#read();
    await this.#write({ ...settings, current: name, profiles: { ...settings.profiles, [name]: profile } });
  }

  /** Makes a stored profile the one in use. */
  async use(name: string): Promise<void> {
    await this.#write({ ...this.#read(), current: name });
  }

  /** The profile that was removed; null if there was none. */
  async remove(name: string): Promise<Profile | null> {
    const { profiles = {}, current, ...settings } = this.#read();
    const removed = this.get(name);
    if (removed === null) return null;
    const kept = Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name));
    const stillCurrent = current === undefined || current === name ? {} : { current };
    await this.#write({ ...settings, ...stillCurrent, profiles: kept });
    return removed;
  }

  /** Reads without leaving a trace: a machine where all comes from the environment need not have the directory. */
  #read(): z.infer<typeof settingsSchema> {
    const text = this.#text();
    if (text === null) return {};
    const parsed = settingsSchema.safeParse(this.#parse(text), { error: en().localeError });
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw this.#broken(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'not as expected'}`.trim(), parsed.error);
  }

  /** Null if there is no such file. */
  #text(): string | null {
    try {
      const file = openSync(this.path, 'r');
      try {
        this.#requireOwn(fstatSync(file));
        return readFileSync(file, 'utf8');
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (error instanceof SrqError) throw error;
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return null;
      throw this.#broken(systemCode(error) || String(error), error);
    }
  }

  /** What others could read may be known to them; what others could write may name a command that is theirs. */
  #requireOwn(access: Stats): void {
    const flaw = fileFlaw(this.path, access, this.#uid, 'readers');
    if (!flaw) return;
    const hint =
      access.uid === this.#uid
        ? `Others may have read or changed it. To use it all the same: ${flaw.remedy}`
        : 'Name a folder of your own in SRQ_CONFIG_DIR, and log in: srq login';
    throw new SrqError('settings', `The settings file ${this.path} ${flaw.why}; it is not used.`, hint);
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.#broken('it is not JSON', error);
    }
  }

  async #write(settings: z.infer<typeof settingsSchema>): Promise<void> {
    // Only commands that change settings pay for loading it.
    const { default: Conf } = await import('conf');
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      this.#closeDirectory();
      const options = { cwd: this.#directory, projectName: 'srq', projectSuffix: '', configFileMode: 0o600 };
      new Conf<z.infer<typeof settingsSchema>>(options).store = settings;
      chmodSync(this.path, 0o600);
    } catch (error) {
      const why = systemCode(error) || String(error);
      throw new SrqError('settings', `The settings file ${this.path} cannot be written (${why}).`, null, error);
    }
  }

  /** It may exist from before with a wider mode. One that all users share (the sticky bit says so) stays as it is. */
  #closeDirectory(): void {
    const { mode } = statSync(this.#directory);
    if ((mode & 0o077) === 0 || (mode & 0o1000) !== 0 || this.#uid === null) return;
    chmodSync(this.#directory, 0o700);
    this.repaired = `${this.#directory} was open to other users (mode ${octal(mode)}); its mode is 0700 now.`;
  }

  #broken(why: string, cause: unknown): SrqError {
    const hint = 'Repair the file, or move it away and log in again: srq login';
    return new SrqError('settings', `The settings file ${this.path} cannot be used (${why}).`, hint, cause);
  }
}
