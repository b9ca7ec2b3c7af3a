import { FIELD, isField } from '../request/fields.ts';
import type { Problem } from '../request/outcome.ts';

/** Returns advice on what to do about a problem, in addition to its message. */
export function adviceOn({ field, column }: Pick<Problem, 'field' | 'column'>): string {
  if (field === '') return 'Correct the row in the file, or export it again.';
  const known = isField(field) ? FIELD[field].advice : null;
  if (known !== null) return known;
  if (column === null) return `Fill it from a column: --map COLUMN=${field}, or --set '${field}={Column}'`;
  return `Correct the cell; if the column is not meant: --map "${column}=-"`;
}
