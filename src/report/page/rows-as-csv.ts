import { csvLine } from '../../request/csv-text.ts';
import type { PageRow } from './row-list.ts';

const COLUMNS = ['row', 'ref', 'market', 'status', 'ids', 'http', 'message', 'key', 'at'];

/**
 * Formats rows of a report as CSV with a header. Texts are escaped so that a spreadsheet takes none of them for a
 * formula. The cells of the input come last, if the report has them.
 */
export function rowsAsCsv(rows: readonly PageRow[], inputColumns: readonly string[] | null, delimiter: string): string {
  const lines = rows.map(({ row, ref, market, status, ids, http, message, key, at, cells }) => {
    const named = ids.map(([name, value]) => `${name}=${value}`).join(' ');
    return [row, ref, market, status, named, http, message, key, at, ...(cells ?? [])];
  });
  return [[...COLUMNS, ...(inputColumns ?? [])], ...lines]
    .map((cells) =>
      csvLine(
        cells.map((cell) => String(cell ?? '')),
        delimiter,
      ),
    )
    .join('');
}
