import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { keyCell, RESULT_COLUMNS, resultColumnOf } from '../request/lead/table.ts';
import type { RowReport } from '../request/log/import-plan.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { csvLine, escapeFormulas, unescapeFormulas } from '../request/words/csv-text.ts';
import { SrqError } from '../request/words/errors.ts';
import { isHeldOpen, whyUnwritable, writeAll } from './output-file.ts';
import { workbookChunks } from './workbook-writer.ts';

/** The byte order mark at the beginning of the file. Without it Excel does not recognise UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
const BUFFERED_CHARACTERS = 1 << 16;
/** Maximum number of places that are tried for a file. A place is skipped if another program has its file open. */
const MAX_PLACES = 5;

/** The rows for a results file, and its form. */
export interface Results {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly rows: AsyncIterable<RowReport>;
}

/** Tells whether results under this name are a workbook. Otherwise they are CSV. */
function isWorkbookName(path: string): boolean {
  return /\.xlsx$/i.test(path);
}

/**
 * Writes the input's columns and the outcome of each row, as a workbook if the name ends in `.xlsx`, else as CSV. Both
 * are safe to open in a spreadsheet, and srq can read them back. `place` returns the final path once the file is
 * complete. It is called again with that path if another program has the file there open. An existing file is replaced.
 * Returns its path. Throws `SrqError('log')` if it cannot be written.
 */
export async function writeResults(
  path: string,
  results: Results,
  place: (heldOpen: string | null) => Promise<string>,
): Promise<string> {
  const part = `${path}.${randomUUID()}.part`;
  const file = createWriteStream(part, { mode: 0o600 });
  try {
    await once(file, 'open');
    // `finished` below rejects with the error, whenever it occurs.
    file.on('error', () => {});
    const chunks = isWorkbookName(path) ? workbookOf(results) : csvOf(results);
    for await (const chunk of chunks) await writeAll(file, chunk);
    file.end();
    await finished(file);
    return await moveTo(place, part);
  } catch (error) {
    file.destroy();
    await rm(part, { force: true });
    if (error instanceof SrqError) throw error;
    throw new SrqError(
      'results.unwritable',
      `The results file ${path} cannot be written (${whyUnwritable(error)}).`,
      'Name another place with --results FILE and run the same command again: nothing is sent twice, and the outcomes are in the log.',
      error,
    );
  }
}

/** Moves a complete file to the first place whose file is not open in another program. */
async function moveTo(place: (heldOpen: string | null) => Promise<string>, part: string): Promise<string> {
  let heldOpen: string | null = null;
  for (let tries = 1; ; tries++) {
    const path = await place(heldOpen);
    try {
      await rename(part, path);
      return path;
    } catch (error) {
      if (!isHeldOpen(error) || tries === MAX_PLACES) throw error;
      heldOpen = path;
    }
  }
}

async function* csvOf({ columns, delimiter, rows }: Results): AsyncGenerator<string> {
  const own = ownColumns(columns);
  let buffered = BYTE_ORDER_MARK + csvLine(header(columns, own), delimiter);
  for await (const report of rows) {
    buffered += csvLine([...inputCells(report.row.cells, columns.length, own), ...outcomeCells(report)], delimiter);
    if (buffered.length < BUFFERED_CHARACTERS) continue;
    yield buffered;
    buffered = '';
  }
  yield buffered;
}

/**
 * Yields the rows of the workbook. Text cells of a workbook need no escaping of formulas, except where reading the file
 * would remove something that looks like it.
 */
async function* workbookRows({ columns, rows }: Results, own: ReadonlySet<number>): AsyncGenerator<readonly string[]> {
  const guarded = (text: string) => (unescapeFormulas(text) === text ? text : escapeFormulas(text));
  yield header(columns, own).map(guarded);
  for await (const report of rows) {
    yield [...inputCells(report.row.cells, columns.length, own), ...outcomeCells(report)].map(guarded);
  }
}

function workbookOf(results: Results): AsyncGenerator<Uint8Array> {
  const own = ownColumns(results.columns);
  return workbookChunks(workbookRows(results, own), results.columns.length - own.size + RESULT_COLUMNS.length);
}

function header(columns: readonly string[], own: ReadonlySet<number>): string[] {
  return [...columns.filter((_, at) => !own.has(at)), ...RESULT_COLUMNS];
}

/** Returns the outcome columns if the input is an earlier results file. The new outcome replaces them. */
function ownColumns(columns: readonly string[]): ReadonlySet<number> {
  return new Set(columns.flatMap((name, at) => (resultColumnOf(name) === null ? [] : [at])));
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
 * Returns the outcome of a row. What an earlier results file states is kept for rows about which this run has nothing
 * new to say: those outside its range, and those that state that they are done.
 */
function outcomeCells({ row, status, ids, message, reason, isKept, record }: RowReport): readonly string[] {
  const { number, earlier } = row;
  const cells = (status: string, id: string, message: string, key: string | null) => [
    ...[status, id, message, String(number)],
    keyCell(key),
  ];
  const before = earlier?.key ?? null;
  const key = record?.key ?? (isKept || status === 'unknown' ? before : null);
  if (isKept) {
    const said = reason === 'row.other-content' ? message : earlier?.message;
    return cells(earlier?.status ?? '', mainIdentifier(ids) || (earlier?.id ?? ''), said ?? '', key);
  }
  // A row that is still unknown keeps the identifier that it came with.
  const id = mainIdentifier(ids) || (status === 'unknown' ? (earlier?.id ?? '') : '');
  return cells(status, id, message ?? '', key);
}
