import { nearest } from '../request/did-you-mean.ts';
import { SrqError } from '../request/errors.ts';
import { normalForm } from '../request/field-aliases.ts';
import { FIELD, FIELDS, type Field, isField } from '../request/fields.ts';
import { type Finding, finding } from '../request/finding.ts';
import { parseMarket } from '../request/markets.ts';
import {
  columnLabel,
  type FieldSource,
  type Level,
  type Mapping,
  type MappingOptions,
  type MissedColumn,
  type Tie,
} from '../request/table.ts';
import type { ColumnReading } from './columns/candidates.ts';
import type { ColumnSample } from './columns/sample.ts';
import { type Understanding, understandColumns } from './columns/understand.ts';

/** The pattern of a field's name, which is sent as the name of a parameter. */
const FIELD_NAME = /^[A-Za-z][\w.[\]-]{0,99}$/;

/** What is known besides the names of the columns. */
export interface MappingEvidence {
  /** The first cells of each column; none if only the names are known. */
  readonly sample: ColumnSample;
  /** Further names of parameters that the service knows. Others than these and srq's own are probably slips. */
  readonly parameters: ReadonlySet<string>;
}

const NAMES_ONLY: MappingEvidence = { sample: [], parameters: new Set() };

/**
 * Decides which columns each field takes its values from. `--map` and `--set` win over what was confirmed earlier, and that
 * over what srq understands: a field given there takes nothing from other columns. If both name a field, `--set` fills the
 * rows whose mapped cells are empty.
 *
 * Throws `SrqError('usage')` if a column does not exist or a field's name is not valid or probably a slip, and
 * `SrqError('input')` if a column name occurs twice and is neither mapped nor ignored.
 */
export function planMapping(
  columns: readonly string[],
  options: MappingOptions,
  { sample, parameters }: MappingEvidence = NAMES_ONLY,
): Mapping {
  const { map, set, join, remembered } = options;
  for (const field of [...Object.values(map), ...Object.keys(set)]) refuseSlip(field, parameters);
  const chosen = chosenColumns(columns, map);
  const said = [
    ...mappedSources(chosen, '--map'),
    ...joinedSources(columns, join, '--mapping'),
    ...setSources(columns, set),
  ];
  const before = remembered ? rememberedColumns(columns, remembered, said) : { sources: [], ignored: [] };
  const explicit = [...said, ...before.sources];
  const known = new Set(explicit.map(({ field }) => field));
  const taken = new Set([...chosen.values(), ...before.ignored, ...before.sources.map((each) => each.columns)].flat());
  refuseRepeatedNames(columns, taken);
  const understood = understandColumns({ columns, cells: sample, market: parseMarket(set['country'] ?? '') });
  const readings = understood.readings.filter(({ index, meaning }) => !taken.has(index) && !known.has(meaning));
  const usable = withoutNotes(readings);
  const prefix = isMeta(columns) ? metaPrefix : () => null;
  const found = FIELDS.filter((field) => !known.has(field)).flatMap((field) => understoodSources(field, usable));
  const sources = [...explicit, ...found].map((source) => ({ ...source, prefix: prefix(source.field) }));
  return {
    columns,
    sources,
    ignored: unusedColumns(columns, sources),
    warnings: [
      ...changeWarnings(remembered),
      ...extraFieldWarnings(explicit, parameters),
      ...tieWarnings(columns, usable),
    ],
    missed: missedColumns(understood, sources, taken),
    ties: tiesOf(usable),
    postalCodes: ranked(understood.readings, 'postal_code'),
  };
}

