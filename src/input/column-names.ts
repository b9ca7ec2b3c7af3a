import { headerForm } from '../request/lead/field-aliases.ts';
import { PARTS, type Part, wholeOf } from '../request/lead/parts.ts';
import { columnLabel, type FieldSource, type PartColumns } from '../request/lead/table.ts';
import { memoize } from '../request/small.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';
import type { ColumnReading } from './columns/candidates.ts';
import { nameEvidence } from './columns/name-evidence.ts';

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

/** The columns and their meanings, after the fields have been assigned. */
interface PlannedColumns {
  readonly columns: readonly string[];
  readonly readings: readonly ColumnReading[];
  readonly sources: readonly FieldSource[];
  /** The columns that a person has left out, now or earlier. */
  readonly leftOut: readonly number[];
  /** The names of the service's parameters. */
  readonly parameters: ReadonlySet<string>;
}

/**
 * Returns the columns of parts, except those that a person has left out or assigned to another field. A location or a
 * name that is a constant has no parts. Regions are included only if the service takes them, because no location is
 * joined from a region.
 */
export function partColumns(planned: PlannedColumns): PartColumns {
  const { readings, sources, leftOut } = planned;
  const isConstant = (whole: string) =>
    sources.some(({ field, template, columns }) => field === whole && template && columns.length === 0);
  const isElsewhere = (at: number, part: Part) =>
    leftOut.includes(at) ||
    sources.some(
      ({ field, template, columns }) =>
        template === null && field !== wholeOf(part) && field !== part && columns.includes(at),
    );
  const columnsOf = (part: Part) => (part === 'region' ? regions(planned) : ranked(readings, part));
  const found = PARTS.filter((part) => !isConstant(wholeOf(part))).map(
    (part) => [part, columnsOf(part).filter((at) => !isElsewhere(at, part))] as const,
  );
  return Object.fromEntries(found.filter(([, at]) => at.length > 0));
}

/** Returns the indexes of the columns with this meaning, best first. */
export function ranked(readings: readonly ColumnReading[], meaning: string): number[] {
  const found = readings.filter((each) => each.meaning === meaning);
  return found.sort((a, b) => a.rank - b.rank).map(({ index }) => index);
}

function regions({ columns, sources, parameters }: PlannedColumns): readonly number[] {
  if (!parameters.has('region')) return [];
  const isFree = (at: number) => sources.every((each) => !each.columns.includes(at));
  return columns.flatMap((name, at) => {
    const { isRegion, isOthers } = nameEvidence(name);
    return isRegion && !isOthers && isFree(at) ? [at] : [];
  });
}
