import { type Evidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { SharedAccount } from '../model/ports.ts';

const KEPT_AS = 'evidence';

/** What validate has shown to all processes of an account. */
export class SharedEvidence {
  readonly #account: SharedAccount;
  /** Of the evidence of this process, what is already with the account. */
  #told: Evidence;

  private constructor(account: SharedAccount, told: Evidence) {
    this.#account = account;
    this.#told = told;
  }

  /** `known`: what this process brings along; it counts where the account has nothing yet. */
  static async open(account: SharedAccount, known: Evidence | null): Promise<[SharedEvidence, Evidence]> {
    const first = await account.change(KEPT_AS, (kept) => {
      const keep = isEvidence(kept) ? kept : (known ?? NO_EVIDENCE);
      return { keep, result: keep };
    });
    return [new SharedEvidence(account, first), first];
  }

  /** Adds what this process has found out since, of `own` in all, and returns what all have. */
  exchange(own: Evidence): Promise<Evidence> {
    const told = this.#told;
    this.#told = own;
    return this.#account.change(KEPT_AS, (kept) => {
      const before = isEvidence(kept) ? kept : NO_EVIDENCE;
      const keep: Evidence = {
        asked: before.asked + own.asked - told.asked,
        found: before.found + own.found - told.found,
        slowestMs: Math.max(before.slowestMs, own.slowestMs),
      };
      return { keep, result: keep };
    });
  }
}

function isEvidence(kept: unknown): kept is Evidence {
  return typeof kept === 'object' && kept !== null && 'asked' in kept && 'found' in kept && 'slowestMs' in kept;
}
