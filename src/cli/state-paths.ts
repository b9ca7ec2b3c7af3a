import { dirname, join } from 'node:path';
import type { ContractPaths } from '../config/contract-store.ts';

/** Where this machine keeps what srq knows. */
export interface Paths {
  readonly config: string;
  readonly state: string;
  /** A file, or the URL of a store without its password. */
  readonly log: string;
}

/** A profile by its name, as settings have it. */
interface OfProfile {
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

/** A profile's contract is a setting; what runs found out about it is not, and may lie where settings cannot be written. */
export function contractPaths({ config, state }: Paths, profile: string): ContractPaths {
  return {
    contract: join(dirname(config), 'contracts', `${profile}.json`),
    observations: join(state, `${profile}.observed.json`),
  };
}
