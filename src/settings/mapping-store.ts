import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { normalForm } from '../request/field-aliases.ts';
import type { MappingOptions, RememberedMapping } from '../request/table.ts';
import { OwnFile, type Trust } from './own-file.ts';

const texts = z.record(z.string(), z.string());
const keptSchema = z.object({
  fingerprint: z.string(),
  columns: z.array(z.string()),
  map: texts,
  join: z.record(z.string(), z.array(z.string())),
  on: z.string(),
});
const fileSchema = z.object({ version: z.literal(1), mappings: z.array(keptSchema) });

/** A mapping that a person confirmed, with the header that it is for. */
export type KeptMapping = z.output<typeof keptSchema>;

/** Maximum number of mappings of a profile. The one that was confirmed longest ago makes room. */
const MAX_MAPPINGS = 200;
/** Minimum share of columns, and number of them, that a header shares with an earlier one to count as the same file. */
const MIN_SHARED = 0.75;
const MIN_SHARED_COLUMNS = 4;

/** The mappings that a profile's user has confirmed, by the header of the file. A file that cannot be read holds none. */
export class MappingStore {
  readonly #file: OwnFile;

  constructor(path: string, trust: Trust) {
    this.#file = new OwnFile(path, trust);
  }

  /** Returns all mappings, the latest first. */
  all(): readonly KeptMapping[] {
    const text = this.#file.text();
    if (text === null) return [];
    try {
      return fileSchema.parse(JSON.parse(text)).mappings;
    } catch {
      return [];
    }
  }

  /** Returns what was confirmed for a header, or for one that differs from it in a few columns. */
  find(columns: readonly string[]): RememberedMapping | null {
    const kept = this.all();
    const fingerprint = headerFingerprint(columns);
    const same = kept.find((each) => each.fingerprint === fingerprint);
    if (same) return { map: same.map, join: same.join, on: same.on, changes: null };
    const [nearest] = kept
      .map((each) => ({ each, shared: sharedWith(each.columns, columns) }))
      .filter(({ shared, each }) => isAlike(shared.length, each.columns.length, columns.length))
      .sort((a, b) => b.shared.length - a.shared.length);
    return nearest ? asFarAsThere(nearest.each, columns) : null;
  }

  /** Keeps a mapping for a header, in place of an earlier one for it. Throws what writing the file throws. */
  keep(columns: readonly string[], { map, join }: Pick<MappingOptions, 'map' | 'join'>, on: string): void {
    const fingerprint = headerFingerprint(columns);
    const kept: KeptMapping = {
      ...{ fingerprint, columns: [...columns], map: { ...map }, on },
      join: Object.fromEntries(Object.entries(join).map(([field, names]) => [field, [...names]])),
    };
    const others = this.all().filter((each) => each.fingerprint !== fingerprint);
    this.#write([kept, ...others].slice(0, MAX_MAPPINGS));
  }

  /** Forgets the mappings whose fingerprints begin like this, or all. Returns how many there were. */
  forget(beginning: string | null): number {
    const all = this.all();
    const left = all.filter(({ fingerprint }) => beginning !== null && !fingerprint.startsWith(beginning));
    if (left.length < all.length) this.#write(left);
    return all.length - left.length;
  }

  #write(mappings: readonly KeptMapping[]): void {
    this.#file.replace(`${JSON.stringify({ version: 1, mappings }, null, 2)}\n`);
  }
}

/** Names a header by 12 hexadecimal digits. Case, accents, blanks and the order of the columns make no difference. */
export function headerFingerprint(columns: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(forms(columns).sort()))
    .digest('hex')
    .slice(0, 12);
}

/** Columns without a name count by their place. */
function forms(columns: readonly string[]): string[] {
  return columns.map((name, index) => normalForm(name) || `column_${index + 1}`);
}

function sharedWith(before: readonly string[], now: readonly string[]): readonly string[] {
  const there = new Set(forms(now));
  return forms(before).filter((form) => there.has(form));
}

function isAlike(shared: number, before: number, now: number): boolean {
  return shared >= MIN_SHARED_COLUMNS && shared >= MIN_SHARED * Math.max(before, now);
}

/** Restricts a mapping to the columns that a changed header still has, and tells what changed. */
function asFarAsThere({ map, join, on, columns: before }: KeptMapping, columns: readonly string[]): RememberedMapping {
  const [formsNow, formsBefore] = [new Set(forms(columns)), new Set(forms(before))];
  const isThere = (name: string) => formsNow.has(normalForm(name));
  return {
    map: Object.fromEntries(Object.entries(map).filter(([name]) => isThere(name))),
    join: Object.fromEntries(Object.entries(join).filter(([, names]) => names.every(isThere))),
    on,
    changes: {
      added: columns.filter((_, index) => !formsBefore.has(forms(columns)[index] ?? '')),
      gone: before.filter((_, index) => !formsNow.has(forms(before)[index] ?? '')),
    },
  };
}
