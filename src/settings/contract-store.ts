import { rmSync, statSync } from 'node:fs';
import type { Contract } from '../request/contract/contract.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { ANY_OWNER, replaceFileOrThrow, requiredJson, type Trust } from './own-file.ts';

/**
 * Stores one profile's contract. If the file is missing, the profile has no contract. A damaged file is an error,
 * because without the contract requests would be sent in another form. A file that others may have written is an error
 * as well.
 */
export class ContractStore {
  readonly path: string;
  readonly #profile: string;
  readonly #trust: Trust;

  constructor(profile: string, path: string, trust = ANY_OWNER) {
    this.path = path;
    this.#profile = profile;
    this.#trust = trust;
  }

  /**
   * Reads the contract, or returns null if none was learned. Throws `SrqError('settings')` with a hint if it cannot be
   * used.
   */
  async read(): Promise<Contract | null> {
    const what = `The API description ${this.path}`;
    const hint = `Learn it again: srq contract learn FILE --profile ${this.#profile}, or: srq contract forget --profile ${this.#profile}`;
    // The contract decides where credentials go, and may hold keys.
    const document = requiredJson(this.path, this.#trust.uid, { what, reason: 'contract.unusable', hint });
    if (document === undefined) return null;
    // The schema is loaded only here, because that takes a while and most profiles have no contract.
    const { readContract } = await import('../request/contract/contract-schema.ts');
    return readContract(document, what, hint);
  }

  /** Writes the contract, whole or not at all, after a check that it can be read back. */
  async write(contract: Contract): Promise<void> {
    const { readContract } = await import('../request/contract/contract-schema.ts');
    readContract(contract, 'What was learned', 'Nothing was stored. Report this as a fault of srq.');
    try {
      replaceFileOrThrow(this.path, `${JSON.stringify(contract, null, 2)}\n`);
    } catch (error) {
      throw this.#unwritable('written', error);
    }
  }

  /** Removes the contract. Returns false if there was no contract. */
  forget(): boolean {
    try {
      const found = statSync(this.path, { throwIfNoEntry: false });
      rmSync(this.path, { force: true });
      return found !== undefined;
    } catch (error) {
      throw this.#unwritable('removed', error);
    }
  }

  #unwritable(what: string, error: unknown): SrqError {
    const hint = 'Make the folder writable, or name another one in SRQ_CONFIG_DIR.';
    return new SrqError(
      'settings.unwritable',
      `The API description ${this.path} cannot be ${what} (${systemCode(error)}).`,
      hint,
      error,
    );
  }
}
