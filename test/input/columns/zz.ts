import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { understandColumns } from '../../../src/input/columns/understand.ts';
import type { FieldOrPart } from '../../../src/request/lead/field-aliases.ts';
import { parseMarket } from '../../../src/request/lead/markets.ts';

const FOLDER = join(import.meta.dirname, 'header-rows');

/** A header with content, and what a careful person would use each column as. */
interface HeaderRow {
  readonly lang: string;
  readonly name: string;
  readonly country: string;
  /** False if a column has the country. */
  readonly countryGiven: boolean;
  readonly header: readonly string[];
  /** A field, several that are as good as each other (`city|location`), or null for a column to leave out. */
  readonly truth: readonly (string | null)[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns the rows of one part of the set, such as `learn`; those of `LANG.PART.ndjson` in the folder. */
function headerRows(part: string, folder: string): HeaderRow[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(`.${part}.ndjson`));
  return files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as HeaderRow),
  );
}

/** How a column was read: rightly and certain, rightly but asked about, not at all, or as something that it is not. */
const READINGS = ['certain', 'asked', 'missed', 'wrong, certain', 'wrong, asked'] as const;

interface ReadColumn {
  readonly field: string;
  readonly reading: (typeof READINGS)[number];
  readonly place: string;
  /** What a person says that the column is, what it was read as, and some of its cells. */
  readonly details: string;
}

/** Places are joined, so one part of a place may stand for another. */
const AS_GOOD: Readonly<Record<string, readonly string[]>> = {
  notes: ['request_text'],
  house_number: ['street'],
  location: ['street', 'city'],
  street: ['location'],
  city: ['location'],
};

function isRight(meaning: FieldOrPart, truth: readonly string[]): boolean {
  return [meaning, ...(AS_GOOD[meaning] ?? [])].some((each) => truth.includes(each));
}

/** Reads the columns of a header row, and compares with what a person says. Columns rightly left out are not listed. */
function readColumns({ header, truth, rows, countryGiven, country, name }: HeaderRow): ReadColumn[] {
  const cells = header.map((_, at) => rows.map((row) => row[at] ?? ''));
  const market = countryGiven ? parseMarket(country) : undefined;
  const columns = header.map((each) => each.trim());
  const { readings, plain } = understandColumns({ columns, cells, market });
  return header.flatMap((label, index): ReadColumn[] => {
    const place = `${name}: ${label}`;
    const wanted = (truth[index] ?? 'null').split('|');
    const [field = ''] = wanted;
    const found = readings.find((each) => each.index === index);
    const filled = (cells[index] ?? []).filter((cell) => cell !== '');
    const samples = filled.slice(0, 4).map((cell) => cell.slice(0, 40));
    const details = `is ${truth[index] ?? 'nothing'}, read as ${found?.meaning ?? 'nothing'} (${found?.because ?? '-'}): ${samples.join(' | ')}`;
    if (found && !isRight(found.meaning, wanted)) {
      const reading = found.level === 'certain' ? 'wrong, certain' : 'wrong, asked';
      return [{ field: found.meaning, reading, place, details }];
    }
    if (wanted.includes('null')) return [];
    if (found) return [{ field, reading: found.level === 'certain' ? 'certain' : 'asked', place, details }];
    return [{ field, reading: plain.some((each) => each.index === index) ? 'asked' : 'missed', place, details }];
  });
}

/** Reads a part of the set, of each header row at most so many rows. The shares are of the fields that a person says are there. */
export function measured(part: string, { folder = FOLDER, most = Number.POSITIVE_INFINITY } = {}) {
  const sets = headerRows(part, folder).map((set) => ({ ...set, rows: set.rows.slice(0, most) }));
  const columns = sets.flatMap(readColumns);
  const of = (reading: ReadColumn['reading']) => columns.filter((each) => each.reading === reading);
  const [certain, asked] = [of('certain').length, of('asked').length];
  const fields = certain + asked + of('missed').length;
  return {
    fields,
    certain: certain / fields,
    foundOrAsked: (certain + asked) / fields,
    wrong: of('wrong, certain').map(({ place }) => place),
    columns,
    readings: READINGS,
  };
}
