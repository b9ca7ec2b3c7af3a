import type { Command } from 'commander';
import { type RunCommand, terminalColumns } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { clip, printable, tableText, terminalSafeJson } from '../report/output.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';
import type { KeptMapping } from '../settings/mapping-store.ts';
import { examples } from './options.ts';

export function addMapping(program: Command, run: RunCommand): void {
  const mapping = program
    .command('mapping', { hidden: true })
    .helpCommand(false)
    .description('list, show and forget the column mappings you confirmed')
    .addHelpText('after', examples('srq mapping list', 'srq mapping show 3fa9', 'srq mapping forget 3fa9'));
  mapping
    .command('list')
    .description('list what is remembered for each header row')
    .addHelpText('after', examples('srq mapping list --json'))
    .action(run(async () => mappingList));
  mapping
    .command('show <fingerprint>')
    .description('show one as JSON that --mapping reads')
    .addHelpText('after', examples('srq mapping show 3fa9 > leads.map.json'))
    .action(run(async () => mappingShow));
  mapping
    .command('forget [fingerprint]')
    .description('read files with this header row as if for the first time')
    .option('--all', 'all mappings of this profile')
    .addHelpText('after', examples('srq mapping forget 3fa9', 'srq mapping forget --all'))
    .action(run(async () => mappingForget));
}

/** Lists the mappings that were confirmed under the profile in use, the latest first. */
async function mappingList(context: Context): Promise<number> {
  const kept = await allOf(context);
  const mappings = kept.map((each) => ({
    fingerprint: each.fingerprint,
    on: each.on,
    columns: each.columns,
    fields: fieldsOf(each),
  }));
  const reporter = await context.reporter();
  await reporter.result('mapping list', { mappings }, (paint) => {
    if (mappings.length === 0) return 'Nothing is remembered. Columns that you confirm for an import are.';
    const rows = mappings.map(({ fingerprint, on, columns, fields }) => [
      { text: on },
      { text: fingerprint, paint: paint.bold },
      { text: String(columns.length) },
      { text: columnsText(columns), paint: paint.dim },
      { text: fields.map(printable).join(', ') },
    ]);
    return tableText(['on', 'fingerprint', 'no.', 'columns', 'fields'], rows, terminalColumns(context), paint);
  });
  return 0;
}

/** Prints a mapping in the form that `--mapping` reads. */
async function mappingShow(context: Context, beginning: string): Promise<number> {
  const { map, set = {}, join } = requireKept(await allOf(context), beginning);
  const mapping = { map, set, join };
  await (await context.reporter()).result('mapping show', mapping, () => terminalSafeJson(mapping), 'verbatim');
  return 0;
}

/** Removes one mapping, or all mappings of the profile in use. */
async function mappingForget(
  context: Context,
  beginning: string | undefined,
  { all }: { readonly all?: boolean },
): Promise<number> {
  if ((beginning === undefined) === (all !== true)) {
    throw new SrqError(
      'arguments.missing',
      'Say which: a fingerprint, or --all.',
      'See what there is: srq mapping list',
    );
  }
  const kept = await allOf(context);
  const one = beginning === undefined ? null : requireKept(kept, beginning).fingerprint;
  const store = await context.mappings();
  const forgotten = forgetting(() => store?.forget(one) ?? 0);
  const left = kept.length - forgotten;
  await (await context.reporter()).result('mapping forget', { forgotten, left }, () => {
    const what = forgotten === 1 ? '1 mapping' : `${forgotten} mappings`;
    return `Forgot ${what}; ${left} left.`;
  });
  return 0;
}

function forgetting(forget: () => number): number {
  try {
    return forget();
  } catch (error) {
    const code = systemCode(error);
    if (code === '') throw error;
    const message = `Nothing is forgotten: the mappings cannot be written (${code}).`;
    throw new SrqError(
      'settings.unwritable',
      message,
      'Find the settings folder with srq status, and check who may write to it.',
      error,
    );
  }
}

async function allOf(context: Context): Promise<readonly KeptMapping[]> {
  return (await context.mappings())?.all() ?? [];
}

/** Minimum number of digits by which a fingerprint is recognised. */
const MIN_DIGITS = 4;

/**
 * Returns the mapping whose fingerprint begins with this text. Throws `SrqError('usage')` unless there is exactly one.
 */
function requireKept(kept: readonly KeptMapping[], beginning: string): KeptMapping {
  const wanted = beginning.toLowerCase();
  const found = kept.filter(({ fingerprint }) => wanted.length >= MIN_DIGITS && fingerprint.startsWith(wanted));
  const [one] = found;
  if (one && found.length === 1) return one;
  const message = one
    ? `${found.length} mappings begin with "${printable(beginning)}".`
    : `There is no mapping "${printable(clip(beginning, 40))}".`;
  throw new SrqError('mapping.unknown', message, 'See what there is: srq mapping list');
}

function fieldsOf({ map, join, set = {} }: KeptMapping): string[] {
  const mapped = Object.values(map).filter((field) => field !== '-');
  return [...new Set([...mapped, ...Object.keys(join), ...Object.keys(set)])];
}

const SHOWN_COLUMNS = 3;
const COLUMN_WIDTH = 16;

function columnsText(columns: readonly string[]): string {
  const first = columns.slice(0, SHOWN_COLUMNS).map((name) => clip(printable(name), COLUMN_WIDTH));
  return [...first, ...(columns.length > SHOWN_COLUMNS ? ['…'] : [])].join(', ');
}
