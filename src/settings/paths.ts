import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { SrqError } from '../request/words/errors.ts';

/**
 * Returns the user's home folder. Where HOME is set to nothing, it is the one that the system knows, because settings
 * and logs would otherwise lie in whatever folder a command is run. Throws `SrqError('settings')` if there is none.
 */
function homeFolder(): string {
  try {
    const home = homedir() || userInfo().homedir;
    if (home !== '') return home;
  } catch {
    // This user is not known to the system.
  }
  const hint = 'Set HOME, or name the folders themselves: SRQ_CONFIG_DIR and SRQ_STATE_DIR';
  throw new SrqError('settings.unusable', 'This user has no home folder for settings and logs.', hint);
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the directories for srq's files: `config` for profiles and credentials, `state` for logs and cached tokens. They
 * are those named by the environment, or the usual ones of the platform. `homeOf` is called only if it is needed.
 */
export function directories(env: Environment, platform: string, homeOf: () => string = homeFolder) {
  const below = (root: string | undefined, ...usual: string[]) => join(root || join(homeOf(), ...usual), 'srq');
  const config = () => {
    if (platform === 'win32') return below(env['APPDATA'], 'AppData', 'Roaming');
    if (platform === 'darwin') return below(undefined, 'Library', 'Preferences');
    return below(env['XDG_CONFIG_HOME'], '.config');
  };
  const state = () => {
    if (platform === 'win32') return below(env['LOCALAPPDATA'], 'AppData', 'Local');
    if (platform === 'darwin') return below(undefined, 'Library', 'Application Support');
    return below(env['XDG_STATE_HOME'], '.local', 'state');
  };
  return { config: env['SRQ_CONFIG_DIR'] || config(), state: env['SRQ_STATE_DIR'] || state() };
}

export type StateFiles = ReturnType<typeof stateFiles>;

/** The files of a profile in the state folder, besides its log: its token, and what runs have learned about its service. */
export function stateFiles(state: string, profile: string) {
  return { token: join(state, `${profile}.token.json`), learned: join(state, `${profile}.learned.json`) };
}

/** The files of a profile beside the settings: the mappings that its user has confirmed, and its contract. */
export function settingsFiles(config: string, profile: string) {
  const beside = (folder: string) => join(dirname(config), folder, `${profile}.json`);
  return { mappings: beside('mappings'), contract: beside('contracts') };
}

/**
 * Returns the name unchanged if it is valid for a profile. Throws `SrqError('usage')` if it cannot be part of file
 * names.
 */
export function profileNamed(name: string): string {
  if (/^[\w][\w.-]{0,63}$/.test(name)) return name;
  throw new SrqError(
    'profile.bad-name',
    `"${name}" cannot be a profile's name.`,
    'Use letters, digits, "-", "_" and ".", at most 64.',
  );
}
