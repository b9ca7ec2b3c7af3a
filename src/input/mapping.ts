import { FIELD, FIELDS, type Field, isField } from '../request/lead/fields.ts';
import { parseMarket } from '../request/lead/markets.ts';
import type { FieldSource, Level, Mapping, MappingOptions, MissedColumn } from '../request/lead/table.ts';
import { parseTemplate, sideBySide, type Template } from '../request/lead/template.ts';
import { SrqError } from '../request/words/errors.ts';
import { finding, type Problem } from '../request/words/finding.ts';
import { columnsNamed, partColumns, ranked } from './column-names.ts';
import type { ColumnReading } from './columns/candidates.ts';
import type { ColumnSample } from './columns/sample.ts';
import { type Understanding, understandColumns } from './columns/understand.ts';
import { contentWarnings, refuseSlips } from './mapping-doubts.ts';

/** Matches valid names of fields. A name is sent as the name of a parameter. */
const FIELD_NAME = /^[A-Za-z][\w.[\]-]{0,99}$/;

/** The evidence about columns in addition to their names. */
export interface MappingEvidence {
  /** The first cells of each column. It is empty if only the names are known. */
  readonly sample: ColumnSample;
  /** Further names of parameters that the service has. Names other than these and srq's own are probably mistakes. */
  readonly parameters: ReadonlySet<string>;
}

const NAMES_ONLY: MappingEvidence = { sample: [], parameters: new Set() };

/**
 * Decides from which columns each field takes its values. `--map` and `--set` take precedence over an earlier confirmed
 * mapping, and that over what srq understands. A field that is given in one way takes nothing from columns that are
 * found in a lower way. If both flags name a field, `--set` fills the rows whose mapped cells are empty.
 *
 * Throws `SrqError('usage')` if a column does not exist, if a field's name is invalid or probably a mistake, or if a
 * constant is the name of a column. Throws `SrqError('input')` if a column name occurs twice and is neither mapped nor
 * ignored.
 */
export function planMapping(
  columns: readonly string[],
  options: MappingOptions,
  { sample, parameters }: MappingEvidence = NAMES_ONLY,
): Mapping {
  const { map, set, remembered } = options;
  refuseSlips(columns, options, parameters);
  const chosen = chosenColumns(columns, map);
  const said = [...mappedSources(chosen, '--map'), ...setSources(columns, set, '--set')];
  const before = remembered
    ? rememberedColumns(columns, remembered, said, chosen)
    : { sources: [], ignored: [], unused: [] };
  const explicit = [...said, ...before.sources];
  const known = new Set(explicit.map(({ field }) => field));
  const taken = new Set([...chosen.values(), before.ignored, ...before.sources.map((each) => each.columns)].flat());
  refuseRepeatedNames(columns, taken);
  const market = parseMarket(set['country'] ?? remembered?.set['country'] ?? '');
  const understood = understandColumns({ columns, cells: sample, market });
  const closed = new Set([...taken, ...before.unused]);
  const readings = understood.readings.filter(({ index, meaning }) => !closed.has(index) && !known.has(meaning));
  const usable = withoutNotes(readings);
  const hasMark = columns.some((name) => ['ad_id', 'is_organic', 'inbox_url'].includes(name));
  const isFromMeta = columns.includes('form_id') && hasMark;
  const prefix = (field: string) => (isFromMeta && isField(field) ? FIELD[field].metaPrefix : null);
  const found = FIELDS.filter((field) => !known.has(field)).flatMap((field) => understoodSources(field, usable));
  const sources = [...explicit, ...found].map((source) => ({ ...source, prefix: prefix(source.field) }));
  const { readings: all } = understood;
  const leftOut = [...(chosen.get('-') ?? []), ...before.ignored];
  const parts = partColumns({ columns, sources, readings: all, leftOut, parameters });
  const used = new Set([...sources.flatMap((each) => each.columns), ...(parts.region ?? [])]);
  return {
    columns,
    sources,
    ignored: columns.filter((name, index) => name !== '' && !used.has(index)),
    leftOut,
    warnings: [
      ...changeWarnings(remembered),
      ...extraFieldWarnings(explicit, parameters),
      ...contentWarnings(columns, explicit, understood.profiles),
    ],
    remembered: remembered ? { on: remembered.on, changes: remembered.changes } : null,
    missed: missedColumns(understood, sources, taken, sample),
    parts,
  };
}

