import { parseEmail } from '../request/email.ts';
import type { Problem } from '../request/finding.ts';
import { MARKETS, type Market, parseLanguage, parseMarket, postalCodeWarning } from '../request/markets.ts';
import { dialsZero, marketOfNumber, parsePhone } from '../request/phone.ts';
import { shellWord } from '../request/shell-word.ts';
import { type Mapping, type Row, resultColumnOf } from '../request/table.ts';
import { mapRow } from './prepare.ts';

/** Maximum number of rows that are looked at for each field. */
const MAX_ROWS = 200;

/** Share of a column's filled cells that must hold what is sought. */
const MOST = 0.9;

/** What rows without a field hold elsewhere. */
interface FieldClues {
  rows: number;
  /** Number of filled cells, and of those that hold what is sought, by the index of an unused column. */
  readonly columns: Map<number, { filled: number; readonly fitting: Map<string, number> }>;
  readonly phones: string[];
  readonly postalCodes: string[];
  readonly markets: Set<Market | undefined>;
}

/**
 * Looks in rows that lack a field for what would mend them: an unused column that holds the field and that nobody has left
 * out, or the country that telephone numbers and postal codes tell. It looks at so few rows that files without problems are read no slower.
 */
export class MendClues {
  readonly #mapping: Mapping;
  readonly #unused: readonly number[];
  readonly #byField = new Map<string, FieldClues>();

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
    const used = new Set(mapping.sources.flatMap(({ columns }) => columns));
    for (const index of mapping.leftOut) used.add(index);
    const isFree = (name: string, at: number) =>
      name !== '' && !used.has(at) && resultColumnOf(name) === null && mapping.columns.indexOf(name) === at;
    this.#unused = mapping.columns.flatMap((name, at) => (isFree(name, at) ? [at] : []));
  }

  /** Looks at a row that lacks a field. */
  add(field: string, row: Row): void {
    const clues = this.#cluesOf(field);
    if (clues.rows >= MAX_ROWS) return;
    clues.rows += 1;
    const { fields, parts } = mapRow(row, this.#mapping);
    const market = parseMarket(fields['country'] ?? '');
    clues.markets.add(market);
    if (fields['phone'] !== undefined) clues.phones.push(fields['phone']);
    if (parts?.postal_code !== undefined) clues.postalCodes.push(parts.postal_code);
    for (const index of this.#unused) {
      const cell = row.cells[index]?.trim() ?? '';
      if (cell === '') continue;
      const column = clues.columns.get(index) ?? { filled: 0, fitting: new Map() };
      clues.columns.set(index, column);
      column.filled += 1;
      for (const kind of SOUGHT[field] ?? [])
        if (HOLDS[kind](cell, market)) column.fitting.set(kind, (column.fitting.get(kind) ?? 0) + 1);
    }
  }

  /** Returns what to add to the command, or null if it cannot be told. `ofAll` tells whether all rows have the problem. */
  mend({ field, column }: Pick<Problem, 'field' | 'column'>, ofAll: boolean): string | null {
    const clues = this.#cluesOf(field);
    const columns = column === null ? this.#columnsHolding(field, clues) : [];
    if (columns.length > 0) return `Add: ${columns.join(' ')}`;
    if (field === 'country') return column === null ? countryMend(clues) : this.#emptyCountryMend(column, clues);
    return field === 'lang' && ofAll && column === null ? languageMend(clues) : null;
  }

  #cluesOf(field: string): FieldClues {
    const known = this.#byField.get(field);
    if (known !== undefined) return known;
    const clues = { rows: 0, columns: new Map(), phones: [], postalCodes: [], markets: new Set<Market | undefined>() };
    this.#byField.set(field, clues);
    return clues;
  }

  /** Returns the flags that map the unused columns which hold a field, one column for each kind of content. */
  #columnsHolding(field: string, { columns }: FieldClues): string[] {
    return (SOUGHT[field] ?? []).flatMap((kind) => {
      const count = (index: number) => columns.get(index)?.fitting.get(kind) ?? 0;
      const fitting = [...columns].filter(([index, { filled }]) => count(index) >= Math.max(1, filled * MOST));
      const [best] = fitting.sort(([a], [b]) => count(b) - count(a));
      return best === undefined ? [] : [mapFlag(this.#mapping.columns[best[0]] ?? '', kind)];
    });
  }

  /** Returns the flags that fill the empty cells of the column of the country, and leave the others as they are. */
  #emptyCountryMend(column: string, clues: FieldClues): string | null {
    const likely = likelyMarket(clues);
    const isOneColumn = this.#mapping.columns.filter((name) => name === column).length === 1;
    if (likely === null || !isOneColumn) return null;
    return `For the empty cells, add: ${mapFlag(column, 'country')} --set country=${likely.market.code} (by the ${likely.by})`;
  }
}

