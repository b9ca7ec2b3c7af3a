import { KeyIndex } from './key-index.ts';
import type { Ledger } from './ledger.ts';

/** A place in the files of a run. */
export interface PlaceInRun {
  /** The input as the user named it. */
  readonly file: string;
  readonly row: number;
}

/** The files of a run that are planned: in which of them a request stands first. A search takes the same time for any number. */
export class PlannedFiles {
  readonly #keys = new KeyIndex();
  readonly #files: { readonly file: string; readonly ledger: Ledger; readonly firstEntry: number }[] = [];

  /** Adds a file after those before it. What they hold as well stays theirs. */
  add(file: string, ledger: Ledger): void {
    this.#files.push({ file, ledger, firstEntry: this.#keys.size });
    for (const key of ledger.keys()) this.#keys.findOrAdd(key);
  }

  /** Returns where a key stands first, in files other than the one of this ledger, or null. */
  find(key: string, { except }: { readonly except: Ledger }): PlaceInRun | null {
    if (this.#files.length === 0) return null;
    const entry = this.#keys.find(key);
    if (entry < 0) return null;
    const holder = this.#files.findLast(({ firstEntry }) => firstEntry <= entry);
    const row = holder?.ledger.rowOf(key) ?? null;
    return !holder || row === null || holder.ledger === except ? null : { file: holder.file, row };
  }
}
