import { nearest } from '../request/did-you-mean.ts';
import { SrqError } from '../request/errors.ts';
import { type Alias, aliasOf, type FieldOrPart, normalForm } from '../request/field-aliases.ts';
import { FIELD, FIELDS, type Field, isField } from '../request/fields.ts';
import { type FieldSource, type Mapping, type MappingOptions, RESULT_COLUMNS, type Tie } from '../request/table.ts';

/** The pattern of a field's name, which is sent as the name of a parameter. */
const FIELD_NAME = /^[A-Za-z][\w.[\]-]{0,99}$/;

/**
 * Decides which columns each field takes its values from. `--map` and `--set` win over the known names: a field given
 * there takes nothing from other columns. If both name a field, `--set` fills the rows whose mapped cells are empty.
 *
 * Throws `SrqError('usage')` if a column does not exist or a field's name is not valid, and `SrqError('input')` if a
 * column name occurs twice and is neither mapped nor ignored.
 */
export function planMapping(columns: readonly string[], { map, set, join }: MappingOptions): Mapping {
  const chosen = chosenColumns(columns, map);
  refuseRepeatedNames(columns, new Set([...chosen.values()].flat()));
  const explicit = [...mappedSources(chosen), ...joinedSources(columns, join), ...setSources(columns, set)];
  const known = new Set(explicit.map(({ field }) => field));
  const taken = new Set([...chosen.values()].flat());
  const meanings = columnMeanings(columns).filter(({ index, meaning }) => !taken.has(index) && !known.has(meaning));
  const prefix = isMeta(columns) ? metaPrefix : () => null;
  const understood = FIELDS.filter((field) => !known.has(field)).flatMap((field) => aliasSources(field, meanings));
  const sources = [...explicit, ...understood].map((source) => ({ ...source, prefix: prefix(source.field) }));
  return {
    columns,
    sources,
    ignored: unusedColumns(columns, sources),
    warnings: [...extraFieldWarnings(explicit), ...tieWarnings(columns, meanings)],
    ties: tiesOf(meanings),
    postalCodes: ranked(columnMeanings(columns), 'postal_code'),
  };
}

