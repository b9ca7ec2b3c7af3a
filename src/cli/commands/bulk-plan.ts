import { readFile, writeFile } from 'node:fs/promises';
import { planMapping } from '../../files/mapping.ts';
import { openTable } from '../../files/open-table.ts';
import { SrqError, systemCode } from '../../model/errors.ts';
import type { ImportPlan, RowRange } from '../../model/import-plan.ts';
import type { DeliveryLog } from '../../model/ports.ts';
import type { Mapping, Table } from '../../model/table.ts';
import { planImport } from '../../pipeline/plan-import.ts';
import type { Preparation } from '../../pipeline/prepare-row.ts';
import type { SubmitOptions } from '../../pipeline/submit-request.ts';
import type { Context } from '../context.ts';
import { spoolStdin } from '../spool.ts';
import type { ReadingOptions } from './bulk-options.ts';

/** Opens the file (`-`: standard input) and decides which column becomes which field. */
export async function readInput(
  context: Context,
  file: string,
  options: ReadingOptions,
): Promise<{ table: Table; mapping: Mapping }> {
  const { format = null, encoding = null, delimiter = null, skipLines, sheet = null } = options;
  const path = file === '-' ? await spoolStdin(context) : file;
  const name = file === '-' ? 'standard input' : file;
  const table = await openTable(path, { format, encoding, delimiter, skipLines, sheet }, name);
  return { table, mapping: await mappingOf(table, options) };
}

async function mappingOf(table: Table, options: ReadingOptions): Promise<Mapping> {
  const stored = options.mapping === undefined ? { map: {}, set: {} } : await readMapping(options.mapping);
  const map = { ...stored.map, ...Object.fromEntries(options.map) };
  const set = { ...stored.set, ...Object.fromEntries(options.set) };
  const mapping = planMapping(table.columns, { map, set });
  if (options.saveMapping !== undefined) {
    const known = mapping.sources.filter(({ how, template }) => how === 'first' && template === null);
    const found = known.flatMap(({ field, columns }) =>
      columns.map((at) => [mapping.columns[at] ?? '', field] as const),
    );
    await writeFile(
      options.saveMapping,
      `${JSON.stringify({ map: { ...Object.fromEntries(found), ...map }, set }, null, 2)}\n`,
    );
  }
  return mapping;
}

async function readMapping(path: string): Promise<{ map: Record<string, string>; set: Record<string, string> }> {
  const { z } = await import('zod');
  const texts = z.record(z.string(), z.string()).default({});
  try {
    return z.strictObject({ map: texts, set: texts }).parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const why = systemCode(error) || 'it is not {"map":{"COLUMN":"FIELD"},"set":{"FIELD":"VALUE"}}';
    throw new SrqError(
      'usage',
      `The mapping ${path} cannot be used (${why}).`,
      'Write one with --save-mapping FILE.',
      error,
    );
  }
}

/** Plans the import and shows how far it is. */
export async function planAloud(
  context: Context,
  table: Table,
  mapping: Mapping,
  preparation: Preparation,
  log: Pick<DeliveryLog, 'lookup'>,
  range: RowRange,
  options: Pick<SubmitOptions, 'onDuplicate' | 'again'>,
): Promise<ImportPlan> {
  const reporter = await context.reporter();
  const progress = reporter.progress('Reading');
  try {
    return await planImport(table, mapping, range, preparation, log, options, (rows) =>
      progress.update({ done: rows, total: 0, counts: {} }),
    );
  } finally {
    progress.end();
  }
}
