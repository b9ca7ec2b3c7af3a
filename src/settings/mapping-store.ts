import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { headerForm } from '../request/lead/field-aliases.ts';
import { columnLabel, mapKey, RESULT_COLUMNS, type RememberedMapping, resultColumnOf } from '../request/lead/table.ts';
import { templateColumns } from '../request/lead/template.ts';
import { OwnFile, type Trust } from './own-file.ts';

const keptSchema = z.object({
  fingerprint: z.string(),
  columns: z.array(z.string()),
  map: z.record(z.string(), z.string()),
  set: z.record(z.string(), z.string()),
  unused: z.array(z.string()),
  on: z.string(),
});
const fileSchema = z.object({ version: z.literal(2), mappings: z.array(keptSchema) });

type Confirmed = Pick<RememberedMapping, 'map' | 'set' | 'unused'>;

/** A mapping that a person confirmed, with the header that it is for. Columns are named as in that header. */
export interface KeptMapping extends Confirmed {
  readonly fingerprint: string;
  readonly columns: readonly string[];
  /** The day on which it was confirmed: `2026-11-20`. */
  readonly on: string;
}

/** Maximum number of mappings of a profile. The one that was confirmed longest ago makes room. */
const MAX_MAPPINGS = 200;
/** Maximum number of mappings that are kept for one header, besides the latest. */
const MAX_FORMER = 4;
/** Maximum total length of the names in a header. Every import reads the file with all mappings. */
const MAX_HEADER_LETTERS = 50_000;
/**
 * Minimum share and number of columns that two headers must have in common for one to count as a later form of the
 * other.
 */
const MIN_SHARED = 0.75;
const MIN_SHARED_COLUMNS = 4;

/**
 * Stores the mappings that a profile's user has confirmed, by the header of the file. An unreadable file counts as
 * empty.
 */
export class MappingStore {
  readonly #file: OwnFile;

  constructor(path: string, trust: Trust) {
    this.#file = new OwnFile(path, trust);
  }

  /** Returns the mapping of each header, the latest first. */
  all(): readonly KeptMapping[] {
    const seen = new Set<string>();
    return this.#entries().filter(({ fingerprint }) => !seen.has(fingerprint) && seen.add(fingerprint));
  }

  /**
   * Returns the mappings under which files with exactly this header were imported, the latest first. Requests that were
   * sent under another mapping than the present one have other keys.
   */
  used(columns: readonly string[]): readonly RememberedMapping[] {
    const now = new Header(columns);
    const same = this.#entries().filter(({ fingerprint }) => !now.hasTwins && fingerprint === now.fingerprint);
    return same.map((each) => ({ ...renamed(each, new Header(each.columns), now), on: each.on, changes: null }));
  }

  #entries(): readonly KeptMapping[] {
    const text = this.#file.text();
    if (text === null) return [];
    try {
      return fileSchema.parse(JSON.parse(text)).mappings;
    } catch {
      return [];
    }
  }

  /**
   * Returns the mapping that was confirmed for this header, or for one that differs from it in a few columns. Columns
   * have the names of this header. Returns null if there is none.
   */
  find(columns: readonly string[]): RememberedMapping | null {
    const now = new Header(columns);
    const kept = now.hasTwins ? [] : this.all();
    const same = kept.find((each) => each.fingerprint === now.fingerprint);
    if (same) return { ...renamed(same, new Header(same.columns), now), on: same.on, changes: null };
    const [nearest] = kept
      .filter(({ columns: { length } }) =>
        isAlike(Math.min(length, now.size), length - RESULT_COLUMNS.length, now.size),
      )
      .map((each) => ({ each, before: new Header(each.columns) }))
      .map((one) => ({ ...one, shared: one.before.named.filter((form) => now.places.has(form)).length }))
      .filter(({ shared, before }) => isAlike(shared, before.size, now.size))
      .sort((a, b) => b.shared - a.shared);
    if (!nearest) return null;
    const { each, before } = nearest;
    const changes = { added: now.namesBeside(before), gone: before.namesBeside(now) };
    return { ...renamed(each, before, now), on: each.on, changes };
  }

  /**
   * Stores a mapping for a header. It takes precedence over earlier ones for the same header. A header is skipped if it
   * is very long, or if the names of two columns differ only in case or accents. Throws the system's error if the file
   * cannot be written.
   */
  keep(columns: readonly string[], { map, set, unused }: Confirmed, on: string): void {
    const header = new Header(columns);
    if (header.hasTwins || columns.join('').length + columns.length > MAX_HEADER_LETTERS) return;
    const { fingerprint } = header;
    const kept = { fingerprint, columns, map, set, unused, on };
    const entries = this.#entries();
    const former = entries.filter((each) => each.fingerprint === fingerprint && !isSame(each, kept));
    const others = entries.filter((each) => each.fingerprint !== fingerprint);
    this.#write([kept, ...former.slice(0, MAX_FORMER), ...others].slice(0, MAX_MAPPINGS));
  }

  /**
   * Removes the mappings whose fingerprints begin with this text, or all of them, and returns the number of headers
   * that have lost theirs. Throws like `keep`.
   */
  forget(beginning: string | null): number {
    const isKept = ({ fingerprint }: KeptMapping) => beginning !== null && !fingerprint.startsWith(beginning);
    const [all, entries] = [this.all(), this.#entries()];
    const left = entries.filter(isKept);
    if (left.length < entries.length) this.#write(left);
    return all.length - all.filter(isKept).length;
  }

  #write(mappings: readonly KeptMapping[]): void {
    this.#file.replaceOrThrow(`${JSON.stringify({ version: 2, mappings }, null, 2)}\n`);
  }
}

