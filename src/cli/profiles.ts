import { rm } from 'node:fs/promises';
import { isLoopback } from '../request/small.ts';
import { systemCode } from '../request/words/errors.ts';
import { settingsFiles, stateFiles } from '../settings/paths.ts';
import type { Profile } from '../settings/profile-store.ts';
import { notLoggedIn } from '../settings/settings.ts';
import type { Context } from './context.ts';

/** Tells whether a profile leads to a test service or a live one. */
export function profileKind({ baseUrl, test }: Pick<Profile, 'baseUrl' | 'test'>): 'test' | 'live' {
  return test || (URL.canParse(baseUrl) && isLoopback(baseUrl)) ? 'test' : 'live';
}

/** Removes all of a profile but its log, and warns of what cannot be removed. Returns null if there was no such profile. */
export async function forgetProfile(context: Context, name: string): Promise<Profile | null> {
  const removed = await (await context.profiles()).remove(name);
  const { state, config } = await context.paths();
  for (const path of Object.values({ ...stateFiles(state, name), ...settingsFiles(config, name) })) {
    const why = await rm(path, { force: true }).then(() => '', systemCode);
    // Where a part of the path is no folder, there is no such file.
    if (why !== '' && why !== 'ENOTDIR') await context.warn(`${path} cannot be removed (${why}). Remove it.`);
  }
  return removed;
}

/**
 * Warns in commands that need no login if another profile may be meant, or if the log is not the one that the profile has sent
 * by. Otherwise a mistyped profile would look like one with nothing in doubt.
 */
export async function warnOfWrongLog(context: Context): Promise<void> {
  const { sandbox, log, freshStore } = context.options;
  if (!sandbox && log === undefined) {
    const { profile, baseUrl, otherProfiles } = await context.settings();
    if (baseUrl === null && otherProfiles.length > 0) context.warnOf(notLoggedIn([], profile.value, otherProfiles));
  }
  const unknown = freshStore ? null : await context.log.unknown();
  if (unknown !== null) context.warnOf(unknown);
}
