import { type AnswerMemory, mergedMemory, NO_MEMORY } from '../model/answer-memory.ts';
import { type Evidence, mergedEvidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { SharedAccount } from '../model/ports.ts';

/** What all processes of an account that go by the same contract have found out about the service. */
export class SharedKnowledge<Found> {
  readonly #account: SharedAccount;
  readonly #keptAs: string;
  readonly #read: (kept: unknown) => Found;
  readonly #merged: (one: Found, other: Found) => Found;

  constructor(
    account: SharedAccount,
    keptAs: string,
    read: (kept: unknown) => Found,
    merged: (one: Found, other: Found) => Found,
  ) {
    this.#account = account;
    this.#keptAs = keptAs;
    this.#read = read;
    this.#merged = merged;
  }

  /** Adds what this process knows, and returns what all know. */
  exchange(own: Found): Promise<Found> {
    return this.#account.change(this.#keptAs, (kept) => {
      const keep = this.#merged(this.#read(kept), own);
      return { keep, result: keep };
    });
  }
}

/** What validate has shown. `contract`: its fingerprint. */
export function sharedEvidence(account: SharedAccount, contract: string): SharedKnowledge<Evidence> {
  const read = (kept: unknown) => (holds<Evidence>(kept, 'looks') ? kept : NO_EVIDENCE);
  return new SharedKnowledge(account, `evidence-${contract}`, read, mergedEvidence);
}

/** What the service's answers mean. */
export function sharedAnswers(account: SharedAccount, contract: string): SharedKnowledge<AnswerMemory> {
  const read = (kept: unknown) => (holds<AnswerMemory>(kept, 'forms') ? kept : NO_MEMORY);
  return new SharedKnowledge(account, `answers-${contract}`, read, mergedMemory);
}

function holds<Found>(kept: unknown, list: string): kept is Found {
  return typeof kept === 'object' && kept !== null && Array.isArray(Reflect.get(kept, list));
}
