import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Paths } from './context.ts';

type Named = Pick<Settings, 'profile'>;

/** The cached token of the profile in force. */
export function tokenPath({ state }: Paths, { profile }: Named): string {
  return join(state, `${profile.value}.token.json`);
}

/** What runs found out about the profile's service. */
export function learnedPath({ state }: Paths, { profile }: Named): string {
  return join(state, `${profile.value}.learned.json`);
}
