import {
  columnLabel,
  type Mapping,
  type MappingOptions,
  mapKey,
  type RememberedMapping,
  resultColumnOf,
} from '../request/lead/table.ts';
import { templateColumns, templateText } from '../request/lead/template.ts';
import { SrqError } from '../request/words/errors.ts';
import type { ColumnReading } from './columns/candidates.ts';
import { nameEvidence } from './columns/name-evidence.ts';
import type { ColumnSample } from './columns/sample.ts';
import { understandColumns } from './columns/understand.ts';
import { type MappingEvidence, planMapping } from './mapping.ts';

/**
 * Returns options that give the same mapping for a file with the same columns, even if a later version of srq knows
 * other names.
 */
export function mappingToKeep({ columns, sources, leftOut }: Mapping): Pick<MappingOptions, 'map' | 'set'> {
  const label = (index: number) => columnLabel(columns, index);
  const mapped = sources.flatMap(({ field, columns: at, template }) =>
    template ? [] : at.map((index) => [index, field] as const),
  );
  const taken = new Set(mapped.map(([index]) => index));
  const ignored = leftOut.filter((index) => !taken.has(index)).map((index) => [index, '-'] as const);
  return {
    map: Object.fromEntries([...mapped, ...ignored].map(([index, field]) => [mapKey(label(index)), field])),
    set: Object.fromEntries(
      sources.flatMap(({ field, template }) => (template ? [[field, templateText(template, label)]] : [])),
    ),
  };
}

/**
 * Returns what is remembered of a mapping that a person has confirmed. Returns null if it would not give the same file
 * the same columns in the same order again. The file's rows would then have other keys and would be sent again. A column of
 * references is left out for one file only: the next one would lose what keeps a corrected lead from being sent again.
 */
export function mappingToRemember(
  mapping: Mapping,
  evidence: MappingEvidence,
): Omit<RememberedMapping, 'on' | 'changes'> | null {
  const { columns, sources, leftOut } = mapping;
  // Most files leave nothing out, or have a reference, and then need no look at their content.
  const lacksReference = leftOut.length > 0 && !sources.some(({ field }) => field === 'ref');
  const isReference = ({ index, meaning, level }: ColumnReading) =>
    meaning === 'ref' && level === 'certain' && leftOut.includes(index);
  const view = { columns, cells: evidence.sample, market: undefined };
  if (lacksReference && understandColumns(view).readings.some(isReference)) return null;
  const used = new Set(sources.flatMap((each) => each.columns));
  // Result columns are not part of the header, because the original file does not have them.
  const isUnused = (index: number) => !used.has(index) && resultColumnOf(columns[index] ?? '') === null;
  const unused = columns.map((_, index) => columnLabel(columns, index)).filter((_, index) => isUnused(index));
  const kept = { ...mappingToKeep(mapping), unused };
  const remembered = { ...kept, on: '', changes: null };
  try {
    const again = planMapping(columns, { map: {}, set: {}, remembered }, evidence);
    return usedColumns(again) === usedColumns(mapping) ? kept : null;
  } catch (error) {
    // A column that is called {} cannot be named in a template.
    if (error instanceof SrqError) return null;
    throw error;
  }
}

/**
 * Returns a remembered mapping as it is used for a file. A constant was said of another file: where this one has a column for
 * the same field, its cells come first, and the constant fills what is empty.
 */
export function rememberedFor(
  remembered: RememberedMapping,
  columns: readonly string[],
  cells: ColumnSample,
): RememberedMapping {
  const { map, set, unused } = remembered;
  const isConstant = (field: string) => set[field] !== undefined && templateColumns(set[field]).length === 0;
  if (!Object.keys(set).some(isConstant)) return remembered;
  const { readings } = understandColumns({ columns, cells, market: undefined });
  const own = readings
    .filter(({ level, meaning }) => level === 'certain' && isConstant(meaning))
    .map(({ index, meaning }) => [columnLabel(columns, index), meaning] as const)
    .filter(([label]) => unused.includes(label));
  return { ...remembered, map: { ...map, ...Object.fromEntries(own.map(([label, field]) => [mapKey(label), field])) } };
}

/**
 * Describes from which columns each field is taken: first alternatives, where the first filled column counts, then
 * templates.
 */
export function usedColumns({ sources }: Pick<Mapping, 'sources'>): string {
  const fields = [...new Set(sources.map(({ field }) => field))].sort();
  const of = (field: string) => sources.filter((each) => each.field === field);
  return JSON.stringify(
    fields.map((field) => [
      field,
      of(field).flatMap(({ columns, template }) => (template ? [] : columns)),
      of(field).flatMap(({ template }) => (template ? [template] : [])),
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
