import { existsSync } from 'node:fs';
import { ANY_OWNER, OwnFile } from '../settings/own-file.ts';
import type { Confirmed } from '../store/postgres/postgres-log.ts';

/** What a profile remembers of the store that it sends through. */
export interface StoreMark {
  /** Identifies the store. A copy or an older state of it has the same. */
  readonly store: string;
  /** The store's address without a password, for people. */
  readonly name: string;
  /** A record in the store: the key of its request, and its number. */
  readonly newest: Pick<Confirmed, 'key' | 'id'> | null;
  /** The highest epoch in which it was used. */
  readonly epoch: number;
}

/**
 * The memory of the store that a profile has sent through, in a file beside the profile's log: which store it was, and the
 * newest record that this machine has had confirmed. Without it, a run that is pointed at a file or at another store, or at
 * a backup of the same one, would send everything again.
 */
export class StoreMemory {
  readonly #path: string;
  readonly #file: OwnFile;

  /** `log` is the path of the log that the profile would have in a file. */
  constructor(log: string) {
    this.#path = `${log.replace(/\.ndjson$/, '')}.store.json`;
    this.#file = new OwnFile(this.#path, ANY_OWNER);
  }

  read(): StoreMark | null {
    if (!existsSync(this.#path)) return null;
    try {
      const { store, name, newest, epoch } = JSON.parse(this.#file.text() ?? '') as Partial<StoreMark>;
      if (typeof store === 'string' && typeof name === 'string') {
        return { store, name, newest: newest ?? null, epoch: epoch ?? 0 };
      }
    } catch {}
    // It says at least that there was a store.
    return { store: '', name: 'that it used before', newest: null, epoch: 0 };
  }

  keep(mark: StoreMark): void {
    this.#file.replace(`${JSON.stringify(mark)}\n`);
  }

  forget(): void {
    this.#file.remove();
  }
}