/** Returns options that give the same mapping for a file with the same columns, whatever names a later srq knows. */
export function mappingToKeep({ columns, sources }: Mapping, { map, set, remembered }: MappingOptions): MappingOptions {
  const leftOut = Object.entries(remembered?.map ?? {}).filter(([, field]) => field === '-');
  const named = (how: FieldSource['how']) => sources.filter((each) => each.how === how && each.because !== '--set');
  const names = ({ columns: at }: FieldSource) => at.map((index) => columnLabel(columns, index));
  const found = named('first').flatMap((each) => names(each).map((name) => [name, each.field] as const));
  const joined = named('join').map((each) => [each.field, names(each)] as const);
  return { map: { ...Object.fromEntries([...leftOut, ...found]), ...map }, set, join: Object.fromEntries(joined) };
}

/** Returns the columns that `--map` names, by field (`-` included), in the order given. */
function chosenColumns(columns: readonly string[], map: Readonly<Record<string, string>>): Map<string, number[]> {
  const chosen = new Map<string, number[]>();
  for (const [column, field] of Object.entries(map)) {
    if (field !== '-') requireFieldName(field);
    chosen.set(field, [...(chosen.get(field) ?? []), ...columnsNamed(columns, column)]);
  }
  return chosen;
}

/**
 * Returns the indexes of the columns with this name; if there is none, of those with the same normal form. Throws
 * `SrqError('usage')` if there is none of those either.
 */
function columnsNamed(columns: readonly string[], name: string): number[] {
  const matching = (same: (column: string) => boolean) => columns.flatMap((each, at) => (same(each) ? [at] : []));
  const exact = matching((column) => column === name.trim() && column !== '');
  const form = normalForm(name);
  const found = exact.length > 0 || form === '' ? exact : matching((column) => normalForm(column) === form);
  if (found.length > 0) return found;
  const place = Number(/^column (\d{1,4})$/i.exec(name.trim())?.[1] ?? 0) - 1;
  if (columns[place] === '') return [place];
  const meant = nearest(name, columns);
  const list = columns
    .map((_, index) => columnLabel(columns, index))
    .slice(0, 50)
    .join(', ');
  throw new SrqError(
    'usage',
    `There is no column "${name}".${meant ? ` Did you mean "${meant}"?` : ''}`,
    `The columns are: ${list}`,
  );
}

function requireFieldName(field: string): void {
  if (FIELD_NAME.test(field)) return;
  throw new SrqError('usage', `"${field}" cannot be the name of a field.`, `The fields are: ${FIELDS.join(', ')}`);
}

function refuseRepeatedNames(columns: readonly string[], settled: ReadonlySet<number>): void {
  const seen = new Set<string>();
  for (const [index, name] of columns.entries()) {
    if (name === '' || settled.has(index)) continue;
    if (seen.has(name)) {
      throw new SrqError(
        'input',
        `The file has more than one column "${name}".`,
        `Rename one in the file, or say what they are: --map "${name}=FIELD", or --map "${name}=-" to ignore them.`,
      );
    }
    seen.add(name);
  }
}

/**
 * Throws `SrqError('usage')` for a field that is neither srq's nor the service's, but nearly one of srq's: a lead without its
 * telephone number would go out.
 */
function refuseSlip(field: string, parameters: ReadonlySet<string>): void {
  if (field === '-' || isField(field) || parameters.has(field)) return;
  const meant = nearest(field, FIELDS);
  if (meant === null) return;
  throw new SrqError(
    'usage',
    `There is no field "${field}". Did you mean "${meant}"?`,
    `Write ${meant} in --map, --set or the mapping file. If the service really has a parameter "${field}", let srq learn its document: srq contract learn FILE`,
  );
}

const source = (
  field: string,
  columns: readonly number[],
  how: 'first' | 'join',
  because: string,
  level: Level = 'certain',
): FieldSource => ({ field, columns, how, template: null, prefix: null, because, level });

function mappedSources(chosen: ReadonlyMap<string, number[]>, because: string): FieldSource[] {
  return [...chosen].filter(([field]) => field !== '-').map(([field, at]) => source(field, at, 'first', because));
}

