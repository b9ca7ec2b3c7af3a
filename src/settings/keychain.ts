import { platform } from 'node:os';
import type { Destination } from '../request/lead/service-request.ts';
import { shellWord } from '../request/words/errors.ts';

/**
 * The commands by which a system keeps secrets. `lookup` prints the secret, and is the secret command of the profile. `store`
 * asks a person for the secret, so that srq hands it none. Windows has no command that gives a secret back.
 */
const KEYCHAINS: Readonly<Record<string, (account: string) => Record<'lookup' | 'store' | 'remove', string>>> = {
  linux: (account) => ({
    lookup: `secret-tool lookup service srq account ${account}`,
    store: `secret-tool store --label srq service srq account ${account}`,
    remove: `secret-tool clear service srq account ${account}`,
  }),
  darwin: (account) => ({
    lookup: `security find-generic-password -s srq -a ${account} -w`,
    store: `security add-generic-password -U -s srq -a ${account} -w`,
    remove: `security delete-generic-password -s srq -a ${account}`,
  }),
};

/**
 * Returns the commands for the secret of a profile, or null on a system that has none. A secret of another base URL or client
 * id has another place.
 */
export function keychainFor(profile: string, { baseUrl, clientId }: Destination) {
  const parts = [profile, clientId, baseUrl];
  const account = shellWord(parts.map(encodeURIComponent).join('/'));
  return KEYCHAINS[platform()]?.(account) ?? null;
}
