import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { SrqError, systemCode } from '../model/errors.ts';
import type { RowReport } from '../model/import-plan.ts';
import type { Identifiers } from '../model/outcome.ts';
import { RESULT_COLUMNS } from '../model/table.ts';
import { csvLine } from './csv-line.ts';
import { requireOwnOrNew, requireWritable } from './own-file.ts';

/** Without it Excel takes UTF-8 for something else. */
const BYTE_ORDER_MARK = '\ufeff';
const BUFFERED_CHARACTERS = 1 << 16;

/**
 * Writes the input's columns with their outcome as CSV that a spreadsheet may open and srq reads back: cells that look like
 * formulas are defused. An existing file is replaced only once the new one is complete.
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

/** Where an earlier results file, imported again, has the outcome of before: the new one takes its place. */
function ownColumns(columns: readonly string[]): ReadonlySet<number> {
  const places = RESULT_COLUMNS.map((name) => columns.indexOf(name));
  return new Set(places.includes(-1) ? [] : places);
}

/**
 * A row's cells without an earlier outcome. A ragged row stays ragged: made to look whole, it would be sent when this file
 * is imported.
 */
function inputCells(cells: readonly string[], width: number, own: ReadonlySet<number>): readonly string[] {
  if (own.size === 0) return cells;
  return cells.length === width ? cells.filter((_, at) => !own.has(at)) : cells.slice(0, -own.size);
}

/**
 * Makes sure, before anything is sent, that the results will have a place. Throws `SrqError('usage')` if the file cannot be
 * written there, or would replace something else than earlier results.
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

/** The first identifier is the one the service names first; all of them are in the log. */
function mainIdentifier(ids: Identifiers): string {
  return Object.values(ids)[0] ?? '';
}
