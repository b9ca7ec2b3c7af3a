import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { csvLine } from '../request/csv-text.ts';
import { SrqError, systemCode } from '../request/errors.ts';
import type { RowReport } from '../request/import-plan.ts';
import type { Identifiers } from '../request/outcome.ts';
import { RESULT_COLUMNS } from '../request/table.ts';
import { requireOwnOrNew, requireWritable } from './output-file.ts';

/** The byte order mark at the beginning of the file. Without it Excel does not recognise UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
const BUFFERED_CHARACTERS = 1 << 16;

/**
 * Writes the input's columns and the outcome of each row as a CSV file that is safe to open in a spreadsheet and that
 * srq can read back: cells that look like formulas are defused. An existing file is replaced only once the new one is
 * complete. Throws `SrqError('log')` if the file cannot be written.
 */
export async function writeResults(
  path: string,
  columns: readonly string[],
  delimiter: string,
  reports: AsyncIterable<RowReport>,
): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  const file = createWriteStream(part, { mode: 0o600 });
  try {
    await once(file, 'open');
    const own = ownColumns(columns);
    let buffered =
      BYTE_ORDER_MARK + csvLine([...columns.filter((_, at) => !own.has(at)), ...RESULT_COLUMNS], delimiter);
    for await (const { row, status, ids, message } of reports) {
      const outcome = [status, mainIdentifier(ids), message ?? '', String(row.number)];
      buffered += csvLine([...inputCells(row.cells, columns.length, own), ...outcome], delimiter);
      if (buffered.length < BUFFERED_CHARACTERS) continue;
      if (!file.write(buffered)) await once(file, 'drain');
      buffered = '';
    }
    file.end(buffered);
    await finished(file);
    await rename(part, path);
  } catch (error) {
    file.destroy();
    await rm(part, { force: true });
    if (error instanceof SrqError) throw error;
    throw new SrqError(
      'log',
      `The results file ${path} cannot be written (${systemCode(error)}).`,
      'Name another place with --results FILE and run the same command again: nothing is sent twice, and the outcomes are in the log.',
      error,
    );
  }
}

/** Returns the outcome columns if the input is an earlier results file. The new outcome replaces them. */
function ownColumns(columns: readonly string[]): ReadonlySet<number> {
  const places = RESULT_COLUMNS.map((name) => columns.indexOf(name));
  return new Set(places.includes(-1) ? [] : places);
}

/**
 * Returns a row's cells without an earlier outcome. A ragged row stays ragged: if it were filled to the full length, it
 * would be sent when this file is imported.
 */
function inputCells(cells: readonly string[], width: number, own: ReadonlySet<number>): readonly string[] {
  if (own.size === 0) return cells;
  return cells.length === width ? cells.filter((_, at) => !own.has(at)) : cells.slice(0, -own.size);
}

/**
 * Throws `SrqError('usage')`, before anything is sent, if the results file cannot be written or would replace anything
 * but an earlier results file.
 */
export async function requireResultsPlace(path: string, input: string): Promise<void> {
  const [results, source] = await Promise.all([path, input].map((each) => realpath(each).catch(() => null)));
  if (results !== null && results === source) {
    throw new SrqError('usage', 'The results file would replace the input.', 'Name another one: --results FILE');
  }
  const isResults = (head: string) => RESULT_COLUMNS.every((name) => (head.split(/\r?\n/, 1)[0] ?? '').includes(name));
  await requireOwnOrNew(path, 'results file', '--results', isResults);
  await requireWritable(path, 'results file', '--results');
}

/** Returns the identifier that the service names first. All identifiers are in the log. */
export function mainIdentifier(ids: Identifiers): string {
  return Object.values(ids)[0] ?? '';
}
