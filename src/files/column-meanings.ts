import { type Alias, aliasOf, type FieldOrPart, normalForm } from '../model/field-aliases.ts';
import { RESULT_COLUMNS } from '../model/table.ts';

/** The meaning of one column, given the other columns of the file. */
export interface ColumnMeaning extends Alias {
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
export function columnMeanings(columns: readonly string[]): ColumnMeaning[] {
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