function isSame(one: Confirmed, other: Confirmed): boolean {
  const content = ({ map, set }: Confirmed) => JSON.stringify([map, set]);
  return content(one) === content(other);
}

/**
 * The columns of a header in the form in which names are compared. The columns that srq adds to results are ignored.
 */
class Header {
  /** The index of the column with each form. */
  readonly places = new Map<string, number>();
  /** The forms of the columns that have a name. */
  readonly named: readonly string[];
  /** Whether two columns have different names with the same form, so that the form does not identify a column. */
  readonly hasTwins: boolean;
  readonly size: number;
  /**
   * The fingerprint of the header, as 12 hex digits. Case, accents, blanks and the order of the columns make no
   * difference.
   */
  readonly fingerprint: string;
  readonly #columns: readonly string[];
  readonly #forms: readonly string[];

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#forms = columns.map((name, index) => headerForm(name) || `column ${index + 1}`);
    const own = this.#forms.filter((_, index) => isOwn(columns[index] ?? ''));
    let hasTwins = false;
    for (const [index, form] of this.#forms.entries()) {
      const before = this.places.get(form);
      if (before === undefined) this.places.set(form, index);
      else if (columns[before] !== columns[index]) hasTwins = true;
    }
    this.hasTwins = hasTwins;
    this.named = this.#forms.filter((_, index) => columns[index] !== '' && isOwn(columns[index] ?? ''));
    this.size = own.length;
    this.fingerprint = createHash('sha256').update(JSON.stringify(own.toSorted())).digest('hex').slice(0, 12);
  }

  formAt(index: number): string {
    return this.#forms[index] ?? '';
  }

  /** Returns the name of the column with this form, or null if there is none. */
  labelOf(form: string): string | null {
    const index = this.places.get(form);
    return index === undefined ? null : columnLabel(this.#columns, index);
  }

  /** Returns the names of the columns that another header does not have. */
  namesBeside(other: Header): readonly string[] {
    return this.#columns.filter((name, index) => name !== '' && isOwn(name) && !other.places.has(this.formAt(index)));
  }
}

const isOwn = (name: string) => resultColumnOf(name) === null;

function isAlike(shared: number, before: number, now: number): boolean {
  return shared >= MIN_SHARED_COLUMNS && shared >= MIN_SHARED * Math.max(before, now);
}

/**
 * Translates a mapping to the names that its columns have in another header. Columns that the other header lacks are
 * left out, and so are templates with such a column, and constants: another header may have a column for what was the
 * same in all rows. A column without a name is identified by its position, so it is found only in the same header.
 */
function renamed({ map, set, unused }: KeptMapping, before: Header, now: Header): Confirmed {
  const isSame = before.fingerprint === now.fingerprint;
  const named = new Set(before.named);
  const nameNow = (name: string): string | null => {
    const form = headerForm(name);
    if (named.has(form)) return now.labelOf(form);
    return isSame ? name : null;
  };
  const entries = Object.entries(map).flatMap(([name, field]) => {
    const there = nameNow(name);
    return there === null ? [] : [[mapKey(there), field] as const];
  });
  const isThere = ([, text]: readonly [string, string]) => {
    const names = templateColumns(text);
    return isSame || (names.length > 0 && names.every((name) => nameNow(name) !== null));
  };
  return {
    map: Object.fromEntries(entries),
    set: Object.fromEntries(Object.entries(set).filter(isThere)),
    unused: unused.map(nameNow).filter((name) => name !== null),
  };
}