function joinedSources(columns: readonly string[], join: MappingOptions['join'], because: string): FieldSource[] {
  return Object.entries(join).map(([field, names]) => {
    requireFieldName(field);
    const at = names.flatMap((name) => columnsNamed(columns, name).slice(0, 1));
    return source(field, at, 'join', because);
  });
}

/** Returns the sources of a remembered mapping, for the fields that are not said otherwise, and the columns it leaves out. */
function rememberedColumns(
  columns: readonly string[],
  { map, join, on }: NonNullable<MappingOptions['remembered']>,
  said: readonly FieldSource[],
): { sources: FieldSource[]; ignored: readonly number[][] } {
  const because = `mapped as on ${on}`;
  const spoken = new Set(said.flatMap((each) => each.columns));
  const chosen = chosenColumns(columns, map);
  const sources = [...mappedSources(chosen, because), ...joinedSources(columns, join, because)];
  const isOpen = ({ field }: FieldSource) => !said.some((each) => each.field === field);
  const free = sources
    .filter(isOpen)
    .map((each) => ({ ...each, columns: each.columns.filter((at) => !spoken.has(at)) }));
  return { sources: free.filter((each) => each.columns.length > 0), ignored: [chosen.get('-') ?? []] };
}

function setSources(columns: readonly string[], set: Readonly<Record<string, string>>): FieldSource[] {
  return Object.entries(set).map(([field, text]) => {
    requireFieldName(field);
    const template = parseTemplate(text, (name) => columnsNamed(columns, name)[0] ?? 0);
    const used = template.filter((part) => typeof part === 'number');
    return { field, columns: used, how: 'template', template, prefix: null, because: '--set', level: 'certain' };
  });
}

/** Returns the sources of a field that was understood: its own columns first, then the columns that can be joined to it. */
function understoodSources(field: Field, readings: readonly ColumnReading[]): FieldSource[] {
  const own = ranked(readings, field);
  const parts = FIELD[field].joinedFrom.flatMap((part) => ranked(readings, part).slice(0, 1));
  return [
    ...(own.length > 0 ? ownSources(field, own, readings) : []),
    ...(parts.length > 0 ? [joinedSource(field, parts, readings)] : []),
  ];
}

/** Returns one source for the columns that are certain, and one for those that are only likely, which come after them. */
function ownSources(field: Field, own: readonly number[], readings: readonly ColumnReading[]): FieldSource[] {
  const of = (level: Level) =>
    own.filter((index) => readings.some((each) => each.index === index && each.level === level));
  return (['certain', 'likely'] as const).flatMap((level) => {
    const at = of(level);
    const reasons = new Set(readings.filter(({ index }) => at.includes(index)).map(({ because }) => because));
    return at.length > 0 ? [source(field, at, 'first', [...reasons].join('; '), level)] : [];
  });
}

function joinedSource(field: Field, parts: readonly number[], readings: readonly ColumnReading[]): FieldSource {
  const used = readings.filter(({ index }) => parts.includes(index));
  const unsure = used.filter(({ level }) => level === 'likely').map(({ because }) => because);
  if (unsure.length === 0) return source(field, parts, 'join', 'joined');
  return source(field, parts, 'join', `joined; ${[...new Set(unsure)].join('; ')}`, 'likely');
}

/** Returns the indexes of the columns with this meaning, best first. */
function ranked(readings: readonly ColumnReading[], meaning: string): number[] {
  const found = readings.filter((each) => each.meaning === meaning);
  return found.sort((a, b) => a.rank - b.rank).map(({ index }) => index);
}

/** Notes are often about the customer, not for the professional, so they are the text only if no other column is. */
function withoutNotes(readings: readonly ColumnReading[]): readonly ColumnReading[] {
  const hasText = readings.some(({ meaning }) => meaning === 'request_text');
  return readings.flatMap((each) =>
    each.meaning !== 'notes'
      ? [each]
      : hasText
        ? []
        : [{ ...each, meaning: 'request_text', rank: NOTES_RANK } as const],
  );
}

const NOTES_RANK = 100;

