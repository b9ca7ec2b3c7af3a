import { join } from 'node:path';

export interface Directories {
  /** The directory of the settings: profiles and credentials. */
  readonly config: string;
  /** The directory of the logs and cached tokens. */
  readonly state: string;
}

/** Returns the directories for srq's files: those that the environment names, else the usual ones of the platform. */
export function directories(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: string,
): Directories {
  return {
    config: env['SRQ_CONFIG_DIR'] || usualConfig(env, home, platform),
    state: env['SRQ_STATE_DIR'] || usualState(env, home, platform),
  };
}

function usualConfig(env: Readonly<Record<string, string | undefined>>, home: string, platform: string): string {
  if (platform === 'win32') return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'srq');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'srq');
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'srq');
}

function usualState(env: Readonly<Record<string, string | undefined>>, home: string, platform: string): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'srq');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'srq');
  return join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'srq');
}