/**
 * Returns the columns that `--map` names, by field (including `-`), in the given order. Of a column that is named several
 * times, however its name is written, the last statement holds: one that is left out at last must not be sent.
 */
function chosenColumns(columns: readonly string[], map: Readonly<Record<string, string>>): Map<string, number[]> {
  const fields = new Map<number, string>();
  for (const [column, field] of Object.entries(map)) {
    if (field !== '-') requireFieldName(field);
    for (const index of columnsNamed(columns, column)) fields.set(index, field);
  }
  const chosen = new Map<string, number[]>();
  for (const [index, field] of fields) chosen.set(field, [...(chosen.get(field) ?? []), index]);
  return chosen;
}

function requireFieldName(field: string): void {
  if (FIELD_NAME.test(field)) return;
  throw new SrqError(
    'field.unknown',
    `"${field}" cannot be the name of a field.`,
    `The fields are: ${FIELDS.join(', ')}`,
  );
}

function refuseRepeatedNames(columns: readonly string[], settled: ReadonlySet<number>): void {
  const seen = new Set<string>();
  for (const [index, name] of columns.entries()) {
    if (name === '' || settled.has(index)) continue;
    if (seen.has(name)) {
      throw new SrqError(
        'column.twice',
        `The file has more than one column "${name}".`,
        `Rename one in the file, as the other may be somebody else's, or leave them out: --map "${name}=-"`,
      );
    }
    seen.add(name);
  }
}

const source = (
  field: string,
  columns: readonly number[],
  because: string,
  level: Level = 'certain',
  template: Template | null = null,
): FieldSource => ({ field, columns, template, prefix: null, because, level });

function mappedSources(chosen: ReadonlyMap<string, number[]>, because: string): FieldSource[] {
  return [...chosen].filter(([field]) => field !== '-').map(([field, at]) => source(field, at, because));
}

/**
 * Returns the sources of a remembered mapping for fields that the flags do not give, and the columns that it leaves
 * out.
 */
function rememberedColumns(
  columns: readonly string[],
  { map, set, unused, on }: NonNullable<MappingOptions['remembered']>,
  said: readonly FieldSource[],
  saidOf: ReadonlyMap<string, readonly number[]>,
): { sources: FieldSource[]; ignored: readonly number[]; unused: readonly number[] } {
  const because = `as confirmed on ${on}`;
  const spoken = new Set([...said.map((each) => each.columns), ...saidOf.values()].flat());
  const chosen = chosenColumns(columns, map);
  const isOpen = ({ field }: FieldSource) => !said.some((each) => each.field === field);
  const free = mappedSources(chosen, because)
    .map((each) => ({ ...each, columns: each.columns.filter((at) => !spoken.has(at)) }))
    .filter((each) => each.columns.length > 0);
  // What is said of one of its columns makes a template another one: the field is read anew.
  const templates = setSources(columns, set, because).filter((each) => !each.columns.some((at) => spoken.has(at)));
  return {
    sources: [...free, ...templates].filter(isOpen),
    ignored: chosen.get('-') ?? [],
    unused: unused.flatMap((name) => columnsNamed(columns, name)),
  };
}

function setSources(columns: readonly string[], set: Readonly<Record<string, string>>, because: string): FieldSource[] {
  return Object.entries(set).map(([field, text]) => {
    requireFieldName(field);
    const template = parseTemplate(text, (name) => columnsNamed(columns, name)[0] ?? 0);
    const used = template.filter((part) => typeof part === 'number');
    return source(field, used, because, 'certain', template);
  });
}

/**
 * Returns the sources of a field that was understood. Its own columns come first, then the columns that can be joined
 * to it.
 */
