import * as z from 'zod/mini';
import { ANY_OWNER, OwnFile } from '../settings/own-file.ts';

/** A record in a store: the key of its request, and its number. */
export interface StoreRecord {
  readonly key: string;
  readonly id: number;
}

const markSchema = z.object({
  /** Identifies the store. A copy or an older state of it has the same. */
  store: z.string(),
  /** The store's address without a password, for people. */
  name: z.string(),
  newest: z.nullable(z.object({ key: z.string(), id: z.number() })),
});

/** What a profile remembers of the store that it sends through. */
export type StoreMark = z.infer<typeof markSchema>;

/**
 * The memory of the store that a profile has sent through, in a file beside the profile's log: which store it was, and the
 * newest record that this machine has had confirmed. Without it, a run that is pointed at a file or at another store, or at
 * a backup of the same one, would send everything again.
 */
export class StoreMemory {
  readonly #file: OwnFile;

  /** `log` is the path of the log that the profile would have in a file. */
  constructor(log: string) {
    this.#file = new OwnFile(`${log.replace(/\.ndjson$/, '')}.store.json`, ANY_OWNER);
  }

  read(): StoreMark | null {
    const text = this.#file.text();
    if (text === null) return null;
    try {
      return markSchema.parse(JSON.parse(text));
    } catch {
      // It says at least that there was a store.
      return { store: '', name: 'that it sent through before', newest: null };
    }
  }

  keep(mark: StoreMark): void {
    this.#file.replace(`${JSON.stringify(mark)}\n`);
  }
}
