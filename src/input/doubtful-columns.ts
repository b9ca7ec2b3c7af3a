import { type Field, isField } from '../request/fields.ts';
import { type Finding, finding } from '../request/finding.ts';
import { columnLabel, type FieldSource } from '../request/table.ts';
import type { ContentProfile } from './columns/content.ts';
import { plainlyElse } from './columns/fit.ts';

/** Fields that no two customers share. */
const OF_ONE_CUSTOMER: ReadonlySet<string> = new Set<Field>(['phone', 'email', 'fullname', 'ref']);

/** Warns of constants for fields that each customer has of their own. */
export function constantWarnings(sources: readonly FieldSource[]): Finding[] {
  const constant = sources.filter(
    ({ field, template, columns }) => OF_ONE_CUSTOMER.has(field) && template?.length && columns.length === 0,
  );
  return constant.map(({ field }) => {
    const isFallback = sources.some((each) => each.field === field && each.columns.length > 0);
    return finding('columns.constant', field, { rows: isFallback ? 'All rows that have none' : 'All rows' });
  });
}

/** Warns of columns that a person has given to a field, and that plainly hold something else. */
export function contentWarnings(
  columns: readonly string[],
  said: readonly FieldSource[],
  profiles: readonly ContentProfile[],
): Finding[] {
  return said.flatMap((source) =>
    columnsAsTheyAre(source).flatMap((index) => {
      const { field } = source;
      const seen = profiles[index];
      // Whatever tells customers apart may be the reference, their telephone numbers among it.
      const what = seen && isField(field) && field !== 'ref' ? plainlyElse(field, seen) : null;
      return what === null ? [] : [finding('columns.content', field, { name: columnLabel(columns, index), what })];
    }),
  );
}

/** Returns the columns whose cells become the field as they are, with nothing beside them. */
function columnsAsTheyAre({ how, columns, template }: FieldSource): readonly number[] {
  return how === 'first' || template?.length === 1 ? columns : [];
}
