import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import { type PlanRules, planImport } from '../delivery/plan.ts';
import { sampleOf } from '../input/columns/sample.ts';
import { isTellingHeader, mappingToRemember, rememberedFor } from '../input/kept-mapping.ts';
import { type MappingEvidence, planMapping } from '../input/mapping.ts';
import { openTable } from '../input/open-table.ts';
import { callsOf } from '../request/contract/contract.ts';
import { readPlace } from '../request/contract/place.ts';
import { SCHEMA_VERSION } from '../request/documents/types.ts';
import { type MappingOptions, mapKey, type ReadOptions, type Table } from '../request/lead/table.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { LogView } from '../request/ports.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import { isKeepable } from '../settings/mapping-store.ts';
import type { Context } from './context.ts';
import type { RequestSession } from './session.ts';
import type { PlanOptions, ReadingOptions } from './table/options.ts';

/** An open file with the mapping of its columns to fields. */
export type Input = ReturnType<typeof mapped>;

const AS_DETECTED: ReadOptions = { format: null, encoding: null, delimiter: null, skipLines: 0, sheet: null };

/** Opens a file of requests. `-` means standard input. */
export async function openInput(context: Context, file: string, form: Partial<ReadOptions> = {}): Promise<Table> {
  const path = file === '-' ? await spoolStdin(context) : file;
  return openTable(path, { ...AS_DETECTED, ...form }, inputName(file));
}

/** Returns the name of an input file for messages. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/**
 * Copies standard input to a file, because an import reads its input several times: to plan, to send and to write the
 * results. The file is readable only by the user.
 */
async function spoolStdin(context: Context): Promise<string> {
  const path = join(context.temporaryFolder('srq-stdin-'), 'stdin');
  await pipeline(context.process.stdin, createWriteStream(path, { mode: 0o600 }));
  return path;
}

/** Opens a file and maps its columns to fields. `-` means standard input. */
export async function readInput(context: Context, file: string, options: ReadingOptions): Promise<Input> {
  const table = await openInput(context, file, options);
  const kept = options.mapping === undefined ? null : await readMapping(options.mapping);
  // What was confirmed earlier for a file with this header.
  const remembered = (await context.mappings())?.find(table.columns);
  const sample = await sampleOf(table);
  const chosen = {
    map: { ...kept?.map, ...Object.fromEntries(options.map.map(([column, field]) => [mapKey(column), field])) },
    set: { ...kept?.set, ...Object.fromEntries(options.set) },
    ...(remembered ? { remembered: rememberedFor(remembered, table.columns, sample) } : {}),
  };
  const evidence = { sample, parameters: await parameterNames(context) };
  return mapped({ table, evidence }, chosen);
}

/** Returns the names by which the contract in force knows parameters. */
async function parameterNames(context: Context): Promise<ReadonlySet<string>> {
  const bound = callsOf(await context.contract()).flatMap(({ fields }) => Object.entries(fields));
  return new Set(bound.flatMap(([place, field]) => [field, place, readPlace(place).path.at(-1) ?? field]));
}

/** Maps the columns of a table to fields as the user chooses. Throws `SrqError('usage')` like `planMapping`. */
export function mapped(
  { table, evidence }: { readonly table: Table; readonly evidence: MappingEvidence },
  chosen: MappingOptions,
) {
  return { table, chosen, mapping: planMapping(table.columns, chosen, evidence), evidence };
}

/**
 * Returns the mapping in the form in which the profile stores it for later files with this header, or null if it cannot be
 * recognised or read back exactly, or leaves the references out.
 */
export function rememberable({ table, mapping, evidence }: Input): ReturnType<typeof mappingToRemember> {
  return isTellingHeader(table.columns) && isKeepable(table.columns) ? mappingToRemember(mapping, evidence) : null;
}

/**
 * Stores the mapping in the profile, if it can be. What a person has just said of the columns (`isSaid`) must be stored,
 * because the same command again would otherwise make other requests of the rows: throws `SrqError('usage')` if the
 * profile cannot be written.
 */
export async function rememberMapping(context: Context, input: Input, isSaid: boolean): Promise<void> {
  const kept = rememberable(input);
  if (kept === null) return;
  try {
    const on = new Date(context.clock.nowMs()).toISOString().slice(0, 10);
    (await context.mappings())?.keep(input.table.columns, kept, on);
  } catch (error) {
    if (systemCode(error) === '') throw error;
    const message = `The mapping cannot be remembered for the next file like this (${systemCode(error)}).`;
    if (!isSaid) return context.warn(message);
    const hint = 'Say it by flags, so that the same command reads the file in the same way: --map, --set or --mapping';
    throw new SrqError('mapping.unwritable', `${message} Nothing was sent.`, hint, error);
  }
}

async function readMapping(path: string): Promise<MappingOptions> {
  const texts = z._default(z.record(z.string(), z.string()), {});
  try {
    const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
    const version = z.optional(z.literal(SCHEMA_VERSION));
    const form = z.strictObject({ schemaVersion: version, map: texts, set: texts });
    const { map, set } = form.parse(JSON.parse(text));
    return { map, set };
  } catch (error) {
    const why = systemCode(error) || 'it is not {"map":{"COLUMN":"FIELD"},"set":{"FIELD":"VALUE"}}';
    throw new SrqError(
      'mapping.unusable',
      `The mapping ${path} cannot be used (${why}).`,
      '--dry-run --json shows the mapping in use in that form.',
      error,
    );
  }
}

/** Plans the import of a file and shows the progress. */
export async function planWithProgress(
  session: RequestSession,
  input: Input,
  log: LogView,
  options: PlanRules & Pick<PlanOptions, 'skip' | 'limit'>,
): Promise<ImportPlan> {
  const { context, preparation } = session;
  const range = { skip: options.skip, limit: options.limit ?? null };
  const rules = { ...options, taken: () => session.takenBefore() };
  return withProgress(context, 'Reading', (tick) => planImport(input, range, preparation, log, rules, tick));
}

/** Shows the progress of counted work, which calls `tick` with how much is done so far, and with the total if it is known. */
export async function withProgress<Result>(
  context: Context,
  label: string,
  work: (tick: (done: number, total?: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = await context.reporter.progress(label);
  try {
    return await work((done, total = 0) => progress.update({ done, total, counts: {} }));
  } finally {
    progress.end();
  }
}
