import { aliasOf } from '../../request/field-aliases.ts';
import { type Market, parseMarket } from '../../request/markets.ts';
import { type MissedColumn, resultColumnOf } from '../../request/table.ts';
import { byContentAlone, isTaken, longestText, namePair, region, townBeside } from './by-content.ts';
import { byStrength, type Candidate, type ColumnReading, candidatesByName, type Look } from './candidates.ts';
import { withCertainty } from './certainty.ts';
import { type ContentProfile, profileOf } from './content.ts';
import { isPlainlyEmail, isPlainlyPhone, isPlainlyText } from './fit.ts';
import { nameEvidence } from './name-evidence.ts';
import { asNameParts, asPlaceParts, withHouseNumber, withoutEmpty, withoutRivals } from './rivals.ts';

/** The columns of a file, as far as they are known. */
export interface ColumnsView {
  readonly columns: readonly string[];
  /** The first cells of each column. All columns have the same number of cells, so that an index identifies a row. */
  readonly cells: readonly (readonly string[])[];
  /** The market of rows without a country of their own, if it is known. */
  readonly market: Market | undefined;
}

/** The meanings of a file's columns. */
export interface Understanding {
  /** At most one reading for each column, in the order of the columns. */
  readonly readings: readonly ColumnReading[];
  /** Columns without a reading that clearly hold telephone numbers, e-mail addresses or longer texts. */
  readonly plain: readonly MissedColumn[];
  readonly profiles: readonly ContentProfile[];
}

/**
 * Determines the meaning of each column from its name and its content. A name that srq knows exactly is `certain`,
 * unless the cells are clearly something else. Other names are read as words. They are `certain` if all words are
 * understood and the content does not contradict them, or if some words are unknown but the content shows the meaning.
 * Content without a telling name is `likely`, except e-mail addresses in one single column.
 */
export function understandColumns(view: ColumnsView): Understanding {
  const looks = lookAt(view);
  const named = looks.flatMap((look) => candidatesByName(look).sort(bestFirst).slice(0, 1));
  const chosen = withoutRivals(withHouseNumber(asPlaceParts(asNameParts(withoutEmpty(named))), looks));
  const found = [...chosen];
  // Each function looks for what is still missing, so their order matters.
  for (const find of [namePair, byContentAlone, longestText, townBeside, region]) found.push(...find(looks, found));
  const readings = withCertainty(found, looks).sort((a, b) => a.index - b.index);
  const plain = looks.filter(({ index }) => !isTaken(readings, index)).flatMap(plainContent);
  return {
    readings: readings.map(({ index, meaning, level, rank, because }) => ({ index, meaning, level, rank, because })),
    plain,
    profiles: looks.map(({ seen }) => seen),
  };
}

function bestFirst(a: Candidate, b: Candidate): number {
  return byStrength(a, b) || a.rank - b.rank;
}

function plainContent({ index, seen, name, isOwn }: Look): MissedColumn[] {
  if (isOwn) return [];
  const isOthers = name.isOthers || name.isElse;
  if (isPlainlyEmail(seen)) return [{ index, field: 'email', isOthers }];
  if (isPlainlyPhone(seen)) return [{ index, field: 'phone', isOthers }];
  return isPlainlyText(seen) ? [{ index, field: 'request_text', isOthers }] : [];
}

/**
 * Maximum total number of cells that are examined, which takes at most a second, and minimum number for each column.
 */
const MAX_CELLS = 100_000;
const MIN_CELLS = 20;

function lookAt({ columns, cells, market }: ColumnsView): Look[] {
  const names = columns.map(nameEvidence);
  const countryAt = columns.findIndex(
    (header, index) =>
      aliasOf(header)?.meaning === 'country' ||
      (names[index]?.meanings[0]?.meaning === 'country' && !names[index]?.isOthers),
  );
  const markets = new Map<string, Market | undefined>();
  const marketOf = (row: number): Market | undefined => {
    const text = cells[countryAt]?.[row]?.trim() ?? '';
    if (text === '') return market;
    if (!markets.has(text)) markets.set(text, parseMarket(text));
    return markets.get(text);
  };
  const most = Math.max(MIN_CELLS, Math.floor(MAX_CELLS / Math.max(1, columns.length)));
  return names.map((name, index) => {
    const header = columns[index] ?? '';
    const isOwn = resultColumnOf(header) !== null;
    return { index, header, name, seen: profileOf(cells[index] ?? [], marketOf, most), isOwn };
  });
}
