import { headerForm } from '../request/lead/field-aliases.ts';
import { columnLabel } from '../request/lead/table.ts';
import { memoize } from '../request/small.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';

const formsOf = memoize((columns: readonly string[]) => columns.map(headerForm));

/**
 * Returns the indexes of the columns with this name. If there are none: of the columns with the same letters and
 * digits. If there are none of these either: of the nameless column that `column 5` means. Throws `SrqError('usage')`
 * if there is no such column.
 */
export function columnsNamed(columns: readonly string[], name: string): readonly number[] {
  const trimmed = name.trim();
  const exact = placesOf(trimmed, columns);
  if (exact.length > 0) return exact;
  const alike = placesOf(headerForm(name), formsOf(columns));
  if (alike.length > 0) return alike;
  const place = Number(/^column (\d{1,4})$/i.exec(trimmed)?.[1] ?? 0) - 1;
  if (columns[place] === '') return [place];
  throw unknownColumn(columns, trimmed || name);
}

function placesOf(name: string, names: readonly string[]): readonly number[] {
  return name === '' ? [] : names.flatMap((each, index) => (each === name ? [index] : []));
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
