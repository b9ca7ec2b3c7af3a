import { readFileSync, rmSync, type Stats, statSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Contract, Observations } from '../request/contract/contract-1.ts';
import { fileFlaw } from '../request/log/ownership.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { ANY_OWNER, OwnFile, replaceFileOrThrow, type Trust } from './own-file.ts';

const count = z.int().check(z.nonnegative());
const observedSchema = z.object({
  learnedAt: z.string(),
  settings: z.record(z.string(), z.object({ confirmed: count, contradicted: count })),
});

/** Maximum number of settings with observations. No contract has as many settings. */
const MAX_SETTINGS = 100;
const MAX_BYTES = 10 * 1024 * 1024;

/** The paths of a profile's contract and of the observations of live answers on it. */
export interface ContractPaths {
  readonly contract: string;
  readonly observations: string;
}

/**
 * Stores one profile's contract. If the file is missing, the profile has no contract. A damaged file is an error,
 * because without the contract requests would be sent in another form. A file that others may have written is an error
 * as well.
 */
export class ContractStore {
  readonly path: string;
  readonly #observations: OwnFile;
  readonly #profile: string;
  readonly #trust: Trust;

  constructor(profile: string, { contract, observations }: ContractPaths, trust = ANY_OWNER) {
    this.path = contract;
    this.#observations = new OwnFile(observations, trust);
    this.#profile = profile;
    this.#trust = trust;
  }

  /**
   * Reads the contract, or returns null if none was learned. Throws `SrqError('settings')` with a hint if it cannot be
   * used.
   */
  async read(): Promise<Contract | null> {
    const what = `The contract ${this.path}`;
    const hint = `Learn it again: srq contract learn FILE --profile ${this.#profile}, or: srq contract forget --profile ${this.#profile}`;
    try {
      const found = statSync(this.path, { throwIfNoEntry: false });
      if (!found) return null;
      this.#requireOwn(found, what, hint);
      if (!found.isFile() || found.size > MAX_BYTES) throw new Error('it is not a small file');
      const document = JSON.parse(readFileSync(this.path, 'utf8'));
      // The schema is loaded only here, because that takes a while and most profiles have no contract.
      const { readContract } = await import('../request/contract/contract-schema-1.ts');
      return readContract(document, what, hint);
    } catch (error) {
      if (error instanceof SrqError) throw error;
      if (systemCode(error) === 'ENOTDIR') return null;
      const why = systemCode(error) || (error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message);
      throw new SrqError('contract.unusable', `${what} cannot be used (${why}).`, hint, error);
    }
  }

  /**
   * Writes the contract, whole or not at all, after a check that it can be read back. The observations on an earlier
   * contract are removed.
   */
  async write(contract: Contract): Promise<void> {
    const { readContract } = await import('../request/contract/contract-schema-1.ts');
    readContract(contract, 'What was learned', 'Nothing was stored. Report this as a fault of srq.');
    try {
      replaceFileOrThrow(this.path, `${JSON.stringify(contract, null, 2)}\n`);
    } catch (error) {
      throw this.#unwritable('written', error);
    }
    this.#observations.remove();
  }

  /** Removes the contract and its observations. Returns false if there was no contract. */
  forget(): boolean {
    try {
      const found = statSync(this.path, { throwIfNoEntry: false });
      rmSync(this.path, { force: true });
      this.#observations.remove();
      return found !== undefined;
    } catch (error) {
      throw this.#unwritable('removed', error);
    }
  }

  /** Returns the observations of live answers on this contract; those on another contract do not count. */
  observations(contract: Contract): Observations {
    try {
      const { learnedAt, settings } = observedSchema.parse(JSON.parse(this.#observations.text() ?? ''));
      return learnedAt === contract.source?.learnedAt ? settings : {};
    } catch {
      return {};
    }
  }

  /**
   * Adds the observations of one command. They are counts by setting and contain no value. An error while storing them
   * is ignored.
   */
  observe(contract: Contract, seen: Observations): void {
    const before = this.observations(contract);
    const names = [...new Set([...Object.keys(before), ...Object.keys(seen)])].slice(0, MAX_SETTINGS);
    const settings = Object.fromEntries(names.map((name) => [name, added(before[name], seen[name])]));
    const learnedAt = contract.source?.learnedAt ?? '';
    this.#observations.replace(`${JSON.stringify({ learnedAt, settings })}\n`);
  }

  /** Throws if others could read or write the contract, because it decides where credentials go and may hold keys. */
  #requireOwn(found: Stats, what: string, hint: string): void {
    const flaw = fileFlaw(this.path, found, this.#trust.uid, 'readers');
    if (!flaw) return;
    const message = `${what} ${flaw.why}; it is not used.`;
    throw new SrqError('contract.unusable', message, `${hint}    Or to use it anyway: ${flaw.remedy}`);
  }

  #unwritable(what: string, error: unknown): SrqError {
    const hint = 'Make the folder writable, or name another one in SRQ_CONFIG_DIR.';
    return new SrqError(
      'settings.unwritable',
      `The contract ${this.path} cannot be ${what} (${systemCode(error)}).`,
      hint,
      error,
    );
  }
}

type ObservedCount = Observations[string];

function added(a: ObservedCount | undefined, b: ObservedCount | undefined): ObservedCount {
  return {
    confirmed: (a?.confirmed ?? 0) + (b?.confirmed ?? 0),
    contradicted: (a?.contradicted ?? 0) + (b?.contradicted ?? 0),
  };
}
