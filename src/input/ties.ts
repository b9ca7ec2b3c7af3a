import { FIELD, FIELDS, isField } from '../request/fields.ts';
import { type Finding, finding } from '../request/finding.ts';
import { columnLabel, type Tie } from '../request/table.ts';
import type { ColumnReading } from './columns/candidates.ts';

/** Returns the groups of columns that are equally likely the same field or part of one. */
export function tiesOf(readings: readonly ColumnReading[]): Tie[] {
  const places = new Map<string, ColumnReading[]>();
  for (const each of readings) {
    const place = `${each.meaning} ${each.rank}`;
    const tied = places.get(place);
    if (tied) tied.push(each);
    else places.set(place, [each]);
  }
  return [...places.values()].flatMap((tied) => {
    const [first] = tied;
    if (!first || tied.length < 2) return [];
    const better = readings.filter(({ meaning, rank }) => meaning === first.meaning && rank < first.rank);
    return [
      { field: first.meaning, columns: tied.map(({ index }) => index), better: better.map(({ index }) => index) },
    ];
  });
}

/** Returns the field that a meaning goes to: itself, or the field of which it is a part. */
export function fieldOf(meaning: string): string {
  return isField(meaning)
    ? meaning
    : (FIELDS.find((field) => FIELD[field].joinedFrom.some((part) => part === meaning)) ?? meaning);
}

/**
 * Warns in the plan of columns that are equally likely the same field. A row whose cells there differ has a warning of
 * its own.
 */
export function tieWarnings(columns: readonly string[], ties: readonly Tie[]): Finding[] {
  return ties.map(({ field, columns: at }) => {
    const names = at.map((index) => `"${columnLabel(columns, index)}"`).join(' and ');
    const many = at.length === 2 ? 'both' : 'all';
    const what = `${names} ${many} look like the ${field.replaceAll('_', ' ')}; of several filled ones the first is taken (--map to choose).`;
    return finding('columns.alike', field, { what });
  });
}
