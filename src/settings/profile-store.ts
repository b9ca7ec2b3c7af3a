import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { usableBaseUrl } from './base-url.ts';
import { requiredJson } from './own-file.ts';

const profileSchema = z.looseObject({
  baseUrl: z.string(),
  clientId: z.string(),
  clientSecret: z.optional(z.string()),
  /** A command that prints the secret, given instead of the secret. */
  secretCommand: z.optional(z.string()),
  encoding: z.optional(z.enum(['form', 'json'])),
  /** URL, without a password, of a PostgreSQL store that replaces the log file. */
  store: z.optional(z.string()),
  /**
   * True for a test service. A loopback address is always a test service. Every other profile without this mark is
   * live.
   */
  test: z.optional(z.boolean()),
});

const settingsSchema = z.looseObject({
  current: z.optional(z.string()),
  profiles: z.optional(z.record(z.string(), profileSchema)),
});

export type Profile = z.infer<typeof profileSchema>;
type Stored = z.infer<typeof settingsSchema>;
export type ProfileStore = ReturnType<typeof profileStore>;

/** Returns the settings of a profile that do not say which account it is for, nor what proves it. */
export function withoutAccount(profile: Profile): Partial<Profile> {
  const { baseUrl: _url, clientId: _id, clientSecret: _secret, secretCommand: _command, ...others } = profile;
  return others;
}

/**
 * Stores the profiles in `config.json` (mode 0600). Methods throw `SrqError('settings')` if the file cannot be used, if others
 * can read or write it, or if it belongs to another user. `uid` is the numeric user id, or null where files have no owners
 * and modes (Windows).
 */
export function profileStore(directory: string, uid: number | null) {
  const path = join(directory, 'config.json');

  /**
   * Reads the settings without creating anything, because a machine that has all settings in the environment needs no
   * directory. They may hold a secret or name a command.
   */
  function read(): Stored {
    const what = `The settings file ${path}`;
    const hint = 'Repair the file, or move it away and log in again: srq login';
    const exposed =
      'Others may have read or changed it. Name a folder of your own in SRQ_CONFIG_DIR, and log in: srq login';
    const kept = requiredJson(path, uid, { what, reason: 'settings.unusable', hint, exposed });
    const parsed = settingsSchema.safeParse(kept === undefined ? {} : kept, { error: en().localeError });
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const why = `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'not as expected'}`.trim();
    throw new SrqError('settings.unusable', `${what} cannot be used (${why}).`, hint, parsed.error);
  }

  /** Reads the settings, changes them and writes them at once, because another login may be changing them as well. */
  async function write(change: (settings: Stored) => Stored): Promise<void> {
    // The library is loaded only here, so that only commands that change settings pay for it.
    const { default: Conf } = await import('conf');
    const settings = change(read());
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const options = { cwd: directory, projectName: 'srq', projectSuffix: '', configFileMode: 0o600 };
      new Conf<Stored>(options).store = settings;
      chmodSync(path, 0o600);
    } catch (error) {
      const why = systemCode(error) || String(error);
      throw new SrqError('settings.unwritable', `The settings file ${path} cannot be written (${why}).`, null, error);
    }
  }

  /** Returns all profiles by name, with their base URLs in canonical spelling unless one cannot be used. */
  function all(): Readonly<Record<string, Profile>> {
    // Secrets and tokens are found by the base URL as text, and a person who edits the settings may write it in another way.
    const stored = Object.entries(read().profiles ?? {}).map(([name, profile]) => {
      return [name, { ...profile, baseUrl: usableBaseUrl(profile.baseUrl) ?? profile.baseUrl }] as const;
    });
    return Object.fromEntries(stored);
  }

  function get(name: string): Profile | null {
    const profiles = all();
    return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
  }

  return {
    path,
    all,
    get,
    /** Returns the name of the profile that is used when none is named. */
    current: (): string => read().current ?? 'default',
    /**
     * Stores a profile. It becomes the current one only if it is the only one. Otherwise commands that name no profile, as
     * in cron jobs, would suddenly send to another service.
     */
    set: (name: string, profile: Profile): Promise<void> =>
      write(({ current, ...settings }) => {
        const profiles = { ...settings.profiles, [name]: profile };
        const next = Object.keys(profiles).length === 1 ? name : current;
        return { ...settings, ...(next === undefined ? {} : { current: next }), profiles };
      }),
    /** Makes a stored profile the current one. */
    use: (name: string): Promise<void> => write((settings) => ({ ...settings, current: name })),
    /** Removes a profile and returns it, or returns null if there is none. */
    async remove(name: string): Promise<Profile | null> {
      const removed = get(name);
      if (removed === null) return null;
      await write(({ profiles = {}, current, ...settings }) => {
        const { [name]: _, ...kept } = profiles;
        const stillCurrent = current === undefined || current === name ? {} : { current };
        return { ...settings, ...stillCurrent, profiles: kept };
      });
      return removed;
    },
  };
}
