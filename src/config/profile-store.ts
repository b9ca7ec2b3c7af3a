import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SrqError, systemCode } from '../model/errors.ts';

const profileSchema = z.looseObject({
  baseUrl: z.string(),
  clientId: z.string(),
  clientSecret: z.string().optional(),
  /** A command that prints the secret, in place of the secret. */
  secretCommand: z.string().optional(),
  encoding: z.enum(['form', 'json']).optional(),
  /** Whether this is a test service. Loopback always is one; every other profile is live. */
  test: z.boolean().optional(),
});

const settingsSchema = z.looseObject({
  current: z.string().optional(),
  profiles: z.record(z.string(), profileSchema).optional(),
});

export type Profile = z.infer<typeof profileSchema>;

/** Profiles in `config.json`, mode 0600, in a directory of mode 0700. */
export class ProfileStore {
  readonly path: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'config.json');
  }

  get(name: string): Profile | null {
    return this.#read().profiles?.[name] ?? null;
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

  /** False if there was no such profile. */
  async remove(name: string): Promise<boolean> {
    const { profiles = {}, ...settings } = this.#read();
    if (!Object.hasOwn(profiles, name)) return false;
    const kept = Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name));
    await this.#write({ ...settings, profiles: kept });
    return true;
  }

  /** Reads without leaving a trace: a machine where all comes from the environment need not have the directory. */
  #read(): z.infer<typeof settingsSchema> {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return {};
      throw this.#broken(systemCode(error) || String(error), error);
    }
    const parsed = settingsSchema.safeParse(this.#parse(text));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw this.#broken(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'not as expected'}`.trim(), parsed.error);
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
      // Both may exist from before with wider modes.
      chmodSync(this.#directory, 0o700);
      const options = { cwd: this.#directory, projectName: 'srq', projectSuffix: '', configFileMode: 0o600 };
      new Conf<z.infer<typeof settingsSchema>>(options).store = settings;
      chmodSync(this.path, 0o600);
    } catch (error) {
      const why = systemCode(error) || String(error);
      throw new SrqError('settings', `The settings file ${this.path} cannot be written (${why}).`, null, error);
    }
  }

  #broken(why: string, cause: unknown): SrqError {
    const hint = 'Repair the file, or move it away and log in again: srq login';
    return new SrqError('settings', `The settings file ${this.path} cannot be used (${why}).`, hint, cause);
  }
}
