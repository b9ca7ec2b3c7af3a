import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { mappingToKeep, planMapping } from '../../files/mapping.ts';
import { openTable } from '../../files/open-table.ts';
import { SrqError, systemCode } from '../../model/errors.ts';
import type { ImportPlan, RowRange } from '../../model/import-plan.ts';
import type { DeliveryLog } from '../../model/ports.ts';
import type { Mapping, MappingOptions, Table } from '../../model/table.ts';
import { planImport } from '../../pipeline/plan-import.ts';
import type { Preparation } from '../../pipeline/prepare-row.ts';
import type { SubmitOptions } from '../../pipeline/submit-request.ts';
import { requireOwnOrNew } from '../../report/own-file.ts';
import type { Context } from '../context.ts';
import { spoolStdin } from '../spool.ts';
import type { ReadingOptions } from './options.ts';

/** A file opened, and which column becomes which field. */
export interface Input {
  readonly table: Table;
  /** What the user said of the columns. */
  readonly chosen: MappingOptions;
  readonly mapping: Mapping;
}

/** Opens the file (`-`: standard input) and decides which column becomes which field. */
export async function readInput(context: Context, file: string, options: ReadingOptions): Promise<Input> {
  const { format = null, encoding = null, delimiter = null, skipLines, sheet = null } = options;
  const path = file === '-' ? await spoolStdin(context) : file;
  const name = file === '-' ? 'standard input' : file;
  const table = await openTable(path, { format, encoding, delimiter, skipLines, sheet }, name);
  const kept = options.mapping === undefined ? null : await readMapping(options.mapping);
  const chosen = {
    map: { ...kept?.map, ...Object.fromEntries(options.map) },
    set: { ...kept?.set, ...Object.fromEntries(options.set) },
    join: kept?.join ?? {},
  };
  return mapped(table, chosen, options);
}

/** Maps a file's columns and keeps the mapping where the user wants it. Throws `SrqError('usage')`; see `planMapping`. */
export async function mapped(
  table: Table,
  chosen: MappingOptions,
  { saveMapping }: Pick<ReadingOptions, 'saveMapping'>,
): Promise<Input> {
  const mapping = planMapping(table.columns, chosen);
  if (saveMapping !== undefined) await keepMapping(saveMapping, mapping, chosen);
  return { table, chosen, mapping };
}

/** Writes the mapping so that `--mapping` maps alike. Throws `SrqError('usage')` for a path that is no place for it. */
export async function keepMapping(path: string, mapping: Mapping, chosen: MappingOptions): Promise<void> {
  await requireOwnOrNew(path, 'mapping', '--save-mapping', (head) => /^\s*\{\s*"map"/.test(head));
  await writeFile(path, `${JSON.stringify(mappingToKeep(mapping, chosen), null, 2)}\n`).catch((error: unknown) =>
    Promise.reject(unwritable(path, error)),
  );
}

async function readMapping(path: string): Promise<MappingOptions> {
  const texts = z._default(z.record(z.string(), z.string()), {});
  const lists = z._default(z.record(z.string(), z.array(z.string())), {});
  try {
    return z.strictObject({ map: texts, set: texts, join: lists }).parse(JSON.parse(await readFile(path, 'utf8')));
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

function unwritable(path: string, error: unknown): SrqError {
  return new SrqError(
    'usage',
    `The mapping ${path} cannot be written (${systemCode(error)}).`,
    'Name another place: --save-mapping FILE',
    error,
  );
}

/** Plans the import and shows how far it is. */
export async function planAloud(
  context: Context,
  { table, mapping }: Input,
  preparation: Preparation,
  log: Pick<DeliveryLog, 'lookup' | 'know'>,
  range: RowRange,
  options: Pick<SubmitOptions, 'onDuplicate' | 'again'>,
): Promise<ImportPlan> {
  const reporter = await context.reporter();
  const progress = await reporter.progress('Reading');
  try {
    return await planImport(table, mapping, range, preparation, log, options, (rows) =>
      progress.update({ done: rows, total: 0, counts: {} }),
    );
  } finally {
    progress.end();
  }
}
