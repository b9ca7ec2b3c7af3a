import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
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
  set(name: string, profile: Profile): void {
    const settings = this.#read();
    this.#write({ ...settings, current: name, profiles: { ...settings.profiles, [name]: profile } });
  }

  /** False if there was no such profile. */
  remove(name: string): boolean {
    const { profiles = {}, ...settings } = this.#read();
    if (!Object.hasOwn(profiles, name)) return false;
    const kept = Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name));
    this.#write({ ...settings, profiles: kept });
    return true;
  }

  #read(): z.infer<typeof settingsSchema> {
    const parsed = settingsSchema.safeParse(this.#open().store);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw this.#broken(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as expected'}`, parsed.error);
  }

  #write(settings: z.infer<typeof settingsSchema>): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      // Both may exist from before with wider modes.
      chmodSync(this.#directory, 0o700);
      this.#open().store = settings;
      chmodSync(this.path, 0o600);
    } catch (error) {
      if (error instanceof SrqError) throw error;
      throw new SrqError(
        'settings',
        `The settings file ${this.path} cannot be written (${systemCode(error)}).`,
        null,
        error,
      );
    }
  }

  #open(): Conf<z.infer<typeof settingsSchema>> {
    try {
      return new Conf({ cwd: this.#directory, projectName: 'srq', projectSuffix: '', configFileMode: 0o600 });
    } catch (error) {
      throw this.#broken(error instanceof SyntaxError ? 'it is not JSON' : systemCode(error) || String(error), error);
    }
  }

  #broken(why: string, cause: unknown): SrqError {
    const hint = 'Repair the file, or move it away and log in again: srq login';
    return new SrqError('settings', `The settings file ${this.path} cannot be used (${why}).`, hint, cause);
  }
}
