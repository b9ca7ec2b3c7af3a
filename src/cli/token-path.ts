import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Paths } from './context.ts';

/** The cached token of the profile in force. */
export function tokenPath(paths: Paths, settings: Pick<Settings, 'profile'>): string {
  return join(paths.state, `${settings.profile.value}.token.json`);
}
