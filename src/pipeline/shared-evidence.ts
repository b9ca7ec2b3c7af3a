import { type Evidence, mergedEvidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { SharedAccount } from '../model/ports.ts';

/** What validate has shown to all processes of an account that go by the same contract. */
export class SharedEvidence {
  readonly #account: SharedAccount;
  readonly #keptAs: string;

  /** `contract`: its fingerprint. */
  constructor(account: SharedAccount, contract: string) {
    this.#account = account;
    this.#keptAs = `evidence-${contract}`;
  }

  /** Adds what this process knows, and returns what all know. */
  exchange(own: Evidence): Promise<Evidence> {
    return this.#account.change(this.#keptAs, (kept) => {
      const keep = mergedEvidence(isEvidence(kept) ? kept : NO_EVIDENCE, own);
      return { keep, result: keep };
    });
  }
}

function isEvidence(kept: unknown): kept is Evidence {
  return typeof kept === 'object' && kept !== null && 'looks' in kept && Array.isArray(kept.looks);
}
