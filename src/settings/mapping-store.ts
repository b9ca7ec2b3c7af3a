import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { headerForm } from '../request/lead/field-aliases.ts';
import { columnLabel, mapKey, type RememberedMapping, resultColumnOf } from '../request/lead/table.ts';
import { templateColumns } from '../request/lead/template.ts';
import { ownFile, type Trust } from './own-file.ts';

/** A mapping that a person confirmed, with the header that it is for. Columns are named as in that header. */
const keptSchema = z.object({
  fingerprint: z.string(),
  columns: z.array(z.string()),
  map: z.record(z.string(), z.string()),
  set: z.record(z.string(), z.string()),
  unused: z.array(z.string()),
  /** The day on which it was confirmed: `2026-11-20`. */
  on: z.string(),
});
/** One of them with the header that it was confirmed for. */
type Entry = z.infer<typeof keptSchema> & { readonly before: Header };
const fileSchema = z.object({ version: z.literal(2), mappings: z.array(keptSchema) });

export type MappingStore = ReturnType<typeof mappingStore>;

type Confirmed = Pick<RememberedMapping, 'map' | 'set' | 'unused'>;

/** Maximum number of mappings of a profile. The one that was confirmed longest ago makes room. */
const MAX_MAPPINGS = 200;
/** Maximum number of mappings that are kept for one header, besides the latest. */
const MAX_FORMER = 4;
/** Maximum number of mappings of shorter headers under which a file is looked up. */
const MAX_SHORTER = 3;
/** Maximum total length of the names in a header. Every import reads the file with all mappings. */
const MAX_HEADER_LETTERS = 50_000;
/**
 * Minimum share and number of columns that two headers must have in common for one to count as a later form of the
 * other.
 */
const MIN_SHARED = 0.75;
const MIN_SHARED_COLUMNS = 4;

/**
 * Stores the mappings that a profile's user has confirmed, by the header of the file, the latest first. An unreadable file
 * counts as empty.
 */
export function mappingStore(path: string, trust: Trust) {
  const file = ownFile(path, trust);
  const kept = () => file.json(fileSchema)?.mappings ?? [];
  const entriesNow = () => kept().map((each): Entry => ({ ...each, before: headerOf(each.columns) }));

  return {
    /**
     * Returns the mappings under which files with this header were imported, the latest first, and then those of headers that
     * have lacked some of its columns. Requests that were sent under another mapping than the present one have other keys.
     */
    used(columns: readonly string[]): readonly RememberedMapping[] {
      const now = headerOf(columns);
      if (now.hasTwins) return [];
      const entries = entriesNow();
      const shorter = entries
        .map((each) => ({ ...each, added: now.own.filter((form) => !each.before.labels.has(form)) }))
        // All that it has are here, and those that it lacks have names.
        .filter(({ before, added }) => added.length > 0 && added.length === now.own.length - before.own.length)
        .filter(({ added }) => added.every((form) => now.named.includes(form)))
        .slice(0, MAX_SHORTER)
        .map((each) => {
          const changes = { added: each.added.map((form) => now.labels.get(form) ?? form), gone: [] };
          return { ...renamed(each, now), set: each.set, on: each.on, changes };
        });
      return [...sameIn(entries, now), ...shorter];
    },

    /**
     * Returns the mapping that was confirmed for this header, or for one that differs from it in a few columns. Columns
     * have the names of this header. Returns null if there is none.
     */
    find(columns: readonly string[]): RememberedMapping | null {
      const now = headerOf(columns);
      if (now.hasTwins) return null;
      const entries = entriesNow();
      const [same] = sameIn(entries, now);
      if (same) return same;
      const [nearest] = entries
        .map((each) => ({ ...each, shared: each.before.named.filter((form) => now.labels.has(form)).length }))
        .filter(({ shared }) => shared >= MIN_SHARED_COLUMNS)
        .filter(({ shared, before }) => shared >= MIN_SHARED * Math.max(before.own.length, now.own.length))
        .sort((a, b) => b.shared - a.shared);
      if (!nearest) return null;
      const { before, on } = nearest;
      const beside = (one: Header, other: Header) =>
        one.named.flatMap((form) => (other.labels.has(form) ? [] : [one.labels.get(form) ?? form]));
      return { ...renamed(nearest, now), on, changes: { added: beside(now, before), gone: beside(before, now) } };
    },

    /**
     * Stores a mapping for a header, unless it is not {@link isKeepable}. It takes precedence over earlier ones for the same
     * header. Throws the system's error if the file cannot be written.
     */
    keep(columns: readonly string[], { map, set, unused }: Confirmed, on: string): void {
      if (!isKeepable(columns)) return;
      const { fingerprint } = headerOf(columns);
      const confirmed = { fingerprint, columns, map, set, unused, on };
      const content = ({ map, set }: Confirmed) => JSON.stringify([map, set]);
      const entries = kept();
      const former = entries.filter((each) => each.fingerprint === fingerprint && content(each) !== content(confirmed));
      const others = entries.filter((each) => each.fingerprint !== fingerprint);
      const mappings = [confirmed, ...former.slice(0, MAX_FORMER), ...others].slice(0, MAX_MAPPINGS);
      file.replaceOrThrow(`${JSON.stringify({ version: 2, mappings }, null, 2)}\n`);
    },
  };
}

/** Tells whether a header is not very long, and no two of its names differ only in case or accents. */
export function isKeepable(columns: readonly string[]): boolean {
  return !headerOf(columns).hasTwins && columns.join('').length + columns.length <= MAX_HEADER_LETTERS;
}

/**
 * The columns of a header by the forms in which names are compared. A column without a name has the form `column 3`. The
 * columns that srq adds to results are ignored.
 */
type Header = ReturnType<typeof headerOf>;

function headerOf(columns: readonly string[]) {
  const all = columns.map((name, index) => ({ name, form: headerForm(name) || `column ${index + 1}`, index }));
  const own = all.filter(({ name }) => resultColumnOf(name) === null);
  const first = new Map(all.toReversed().map(({ form, name }) => [form, name]));
  const forms = own.map(({ form }) => form);
  return {
    /** The names of the columns by their forms. */
    labels: new Map(all.toReversed().map(({ form, index }) => [form, columnLabel(columns, index)])),
    /** The forms of all columns of the file itself, and of those that have a name. */
    own: forms,
    named: own.flatMap(({ name, form }) => (name === '' ? [] : [form])),
    /** Whether two columns have different names with the same form, so that the form does not identify a column. */
    hasTwins: all.some(({ form, name }) => first.get(form) !== name),
    /** 12 hex digits. Case, accents, blanks and the order of the columns make no difference. */
    fingerprint: hash('sha256', JSON.stringify(forms.toSorted()), 'hex').slice(0, 12),
  };
}

/** Returns the mappings of exactly this header. */
function sameIn(entries: readonly Entry[], now: Header): RememberedMapping[] {
  return entries
    .filter(({ fingerprint }) => fingerprint === now.fingerprint)
    .map((each) => ({ ...renamed(each, now), on: each.on, changes: null }));
}

/**
 * Translates a mapping to the names that its columns have in another header. Columns that the other header lacks are
 * left out, and so are templates with such a column, and constants: another header may have a column for what was the
 * same in all rows. A column without a name is identified by its position, so it is found only in the same header.
 */
function renamed({ map, set, unused, before }: Entry, now: Header): Confirmed {
  const isSame = before.fingerprint === now.fingerprint;
  const named = new Set(before.named);
  const nameNow = (name: string): string | null => {
    const form = headerForm(name);
    if (named.has(form)) return now.labels.get(form) ?? null;
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
