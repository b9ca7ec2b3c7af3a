import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { SrqError } from '../request/words/errors.ts';

export interface Directories {
  /** The directory of the settings: profiles and credentials. */
  readonly config: string;
  /** The directory of the logs and cached tokens. */
  readonly state: string;
}

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
 * Returns the directories for srq's files: those named by the environment, or the usual ones of the platform. `homeOf`
 * is called only if it is needed.
 */
export function directories(env: Environment, platform: string, homeOf: () => string = homeFolder): Directories {
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

/** The places of the settings file and of the folder for state on this machine. */
export interface OwnPaths {
  readonly config: string;
  readonly state: string;
}

/** The places of srq's files on this machine. */
export interface Paths extends OwnPaths {
  /** The path of the log file, or the URL of a store without its password. */
  readonly log: string;
}

/** A profile's name, as settings hold it. */
export interface OfProfile {
  readonly profile: { readonly value: string };
}

export function tokenPath({ state }: Pick<Paths, 'state'>, { profile }: OfProfile): string {
  return join(state, `${profile.value}.token.json`);
}

/** Returns the path of what runs have learned about the profile's service. */
export function learnedPath({ state }: Pick<Paths, 'state'>, { profile }: OfProfile): string {
  return join(state, `${profile.value}.learned.json`);
}

/** Returns the path of the mappings that the user of a profile has confirmed. */
export function mappingsPath({ config }: Pick<Paths, 'config'>, profile: string): string {
  return join(dirname(config), 'mappings', `${profile}.json`);
}

/** Returns the path of a profile's contract. */
export function contractPath({ config }: Pick<OwnPaths, 'config'>, profile: string): string {
  return join(dirname(config), 'contracts', `${profile}.json`);
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
