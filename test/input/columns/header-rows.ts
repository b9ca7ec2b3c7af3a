import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { understandColumns } from '../../../src/input/columns/understand.ts';
import type { FieldOrPart } from '../../../src/request/field-aliases.ts';
import { parseMarket } from '../../../src/request/markets.ts';

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

/** The parts of the set: what the matcher was written with, what was laid aside then, and what was made afterwards. */
export type Part = 'learn' | 'aside' | 'fresh';

export function headerRows(part: Part): HeaderRow[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(`.${part}.ndjson`));
  return files.flatMap((name) =>
    readFileSync(join(FOLDER, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as HeaderRow),
  );
}

/** How a column was read: rightly and certain, rightly but asked about, not at all, or as something that it is not. */
type Reading = 'certain' | 'asked' | 'missed' | 'wrong, certain' | 'wrong, asked';

interface ReadColumn {
  readonly field: string;
  readonly reading: Reading;
  readonly place: string;
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
export function readColumns({ header, truth, rows, countryGiven, country, name }: HeaderRow): ReadColumn[] {
  const cells = header.map((_, at) => rows.map((row) => row[at] ?? ''));
  const market = countryGiven ? parseMarket(country) : undefined;
  const columns = header.map((each) => each.trim());
  const { readings, plain } = understandColumns({ columns, cells, market });
  return header.flatMap((label, index): ReadColumn[] => {
    const place = `${name}: ${label}`;
    const wanted = (truth[index] ?? 'null').split('|');
    const [field = ''] = wanted;
    const found = readings.find((each) => each.index === index);
    if (found && !isRight(found.meaning, wanted)) {
      const reading = found.level === 'certain' ? 'wrong, certain' : 'wrong, asked';
      return [{ field: found.meaning, reading, place }];
    }
    if (wanted.includes('null')) return [];
    if (found) return [{ field, reading: found.level === 'certain' ? 'certain' : 'asked', place }];
    return [{ field, reading: plain.some((each) => each.index === index) ? 'asked' : 'missed', place }];
  });
}
