import { rmSync, statSync } from 'node:fs';
import type { Contract } from '../request/contract/contract.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { replaceFileOrThrow, requiredJson } from './own-file.ts';

/**
 * Stores one profile's contract. If the file is missing, the profile has no contract. A damaged file is an error,
 * because without the contract requests would be sent in another form. A file that others may have written is an error
 * as well. `uid` is the numeric user id, or null where files have no owners and modes (Windows).
 */
export function contractStore(profile: string, path: string, uid: number | null = null) {
  const unwritable = (what: string, error: unknown) => {
    const message = `The API description ${path} cannot be ${what} (${systemCode(error)}).`;
    const hint = 'Make the folder writable, or name another one in SRQ_CONFIG_DIR.';
    return new SrqError('settings.unwritable', message, hint, error);
  };
  return {
    path,
    /**
     * Reads the contract, or resolves to null if none was learned. Throws `SrqError('settings')` with a hint if it cannot be
     * used.
     */
    read: async (): Promise<Contract | null> => {
      const what = `The API description ${path}`;
      const hint = `Learn it again: srq contract learn FILE --profile ${profile}, or: srq contract forget --profile ${profile}`;
      // The contract decides where credentials go, and may hold keys.
      const document = requiredJson(path, uid, { what, reason: 'contract.unusable', hint });
      if (document === undefined) return null;
      // The schema is loaded only here, because that takes a while and most profiles have no contract.
      const { readContract } = await import('../request/contract/contract-schema.ts');
      return readContract(document, what, hint);
    },
    /** Writes the contract, whole or not at all, after a check that it can be read back. */
    write: async (contract: Contract): Promise<void> => {
      const { readContract } = await import('../request/contract/contract-schema.ts');
      readContract(contract, 'What was learned', 'Nothing was stored. Report this as a fault of srq.');
      try {
        replaceFileOrThrow(path, `${JSON.stringify(contract, null, 2)}\n`);
      } catch (error) {
        throw unwritable('written', error);
      }
    },
    /** Removes the contract. Returns false if there was no contract. */
    forget: (): boolean => {
      try {
        const found = statSync(path, { throwIfNoEntry: false });
        rmSync(path, { force: true });
        return found !== undefined;
      } catch (error) {
        throw unwritable('removed', error);
      }
    },
  };
}