/** Returns options that give the same mapping for a file with the same columns, whatever names a later srq knows. */
export function mappingToKeep({ columns, sources }: Mapping, { map, set }: MappingOptions): MappingOptions {
  const named = (how: FieldSource['how']) => sources.filter((each) => each.how === how && each.because !== '--set');
  const names = ({ columns: at }: FieldSource) => at.map((index) => columns[index] ?? '');
  const found = named('first').flatMap((each) => names(each).map((name) => [name, each.field] as const));
  const joined = named('join').map((each) => [each.field, names(each)] as const);
  return { map: { ...Object.fromEntries(found), ...map }, set, join: Object.fromEntries(joined) };
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
  const meant = nearest(name, columns);
  const list = columns
    .filter((column) => column !== '')
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

const source = (field: string, columns: readonly number[], how: 'first' | 'join', because: string): FieldSource => ({
  field,
  columns,
  how,
  template: null,
  prefix: null,
  because,
});

function mappedSources(chosen: ReadonlyMap<string, number[]>): FieldSource[] {
  return [...chosen].filter(([field]) => field !== '-').map(([field, at]) => source(field, at, 'first', '--map'));
}

function joinedSources(columns: readonly string[], join: Readonly<Record<string, readonly string[]>>): FieldSource[] {
  return Object.entries(join).map(([field, names]) => {
    requireFieldName(field);
    const at = names.flatMap((name) => columnsNamed(columns, name).slice(0, 1));
    return source(field, at, 'join', '--mapping');
  });
}

function setSources(columns: readonly string[], set: Readonly<Record<string, string>>): FieldSource[] {
  return Object.entries(set).map(([field, text]) => {
    requireFieldName(field);
    const template = parseTemplate(text, (name) => columnsNamed(columns, name)[0] ?? 0);
    const used = template.filter((part) => typeof part === 'number');
    return { field, columns: used, how: 'template', template, prefix: null, because: '--set' };
  });
}

/** Returns the sources of a field by the known names: its own columns first, then the columns that can be joined to it. */
function aliasSources(field: Field, meanings: readonly ColumnMeaning[]): FieldSource[] {
  const own = ranked(meanings, field);
  const parts = FIELD[field].joinedFrom.flatMap((part) => ranked(meanings, part).slice(0, 1));
  return [
    ...(own.length > 0 ? [source(field, own, 'first', 'known name')] : []),
    ...(parts.length > 0 ? [source(field, parts, 'join', 'joined')] : []),
  ];
}

/** Returns the indexes of the columns with this meaning, best first. */
function ranked(meanings: readonly ColumnMeaning[], meaning: string): number[] {
  const found = meanings.filter((each) => each.meaning === meaning);
  return found.sort((a, b) => a.rank - b.rank).map(({ index }) => index);
}

function unusedColumns(columns: readonly string[], sources: readonly FieldSource[]): string[] {
  const used = new Set(sources.flatMap((each) => each.columns));
  return columns.filter((name, index) => name !== '' && !used.has(index));
}

function extraFieldWarnings(sources: readonly FieldSource[]): string[] {
  const extra = new Set(sources.map(({ field }) => field).filter((field) => !isField(field)));
  return [...extra].map((field) => {
    const meant = nearest(field, FIELDS);
    return `"${field}" is not a field srq knows; it is sent as it is.${meant ? ` Did you mean ${meant}?` : ''}`;
  });
}

/**
 * Warns in the plan of columns that are equally likely the same field. A row whose cells there differ has a warning of
 * its own.
 */
function tieWarnings(columns: readonly string[], meanings: readonly ColumnMeaning[]): string[] {
  return tiesOf(meanings).map(({ field, columns: at }) => {
    const names = at.map((index) => `"${columns[index]}"`).join(' and ');
    const many = at.length === 2 ? 'both' : 'all';
    return `${names} ${many} look like the ${field.replaceAll('_', ' ')}; of several filled ones the first is taken (--map to choose).`;
  });
}

function tiesOf(meanings: readonly ColumnMeaning[]): Tie[] {
  const places = new Map<string, ColumnMeaning[]>();
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

/** The meaning of one column, given the other columns of the file. */
interface ColumnMeaning extends Alias {
  readonly index: number;
}

/** Column names that mean the full name, but the first name if the file has a column for the last name. */
const FIRST_BESIDE_LAST = new Set(['name', 'nome', 'nombre']);

/** Column names that mean the full address, but only the street if the postal code or the city has its own column. */
const STREET_BESIDE_CITY = new Set([
  'address',
  'morada',
  'endereco',
  'direccion',
  'domicilio',
  'adresse',
  'anschrift',
  'indirizzo',
]);

/** The rank of a meaning that depends on other columns. It follows the ranks of all aliases, so that those come first. */
const LAST_RANK = 100;

/** Returns the meanings of a file's columns by the known names. Some names change their meaning if other columns exist. */
function columnMeanings(columns: readonly string[]): ColumnMeaning[] {
  const forms = columns.map(normalForm);
  const alone = columns.map((name) => (isResultColumn(name) ? undefined : aliasOf(name)));
  const has = (meaning: FieldOrPart): boolean => alone.some((each) => each?.meaning === meaning);
  const others: OtherColumns = {
    vorname: forms.includes('vorname'),
    prenom: forms.includes('prenom'),
    first: has('first_name'),
    last: has('last_name'),
    place: has('city') || has('postal_code'),
    request: has('request_text'),
  };
  return forms.flatMap((form, index) => {
    const found = meaningBeside(form, alone[index], others);
    return found ? [{ ...found, index }] : [];
  });
}

/** The columns that the file has, as far as they change the meaning of another column. */
interface OtherColumns {
  readonly vorname: boolean;
  readonly prenom: boolean;
  readonly first: boolean;
  readonly last: boolean;
  readonly place: boolean;
  readonly request: boolean;
}

function meaningBeside(form: string, alone: Alias | undefined, others: OtherColumns): Alias | undefined {
  if (form === 'nom') return others.prenom ? { meaning: 'last_name', rank: 1 } : undefined;
  if (form === 'name' && others.vorname && !others.last) return { meaning: 'last_name', rank: 2 };
  if (FIRST_BESIDE_LAST.has(form) && others.last && !others.first) return { meaning: 'first_name', rank: LAST_RANK };
  if (STREET_BESIDE_CITY.has(form) && others.place) return { meaning: 'street', rank: LAST_RANK };
  // Notes are often about the customer, not for the professional, so they count only if no other column has the request.
  if (alone?.meaning === 'notes') return others.request ? undefined : { meaning: 'request_text', rank: LAST_RANK };
  return alone;
}

function isResultColumn(name: string): boolean {
  return RESULT_COLUMNS.some((each) => each === name);
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
