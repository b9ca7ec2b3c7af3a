import { headerForm } from '../request/lead/field-aliases.ts';
import { columnLabel } from '../request/lead/table.ts';
import { memoize } from '../request/small.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';

/** The indexes of the columns of a header, by name. */
interface Places {
  readonly exact: ReadonlyMap<string, readonly number[]>;
  /** The indexes by the letters and digits of the names. */
  readonly forms: ReadonlyMap<string, readonly number[]>;
}

const placesOf = memoize<readonly string[], Places>((columns) => ({
  exact: grouped(columns),
  forms: grouped(columns.map(headerForm)),
}));

function grouped(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    const before = name === '' ? [] : places.get(name);
    if (before) before.push(index);
    else places.set(name, [index]);
  }
  return places;
}

const NONE: readonly number[] = [];

/**
 * Returns the indexes of the columns with this name. If there are none: of the columns with the same letters and
 * digits. If there are none of these either: of the nameless column that `column 5` means. Throws `SrqError('usage')`
 * if there is no such column.
 */
export function columnsNamed(columns: readonly string[], name: string): readonly number[] {
  const places = placesOf(columns);
  const trimmed = name.trim();
  const exact = trimmed === '' ? NONE : (places.exact.get(trimmed) ?? NONE);
  if (exact.length > 0) return exact;
  const form = headerForm(name);
  const alike = form === '' ? NONE : (places.forms.get(form) ?? NONE);
  if (alike.length > 0) return alike;
  const place = Number(/^column (\d{1,4})$/i.exec(trimmed)?.[1] ?? 0) - 1;
  if (columns[place] === '') return [place];
  throw unknownColumn(columns, trimmed || name);
}

function unknownColumn(columns: readonly string[], name: string): SrqError {
  const meant = nearest(name, columns);
  const list = columns
    .slice(0, 50)
    .map((_, index) => columnLabel(columns, index))
    .join(', ');
  return new SrqError(
    'column.unknown',
    `There is no column "${name}".${meant ? ` Did you mean "${meant}"?` : ''}`,
    `The columns are: ${list}`,
  );
}
