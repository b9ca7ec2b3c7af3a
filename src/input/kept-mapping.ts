import {
  columnLabel,
  type FieldSource,
  type Mapping,
  type MappingOptions,
  mapKey,
  type RememberedMapping,
  resultColumnOf,
} from '../request/lead/table.ts';
import { columnsNamed } from './column-names.ts';
import { nameEvidence } from './columns/name-evidence.ts';
import { type MappingEvidence, planMapping } from './mapping.ts';

/**
 * Returns options that give the same mapping for a file with the same columns, even if a later version of srq knows
 * other names.
 */
export function mappingToKeep({ columns, sources }: Mapping, { map, set, remembered }: MappingOptions): MappingOptions {
  const label = (index: number) => columnLabel(columns, index);
  const named = (how: FieldSource['how']) => sources.filter((each) => each.how === how);
  const found = named('first').flatMap((each) => each.columns.map((index) => [label(index), each.field] as const));
  const joined = named('join').map((each) => [each.field, each.columns.map(label)] as const);
  const taken = new Set(sources.flatMap(({ how, columns: at }) => (how === 'template' ? [] : at)));
  const leftOut = [...Object.entries(remembered?.map ?? {}), ...Object.entries(map)]
    .filter(([, field]) => field === '-')
    .flatMap(([name]) => columnsNamed(columns, name))
    .filter((index) => !taken.has(index))
    .map((index) => [label(index), '-'] as const);
  const isGiven = ([field]: readonly [string, string]) =>
    sources.some((each) => each.how === 'template' && each.field === field && each.because !== '--set');
  const before = Object.entries(remembered?.set ?? {}).filter(isGiven);
  const entries = [...found, ...leftOut].map(([name, field]) => [mapKey(name), field] as const);
  return {
    map: Object.fromEntries(entries),
    set: { ...Object.fromEntries(before), ...set },
    join: Object.fromEntries(joined),
  };
}

/**
 * Returns what is remembered of a mapping that a person has confirmed. Returns null if it would not give the same file
 * the same columns in the same order again. The file's rows would then have other keys and would be sent again.
 */
export function mappingToRemember(
  mapping: Mapping,
  options: MappingOptions,
  evidence: MappingEvidence,
): Omit<RememberedMapping, 'on' | 'changes'> | null {
  const { columns, sources } = mapping;
  const { map, set, join } = mappingToKeep(mapping, options);
  const used = new Set(sources.flatMap((each) => each.columns));
  // Result columns are not part of the header, because the original file does not have them.
  const isUnused = (index: number) => !used.has(index) && resultColumnOf(columns[index] ?? '') === null;
  const unused = columns.map((_, index) => columnLabel(columns, index)).filter((_, index) => isUnused(index));
  const kept = { map, join, set, unused };
  const remembered = { ...kept, on: '', changes: null };
  const again = planMapping(columns, { map: {}, set: {}, join: {}, remembered }, evidence);
  return usedColumns(again) === usedColumns(mapping) ? kept : null;
}

/**
 * Describes from which columns each field is taken. Columns of which the first filled one counts come first, then
 * joined ones.
 */
export function usedColumns({ sources }: Pick<Mapping, 'sources'>): string {
  const fields = [...new Set(sources.map(({ field }) => field))].sort();
  const of = (field: string) => sources.filter((each) => each.field === field);
  return JSON.stringify(
    fields.map((field) => [
      field,
      of(field).flatMap(({ how, columns }) => (how === 'first' ? columns : [])),
      of(field).flatMap(({ how, columns, template }) => (how === 'first' ? [] : [[how, columns, template]])),
    ]),
  );
}

/**
 * Tells whether the names in a header describe its content, so that another file with the same header is of the same
 * kind. `A, B, C` and `Column 1, Column 2` do not, nor does a header without names.
 */
export function isTellingHeader(columns: readonly string[]): boolean {
  const telling = columns.filter((name) => !isGeneric(name));
  return telling.length > 0 && telling.length >= columns.length / 2;
}

/** Tells whether a name says nothing. Names in other scripts are not understood, but they do say something. */
function isGeneric(name: string): boolean {
  return !/[^\p{ASCII}\p{Script=Latin}\p{P}\p{S}\p{Z}\p{C}]/u.test(name) && nameEvidence(name).isEmpty;
}
