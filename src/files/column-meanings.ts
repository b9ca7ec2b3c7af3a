import { type Alias, aliasOf, type FieldOrPart, normalForm } from '../model/field-aliases.ts';
import { RESULT_COLUMNS } from '../model/table.ts';

/** What one column of a file means beside the others. */
export interface ColumnMeaning extends Alias {
  readonly index: number;
}

/** A name that is a whole name alone and a first name beside a last name. */
const FIRST_BESIDE_LAST = new Set(['name', 'nome', 'nombre']);

/** Written for a whole address, but for the street alone where postal code or city have columns of their own. */
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

/** After every alias of its own, so that a real street column comes first. */
const LAST_RANK = 100;

/** The meanings of a file's columns by the known names, those that mean something else beside others told apart. */
export function columnMeanings(columns: readonly string[]): ColumnMeaning[] {
  const forms = columns.map(normalForm);
  const alone = columns.map((name) => (isResultColumn(name) ? undefined : aliasOf(name)));
  const has = (meaning: FieldOrPart): boolean => alone.some((each) => each?.meaning === meaning);
  const beside: Beside = {
    vorname: forms.includes('vorname'),
    prenom: forms.includes('prenom'),
    first: has('first_name'),
    last: has('last_name'),
    place: has('city') || has('postal_code'),
    request: has('request_text'),
  };
  return forms.flatMap((form, index) => {
    const found = besideOthers(form, alone[index], beside);
    return found ? [{ ...found, index }] : [];
  });
}

/** Which columns the file has beside the one looked at. */
interface Beside {
  readonly vorname: boolean;
  readonly prenom: boolean;
  readonly first: boolean;
  readonly last: boolean;
  readonly place: boolean;
  readonly request: boolean;
}

function besideOthers(form: string, alone: Alias | undefined, beside: Beside): Alias | undefined {
  if (form === 'nom') return beside.prenom ? { meaning: 'last_name', rank: 1 } : undefined;
  if (form === 'name' && beside.vorname && !beside.last) return { meaning: 'last_name', rank: 2 };
  if (FIRST_BESIDE_LAST.has(form) && beside.last && !beside.first) return { meaning: 'first_name', rank: LAST_RANK };
  if (STREET_BESIDE_CITY.has(form) && beside.place) return { meaning: 'street', rank: LAST_RANK };
  // Notes are often about the customer, not for the professional: taken only if nothing else describes the need.
  if (alone?.meaning === 'notes') return beside.request ? undefined : { meaning: 'request_text', rank: LAST_RANK };
  return alone;
}

function isResultColumn(name: string): boolean {
  return RESULT_COLUMNS.some((each) => each === name);
}
