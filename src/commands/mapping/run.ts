import { terminalColumns } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { clip, printable, tableText, terminalSafeJson } from '../../report/output.ts';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { KeptMapping } from '../../settings/mapping-store.ts';

/** Lists the mappings that were confirmed under the profile in use, the latest first. */
export async function mappingList(context: Context): Promise<number> {
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

/** Prints a mapping as `--mapping` reads it. */
export async function mappingShow(context: Context, beginning: string): Promise<number> {
  const { map, join } = requireKept(await allOf(context), beginning);
  const mapping = { map, set: {}, join };
  await (await context.reporter()).result('mapping show', mapping, () => terminalSafeJson(mapping), 'verbatim');
  return 0;
}

/** Forgets one mapping, or all of the profile in use. */
export async function mappingForget(
  context: Context,
  beginning: string | undefined,
  { all }: { readonly all?: boolean },
): Promise<number> {
  if ((beginning === undefined) === (all !== true)) {
    throw new SrqError('usage', 'Say which: a fingerprint, or --all.', 'See what there is: srq mapping list');
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
      'settings',
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

/** Throws `SrqError('usage')` unless exactly one fingerprint begins like this. */
function requireKept(kept: readonly KeptMapping[], beginning: string): KeptMapping {
  const wanted = beginning.toLowerCase();
  const found = kept.filter(({ fingerprint }) => wanted.length >= MIN_DIGITS && fingerprint.startsWith(wanted));
  const [one] = found;
  if (one && found.length === 1) return one;
  const message = one
    ? `${found.length} mappings begin with "${printable(beginning)}".`
    : `There is no mapping "${printable(clip(beginning, 40))}".`;
  throw new SrqError('usage', message, 'See what there is: srq mapping list');
}

function fieldsOf({ map, join }: KeptMapping): string[] {
  return [...new Set([...Object.values(map).filter((field) => field !== '-'), ...Object.keys(join)])];
}

const SHOWN_COLUMNS = 3;
const COLUMN_WIDTH = 16;

function columnsText(columns: readonly string[]): string {
  const first = columns.slice(0, SHOWN_COLUMNS).map((name) => clip(printable(name), COLUMN_WIDTH));
  return [...first, ...(columns.length > SHOWN_COLUMNS ? ['…'] : [])].join(', ');
}