type Content = 'country' | 'lang' | 'phone' | 'email' | 'request_text';

/** The contents that are sought in unused columns, by the field of a problem. */
const SOUGHT: Readonly<Record<string, readonly Content[] | undefined>> = {
  country: ['country'],
  lang: ['lang'],
  phone: ['phone', 'email'],
  request_text: ['request_text'],
};

const HOLDS: Readonly<Record<Content, (cell: string, market: Market | undefined) => boolean>> = {
  country: (cell) => parseMarket(cell) !== undefined,
  lang: (cell, market) => market?.languages.includes(parseLanguage(cell).code.slice(0, 2)) === true,
  // Many an order number is a valid telephone number where those have any length.
  phone: (cell, market) =>
    (/^\D*[+0]/.test(cell) || (market !== undefined && !dialsZero(market))) && parsePhone(cell, market).e164 !== null,
  email: (cell) => cell.includes('@') && parseEmail(cell).email !== null,
  request_text: (cell) => cell.length >= 25 && cell.split(/\s+/).length >= 4,
};

function mapFlag(column: string, field: string): string {
  const pair = `${column}=${field}`;
  // Double quotes are understood by the shells of Windows as well.
  return `--map ${/^[^"$`\\!%]+$/.test(pair) ? `"${pair}"` : shellWord(pair)}`;
}

/** A market, and by what it was told. */
interface TellingMarket {
  readonly market: Market;
  readonly by: 'telephone numbers' | 'postal codes';
}

function countryMend(clues: FieldClues): string {
  const likely = likelyMarket(clues);
  if (likely !== null) return `Add: --set country=${likely.market.code} (by the ${likely.by})`;
  const several = [...new Set(clues.phones.flatMap((phone) => marketOfNumber(phone)?.code ?? []))];
  if (several.length > 1)
    return `The telephone numbers are of ${several.join(', ')}: name the column with the country, --map COLUMN=country`;
  return 'If all rows are of one country, add its code, such as: --set country=PT (srq markets lists them)';
}

/**
 * Returns the market that all telephone numbers with a country code have, or if there are none, the only one that all
 * postal codes fit. Most of the other numbers and codes must not speak against it. Returns null if that is not so.
 */
function likelyMarket({ phones, postalCodes }: FieldClues): TellingMarket | null {
  const told = new Set(phones.flatMap((phone) => marketOfNumber(phone) ?? []));
  const fits = (code: string, market: Market) => postalCodeWarning(code, market) === null;
  const fitsAll = (market: Market) => market.postalCode !== null && postalCodes.every((code) => fits(code, market));
  const candidates = told.size > 0 ? [...told] : postalCodes.length > 0 ? MARKETS.filter(fitsAll) : [];
  const [market] = candidates;
  if (market === undefined || candidates.length > 1) return null;
  const right = phones.filter((phone) => parsePhone(phone, market).e164 !== null).length;
  const fitting = postalCodes.filter((code) => fits(code, market)).length;
  const isContradicted = right < phones.length / 2 || fitting < postalCodes.length / 2;
  return isContradicted ? null : { market, by: told.size > 0 ? 'telephone numbers' : 'postal codes' };
}

function languageMend({ markets }: FieldClues): string | null {
  const [market, ...others] = markets;
  if (market === undefined || others.length > 0) return null;
  const [first, ...more] = market.languages;
  return `If all rows are in one language, add: --set lang=${first}${more.length > 0 ? ` (or ${more.join(', ')})` : ''}`;
}