/**
 * Returns the columns that plainly hold telephone numbers, e-mail addresses or texts, where nothing gives that field and
 * nobody has said what the column is.
 */
function missedColumns(
  { plain }: Understanding,
  sources: readonly FieldSource[],
  settled: ReadonlySet<number>,
): MissedColumn[] {
  const given = new Set(sources.map(({ field }) => field));
  const used = new Set(sources.flatMap((each) => each.columns));
  const isOpen = (field: MissedColumn['field']) =>
    !given.has(field) && (field !== 'request_text' || !given.has('audio_file'));
  return plain.filter(({ index, field }) => isOpen(field) && !settled.has(index) && !used.has(index));
}

function unusedColumns(columns: readonly string[], sources: readonly FieldSource[]): string[] {
  const used = new Set(sources.flatMap((each) => each.columns));
  return columns.filter((name, index) => name !== '' && !used.has(index));
}

function extraFieldWarnings(sources: readonly FieldSource[], parameters: ReadonlySet<string>): Finding[] {
  const extra = sources.map(({ field }) => field).filter((field) => !isField(field) && !parameters.has(field));
  return [...new Set(extra)].map((field) => finding('columns.unknown-field', field, {}));
}

/** Says how a header differs from the one for which the mapping was confirmed. */
function changeWarnings(remembered: MappingOptions['remembered']): Finding[] {
  if (!remembered?.changes) return [];
  const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ') || 'none';
  const { added, gone } = remembered.changes;
  const what = `The header is not quite the one mapped on ${remembered.on}. New columns: ${list(added)}; gone: ${list(gone)}.`;
  return [finding('columns.changed', '', { what })];
}

/**
 * Warns in the plan of columns that are equally likely the same field. A row whose cells there differ has a warning of
 * its own.
 */
function tieWarnings(columns: readonly string[], meanings: readonly ColumnReading[]): Finding[] {
  return tiesOf(meanings).map(({ field, columns: at }) => {
    const names = at.map((index) => `"${columns[index]}"`).join(' and ');
    const many = at.length === 2 ? 'both' : 'all';
    const what = `${names} ${many} look like the ${field.replaceAll('_', ' ')}; of several filled ones the first is taken (--map to choose).`;
    return finding('columns.alike', field, { what });
  });
}

function tiesOf(meanings: readonly ColumnReading[]): Tie[] {
  const places = new Map<string, ColumnReading[]>();
  for (const each of meanings) {
    const place = `${each.meaning} ${each.rank}`;
    places.set(place, [...(places.get(place) ?? []), each]);
  }
  return [...places.values()].flatMap((tied) => {
    const [first] = tied;
    if (!first || tied.length < 2) return [];
    const better = meanings.filter(({ meaning, rank }) => meaning === first.meaning && rank < first.rank);
    return [
      { field: first.meaning, columns: tied.map(({ index }) => index), better: better.map(({ index }) => index) },
    ];
  });
}

const metaPrefix = (field: string): string | null => (isField(field) ? FIELD[field].metaPrefix : null);

function isMeta(columns: readonly string[]): boolean {
  return columns.includes('form_id') && columns.some((name) => ['ad_id', 'is_organic', 'inbox_url'].includes(name));
}

/**
 * Parses a template into its parts: literal texts, and the index of each `{Column}`. `{{` and `}}` stand for the braces
 * themselves, and a brace that does not begin a column is an ordinary character.
 */
function parseTemplate(text: string, indexOf: (column: string) => number): (string | number)[] {
  const parts: (string | number)[] = [];
  let literal = '';
  for (const [piece, column] of text.matchAll(/\{\{|\}\}|\{([^{}]+)\}|[^{}]+|[{}]/g)) {
    if (column === undefined) {
      literal += piece === '{{' ? '{' : piece === '}}' ? '}' : piece;
    } else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(indexOf(column));
    }
  }
  if (literal !== '') parts.push(literal);
  return parts;
}
