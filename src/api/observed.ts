import type { Observations } from '../model/contract.ts';

/** Counts how often live answers bore out what a contract says of them. */
export class Observed {
  readonly #counts = new Map<string, { confirmed: number; contradicted: number }>();

  /** `setting`: as in the findings of a contract. */
  note(setting: string, isConfirmed: boolean): void {
    const counts = this.#counts.get(setting) ?? { confirmed: 0, contradicted: 0 };
    this.#counts.set(setting, counts);
    counts[isConfirmed ? 'confirmed' : 'contradicted'] += 1;
  }

  /** Takes back a confirmation that turned out to be none. */
  withdraw(setting: string): void {
    const counts = this.#counts.get(setting);
    if (!counts) return;
    counts.confirmed -= 1;
    if (counts.confirmed + counts.contradicted === 0) this.#counts.delete(setting);
  }

  get counts(): Observations {
    return Object.fromEntries([...this.#counts].map(([setting, counts]) => [setting, { ...counts }]));
  }
}
