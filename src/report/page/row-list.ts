import { csvLine } from '../../request/words/csv-text.ts';

/** A row of a report as its page lists it. This code runs in the browser and does not access the page. */
export interface PageRow {
  readonly row: number;
  readonly ref: string;
  readonly status: string;
  readonly label: string;
  readonly market: string;
  readonly ids: readonly (readonly [name: string, value: string])[];
  readonly identifiers: string;
  readonly message: string;
  readonly reasons: readonly number[];
  readonly key: string | null;
  readonly at: string | null;
  readonly http: number | null;
  /** All texts that are searched, in lower case. */
  readonly found: string;
}

/** A row as `report-page.ts` encodes it: a short array, because there are thousands of rows. */
export type EncodedRow = readonly [
  row: number,
  ref: string,
  status: number,
  market: string,
  ids: PageRow['ids'],
  message: string,
  reasons: readonly number[],
  key: string | null,
  at: string | null,
  http: number | null,
];

/** All that the page shows. */
export interface PageData {
  readonly title: string;
  /** The name of the input. */
  readonly file: string;
  readonly state: readonly [kind: 'open' | 'done' | 'stopped', word: string, detail: string] | null;
  readonly about: {
    readonly at: string;
    readonly took: string;
    readonly service: string;
    readonly profile: string;
  } | null;
  readonly writtenAt: string;
  readonly verdict: { readonly status: string; readonly sign: string; readonly title: string; readonly detail: string };
  /** What is left to do. `status` selects these rows in the list, where one does. */
  readonly toDo: readonly {
    readonly rows: string;
    readonly text: string;
    readonly command: string;
    readonly status: string;
  }[];
  readonly counts: readonly (readonly [status: string, count: number, meaning: string])[];
  readonly rowsText: string;
  readonly reasons: readonly {
    readonly number: number;
    readonly status: string;
    readonly text: string;
    readonly advice: string;
    readonly seen: string;
  }[];
  readonly notes: readonly string[];
  readonly markets: readonly (readonly [name: string, rows: number, counts: Readonly<Record<string, number>>])[];
  readonly course: {
    /** The begin of each interval, in seconds since 1970. */
    readonly times: readonly number[];
    readonly seconds: number;
    readonly medianMs: readonly (number | null)[];
    /** The time within which 95 of 100 answers came. */
    readonly mostMs: readonly (number | null)[];
  } & Readonly<Record<'created' | 'others' | 'refused' | 'pausedMs', readonly number[]>>;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The command that settles unknown rows. */
  readonly resolve: string;
  /** The names of all statuses with their labels. */
  readonly statuses: readonly (readonly [name: string, label: string])[];
  readonly rows: readonly EncodedRow[];
}

/** The selection and order of the rows in the list. An empty text selects all. */
interface RowFilter {
  readonly text: string;
  readonly status: string;
  readonly market: string;
  /** The index of a reason, as text. */
  readonly reason: string;
  /** The name of a column, with a `-` before it for the descending order. */
  readonly order: string;
  readonly page: number;
}

/** The filter that applies if the address names none. */
export const NO_FILTER: RowFilter = { text: '', status: '', market: '', reason: '', order: '', page: 1 };
const NAMES = Object.keys(NO_FILTER) as readonly (keyof RowFilter)[];

/** Reads a filter from the part of an address after the `#`. Returns null if that names a place on the page. */
export function filterOf(hash: string): RowFilter | null {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  if (hash.length > 1 && !NAMES.some((name) => given.has(name))) return null;
  const page = Number(given.get('page'));
  const { text, status, market, reason, order } = Object.fromEntries(
    NAMES.map((name) => [name, given.get(name) ?? String(NO_FILTER[name])]),
  ) as Record<keyof RowFilter, string>;
  return { text, status, market, reason, order, page: Number.isSafeInteger(page) && page > 0 ? page : 1 };
}

/** Returns the part of an address after the `#` that names a filter, or an empty text for the one that shows all. */
export function hashOf(filter: RowFilter): string {
  const named = NAMES.filter((name) => filter[name] !== NO_FILTER[name]);
  return new URLSearchParams(named.map((name): [string, string] => [name, String(filter[name])])).toString();
}

export function rowsOf({ statuses, rows }: Pick<PageData, 'statuses' | 'rows'>): PageRow[] {
  return rows.map(([row, ref, status, market, ids, message, reasons, key, at, http]) => {
    const identifiers = ids.map(([, value]) => value).join(' ');
    const found = [row, ref, identifiers, message, key].join('\n').toLowerCase();
    const [name = '', label = ''] = statuses[status] ?? [];
    return { row, ref, status: name, label, market, ids, identifiers, message, reasons, key, at, http, found };
  });
}

const COLLATOR = new Intl.Collator('en', { numeric: true });
const ORDERS: readonly (keyof PageRow)[] = ['ref', 'market', 'label', 'identifiers', 'message'];

/** Returns the rows that match a filter, in its order. */
export function matching(rows: readonly PageRow[], { text, status, market, reason, order }: RowFilter): PageRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const direction = order.startsWith('-') ? -1 : 1;
  const by = ORDERS.find((name) => name === order.replace('-', ''));
  const compare = (a: PageRow, b: PageRow) =>
    by === undefined ? a.row - b.row : COLLATOR.compare(String(a[by]), String(b[by])) || a.row - b.row;
  const found = rows.filter(
    (each) =>
      (status === '' || each.status === status) &&
      (market === '' || each.market === market) &&
      (reason === '' || each.reasons.includes(Number(reason))) &&
      words.every((word) => each.found.includes(word)),
  );
  // Without an order the rows stay as they are given: what needs somebody comes first.
  return order === '' ? found : found.sort((a, b) => direction * compare(a, b));
}

const COLUMNS = ['row', 'ref', 'market', 'status', 'ids', 'http', 'message', 'key', 'at'];

/**
 * Formats rows of a report as CSV with a header. Texts are escaped so that a spreadsheet takes none of them for a
 * formula.
 */
export function rowsAsCsv(rows: readonly PageRow[], delimiter: string): string {
  const lines = rows.map(({ row, ref, market, status, ids, http, message, key, at }) => {
    const named = ids.map(([name, value]) => `${name}=${value}`).join(' ');
    return [row, ref, market, status, named, http, message, key, at];
  });
  return [COLUMNS, ...lines]
    .map((cells) =>
      csvLine(
        cells.map((cell) => String(cell ?? '')),
        delimiter,
      ),
    )
    .join('');
}
