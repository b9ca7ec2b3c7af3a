import type { RowReport } from '../request/import-plan.ts';
import { mainIdentifier } from '../request/outcome.ts';
import type { LogRecord } from '../request/ports.ts';
import { cellVariants, hasLostDigits, KEPT_DIGITS } from './sent-cells.ts';

/** Number of digits from which spreadsheets show numbers in scientific notation. */
const MIN_DIGITS = 12;
const SCIENTIFIC = /^\d(?:[.,]\d+)?E\+\d+$/i;

/**
 * Restores identifiers that a spreadsheet has turned into rounded numbers, in rows that state that they are done. The
 * log has the identifier under the number that the row had. It is read only if there is such a row.
 */
export async function* withIdentifiers(
  reports: AsyncIterable<RowReport>,
  records: () => AsyncIterable<LogRecord>,
): AsyncGenerator<RowReport> {
  let known: ReadonlyMap<number, readonly LogRecord[]> | null = null;
  for await (const report of reports) {
    const { earlier } = report.row;
    const isLost = report.isKept && earlier && Object.keys(report.ids).length === 0 && isRounded(earlier.id);
    if (!isLost || earlier.row === null) {
      yield report;
      continue;
    }
    known ??= await byRow(records());
    const meant = (known.get(earlier.row) ?? []).filter(({ ids }) => mayBe(mainIdentifier(ids), earlier.id));
    const [record] = meant;
    yield record && meant.length === 1 ? { ...report, ids: record.ids } : report;
  }
}

function isRounded(id: string): boolean {
  return SCIENTIFIC.test(id) || hasLostDigits(id);
}

async function byRow(records: AsyncIterable<LogRecord>): Promise<ReadonlyMap<number, readonly LogRecord[]>> {
  const found = new Map<number, LogRecord[]>();
  for await (const record of records) {
    const id = mainIdentifier(record.ids);
    if (id.length < MIN_DIGITS || !/^\d+$/.test(id)) continue;
    const others = found.get(record.row);
    if (others) others.push(record);
    else found.set(record.row, [record]);
  }
  return found;
}

/** Tells whether a cell holds this identifier, either unchanged or as a spreadsheet may have changed it. */
export function isSameIdentifier(id: string, cell: string): boolean {
  if (id === cell || (isRounded(cell) && mayBe(id, cell))) return true;
  return cellVariants(cell).some(({ text }) => text === id);
}

/**
 * Tells whether a spreadsheet may have turned an identifier into this number. Some spreadsheets round the digits, and
 * some cut them off.
 */
function mayBe(id: string, rounded: string): boolean {
  const [mantissa = ''] = rounded.split(/E/i);
  const digits = SCIENTIFIC.test(rounded) ? mantissa.replace(/\D/g, '').length : KEPT_DIGITS;
  const cutOff = id.slice(0, KEPT_DIGITS).padEnd(id.length, '0');
  const number = Number(rounded.replace(',', '.')).toPrecision(digits);
  return [id, cutOff].some((each) => Number(each).toPrecision(digits) === number);
}
