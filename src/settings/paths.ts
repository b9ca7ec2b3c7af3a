import { dirname, join } from 'node:path';
import { SrqError } from '../request/errors.ts';
import type { ContractPaths } from './contract-store.ts';

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

/** Where this machine keeps what srq knows. */
export interface Paths {
  readonly config: string;
  readonly state: string;
  /** A file, or the URL of a store without its password. */
  readonly log: string;
}

/** A profile by its name, as settings have it. */
export interface OfProfile {
  readonly profile: { readonly value: string };
}

/** The cached token of the profile in force. */
export function tokenPath({ state }: Pick<Paths, 'state'>, { profile }: OfProfile): string {
  return join(state, `${profile.value}.token.json`);
}

/** What runs found out about the profile's service. */
export function learnedPath({ state }: Pick<Paths, 'state'>, { profile }: OfProfile): string {
  return join(state, `${profile.value}.learned.json`);
}

/** The mappings that the user of a profile has confirmed. */
export function mappingsPath({ config }: Pick<Paths, 'config'>, profile: string): string {
  return join(dirname(config), 'mappings', `${profile}.json`);
}

/** A profile's contract is a setting; what runs found out about it is not, and may lie where settings cannot be written. */
export function contractPaths({ config, state }: Paths, profile: string): ContractPaths {
  return {
    contract: join(dirname(config), 'contracts', `${profile}.json`),
    observations: join(state, `${profile}.observed.json`),
  };
}

/** Returns the name of a profile. Throws `SrqError('usage')` if it cannot be part of file names. */
export function profileNamed(name: string): string {
  if (/^[\w][\w.-]{0,63}$/.test(name)) return name;
  throw new SrqError(
    'usage',
    `"${name}" cannot be a profile's name.`,
    'Use letters, digits, "-", "_" and ".", at most 64.',
  );
}