function understoodSources(field: Field, readings: readonly ColumnReading[]): FieldSource[] {
  const own = ranked(readings, field);
  const parts = FIELD[field].joinedFrom.flatMap((part) => ranked(readings, part).slice(0, 1));
  return [...ownSources(field, own, readings), ...(parts.length > 0 ? [joinedSource(field, parts, readings)] : [])];
}

/** Returns one source for the columns that are certain, followed by one for those that are only likely. */
function ownSources(field: Field, own: readonly number[], readings: readonly ColumnReading[]): FieldSource[] {
  return (['certain', 'likely'] as const).flatMap((level) => {
    const used = readings.filter((each) => each.level === level && own.includes(each.index));
    const at = own.filter((index) => used.some((each) => each.index === index));
    const reasons = new Set(used.map(({ because }) => because));
    return at.length > 0 ? [source(field, at, [...reasons].join('; '), level)] : [];
  });
}

function joinedSource(field: Field, parts: readonly number[], readings: readonly ColumnReading[]): FieldSource {
  const used = readings.filter(({ index }) => parts.includes(index));
  const unsure = used.filter(({ level }) => level === 'likely').map(({ because }) => because);
  // Of one column nothing is joined: it alone is the place, or the name.
  const reasons = parts.length > 1 ? ['joined', ...unsure] : used.map(({ because }) => because);
  const because = [...new Set(reasons)].join('; ');
  return source(field, parts, because, unsure.length > 0 ? 'likely' : 'certain', sideBySide(parts));
}

/**
 * Leaves out columns of notes if another column holds the text, because notes are often about the customer and not
 * meant for the professional.
 */
function withoutNotes(readings: readonly ColumnReading[]): readonly ColumnReading[] {
  const hasText = readings.some(({ meaning }) => meaning === 'request_text');
  if (hasText) return readings.filter(({ meaning }) => meaning !== 'notes');
  return readings.map((each) =>
    each.meaning === 'notes' ? { ...each, meaning: 'request_text', rank: NOTES_RANK } : each,
  );
}

const NOTES_RANK = 100;

/**
 * Returns the columns that clearly hold telephone numbers, e-mail addresses or texts, if nothing gives that field and
 * the user has said nothing about the column.
 */
function missedColumns(
  { plain, readings }: Understanding,
  sources: readonly FieldSource[],
  settled: ReadonlySet<number>,
  sample: ColumnSample,
): MissedColumn[] {
  const isEmpty = (index: number) => sample[index]?.every((cell) => cell.trim() === '') ?? false;
  // A user who names a column or a value knows this file. A remembered column was right for another file and may be
  // empty here.
  const gives = ({ because, columns }: FieldSource) => because.startsWith('--') || !columns.every(isEmpty);
  const given = new Set(sources.filter(gives).map(({ field }) => field));
  const used = new Set(sources.flatMap((each) => each.columns));
  const isOpen = (field: MissedColumn['field']) =>
    !given.has(field) && (field !== 'request_text' || !given.has('audio_file'));
  // Columns that were understood count as well: a remembered mapping may leave them out.
  const needed = (['phone', 'email', 'request_text'] as const).flatMap((field) =>
    ranked(readings, field).map((index) => ({ index, field, isOthers: false })),
  );
  return [...plain, ...needed].filter(({ index, field }) => isOpen(field) && !settled.has(index) && !used.has(index));
}

function extraFieldWarnings(sources: readonly FieldSource[], parameters: ReadonlySet<string>): Problem[] {
  const extra = sources.map(({ field }) => field).filter((field) => !isField(field) && !parameters.has(field));
  return [...new Set(extra)].map((field) => finding('columns.unknown-field', field, {}));
}

/** Warns about the differences between a header and the one for which the mapping was confirmed. */
function changeWarnings(remembered: MappingOptions['remembered']): Problem[] {
  if (!remembered?.changes) return [];
  const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ') || 'none';
  const { added, gone } = remembered.changes;
  const what = `The header is not quite the one mapped on ${remembered.on}. New columns: ${list(added)}; gone: ${list(gone)}.`;
  return [finding('columns.changed', '', { what })];
}
