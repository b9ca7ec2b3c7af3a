import { planMapping } from '../../files/mapping.ts';
import { SrqError } from '../../model/errors.ts';
import { FIELDS, isField } from '../../model/fields.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import type { MappingOptions, Table } from '../../model/table.ts';
import { printable } from '../../report/output.ts';
import { commandLine, withoutOptions } from '../command-line.ts';
import type { Context } from '../context.ts';
import { ask } from '../prompt.ts';
import type { BulkOptions } from './options.ts';
import { type Input, keepMapping, mapped } from './plan.ts';

const QUESTION = 'Enter to go on · COLUMN=FIELD or FIELD=VALUE to correct the columns · ? for help · q to leave: ';

const HELP = `  Telefon 2=phone             the column "Telefon 2" is the phone number
  Notes=-                     the column "Notes" is left out
  country=PT                  every row has this country
  location={City} {Zip}       the location is made of two columns
  An empty line shows the plan again with what was corrected; nothing is sent before that.`;

/** The plan to carry out, and the words of the command that maps the file alike: otherwise its rows were other requests. */
export interface Agreed {
  readonly plan: ImportPlan;
  readonly command: readonly string[];
}

/**
 * Plans and shows the import until the person at the terminal has nothing to correct. Without a terminal, with --yes or
 * --quiet, the first plan stands. `keepAt`: where a mapping is kept that no flags can say. Throws
 * `SrqError('interrupted')` when the person leaves.
 */
export async function agreedPlan(
  context: Context,
  input: Input,
  options: BulkOptions,
  keepAt: string,
  plan: (input: Input) => Promise<ImportPlan>,
): Promise<Agreed> {
  const asks = context.interactive && options.yes !== true && context.options.quiet !== true;
  const given = context.process.argv.slice(2);
  for (let now = input; ; ) {
    const planned = await plan(now);
    const corrected = asks ? await askCorrections(context, now) : null;
    if (corrected === null) {
      if (now === input) return { plan: planned, command: given };
      const command = await commandAlike(given, input, now, options.saveMapping, keepAt);
      (await context.reporter()).warn(`To import this file again, map it alike: ${commandLine(command)}`);
      return { plan: planned, command };
    }
    now = await mapped(now.table, corrected, options);
  }
}

/** What the user says of the columns after correcting it, or null if it stays. */
async function askCorrections(context: Context, { table, chosen }: Input): Promise<MappingOptions | null> {
  const reporter = await context.reporter();
  let corrected: MappingOptions | null = null;
  for (;;) {
    const line = await ask(context, QUESTION);
    if (line === '') return corrected;
    if (line === 'q') {
      throw new SrqError('interrupted', 'Nothing was sent.', 'Run the same command again when the file is ready.');
    }
    try {
      if (line === '?') reporter.say(() => helpText(table));
      else corrected = correctedBy(line, table, corrected ?? chosen);
    } catch (error) {
      if (!(error instanceof SrqError)) throw error;
      reporter.warn(`${error.message}${error.hint === null ? '' : ` ${error.hint}`}`);
    }
  }
}

function helpText(table: Table): string {
  const columns = table.columns.filter((name) => name !== '').slice(0, 100);
  return `${HELP}\n  Fields:  ${FIELDS.join(', ')}\n  Columns: ${columns.map(printable).join(', ')}`;
}

/**
 * `COLUMN=FIELD` if what is right of the last `=` is a field and there is such a column; else `FIELD=VALUE`.
 * Throws `SrqError('usage')` for a line that is neither, or names a column that is not there.
 */
export function correctedBy(
  line: string,
  table: Pick<Table, 'columns'>,
  { map, set, join }: MappingOptions,
): MappingOptions {
  const [column, field] = halves(line, line.lastIndexOf('='));
  const [name, value] = halves(line, line.indexOf('='));
  const meant =
    (isField(field) || field === '-') && (hasColumn(table, column) || !isField(name))
      ? { map: { ...map, [column]: field }, set: without(set, field), join: without(join, field) }
      : isField(name)
        ? { map: withoutField(map, name), set: { ...set, [name]: value }, join: without(join, name) }
        : null;
  if (meant === null) {
    throw new SrqError(
      'usage',
      `"${line}" is neither COLUMN=FIELD nor FIELD=VALUE.`,
      `The fields are: ${FIELDS.join(', ')}`,
    );
  }
  planMapping(table.columns, meant);
  return meant;
}

/** Flags add to what was said; what a correction took back they cannot say, so then the whole mapping is kept in a file. */
async function commandAlike(
  given: readonly string[],
  before: Input,
  now: Input,
  saved: string | undefined,
  keepAt: string,
): Promise<readonly string[]> {
  if (!tookBack(before.chosen, now.chosen)) return [...given, ...asFlags(before.chosen, now.chosen)];
  if (saved === undefined) await keepMapping(keepAt, now.mapping, now.chosen);
  return [...withoutOptions(given, ['--map', '--set', '--mapping', '--save-mapping']), '--mapping', saved ?? keepAt];
}

function tookBack(before: MappingOptions, after: MappingOptions): boolean {
  const lost = (from: object, to: object) => Object.keys(from).some((name) => !Object.hasOwn(to, name));
  return lost(before.map, after.map) || lost(before.set, after.set) || lost(before.join ?? {}, after.join ?? {});
}

function asFlags(before: MappingOptions, after: MappingOptions): string[] {
  const mapped = Object.entries(after.map).filter(([column, field]) => before.map[column] !== field);
  const set = Object.entries(after.set).filter(([field, text]) => before.set[field] !== text);
  return [
    ...mapped.flatMap(([column, field]) => ['--map', `${column}=${field}`]),
    ...set.flatMap(([field, text]) => ['--set', `${field}=${text}`]),
  ];
}

function halves(line: string, at: number): [string, string] {
  return at < 1 ? ['', ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function hasColumn({ columns }: Pick<Table, 'columns'>, name: string): boolean {
  return columns.some((column) => column.trim().toLowerCase() === name.toLowerCase());
}

/** A constant or a join for this field would stand in the way of what was said just now. */
function without<Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function withoutField(map: Readonly<Record<string, string>>, field: string): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([, mapped]) => mapped !== field));
}
