import type { Context } from '../../cli/context.ts';
import { withIdentifiers } from '../../delivery/lost-identifiers.ts';
import { mapRow } from '../../delivery/prepare.ts';
import { type RowLookup, withRowsOutside } from '../../delivery/report-rows.ts';
import { streamResults, writeResults } from '../../report/results-file.ts';
import type { SrqError } from '../../request/errors.ts';
import type { ImportPlan, RowReport } from '../../request/import-plan.ts';
import { parseMarket, usualDelimiter } from '../../request/markets.ts';
import { statesOutcomes } from '../../request/table.ts';
import type { ResultsPlace } from './results-place.ts';

/**
 * Writes the results of a run to their place: all rows of the input, those outside its range too. If there is no place for
 * them, the rows are only read, for whoever else looks at them.
 */
export async function writeRunResults(
  context: Context,
  place: ResultsPlace,
  plan: ImportPlan,
  reports: AsyncIterable<RowReport>,
  lookup: RowLookup,
): Promise<void> {
  const { path } = place;
  if (path === null) {
    for await (const _ of reports);
    return;
  }
  const reporter = await context.reporter();
  const log = await context.logStore();
  // Each of these costs time for every row, so they are left out where they have nothing to do.
  const named = statesOutcomes(plan.table) ? withIdentifiers(reports, () => log.latest()) : reports;
  const isWhole = plan.range.skip === 0 && plan.range.limit === null;
  const unread = ({ message }: SrqError) => reporter.warn(`The results end before what cannot be read: ${message}`);
  const rows = isWhole ? named : withRowsOutside(plan, named, lookup, unread);
  const results = { columns: plan.table.columns, delimiter: await delimiterOf(plan), rows };
  if (path === '-') return streamResults(context.process.stdout, results);
  const written = await writeResults(path, results, () => place.settle(context, path));
  await place.note(written.path, written.sha256);
}

/**
 * Returns the delimiter of the results: that of the input, so that whoever wrote it can open them, else that of
 * spreadsheets in the market of the first row. Spreadsheets split no CSV in UTF-8 at its TABs.
 */
async function delimiterOf({ table, mapping, first }: ImportPlan): Promise<string> {
  if (table.delimiter !== null && [',', ';'].includes(table.delimiter)) return table.delimiter;
  const country = first?.request.params['country'] ?? (await firstCountry({ table, mapping }));
  const market = country === undefined ? undefined : parseMarket(country);
  return market ? usualDelimiter(market) : ',';
}

async function firstCountry({ table, mapping }: Pick<ImportPlan, 'table' | 'mapping'>): Promise<string | undefined> {
  for await (const [row] of table.rows()) if (row) return mapRow(row, mapping).fields['country'];
  return undefined;
}
