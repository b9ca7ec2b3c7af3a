import type { ImportSummary } from '../../request/log/import-plan.ts';
import type { Identifiers, RowResult } from '../../request/log/outcome.ts';
import { STATUS, STATUSES } from '../../request/log/status.ts';
import type { ValidateResult } from '../../request/ports.ts';
import { aligned, duration, type Paint, printable, rowsText, thousands } from '../output.ts';

/** Formats the summary of an import for people. */
export function summaryText(summary: ImportSummary, paint: Paint): string {
  const { rows, counts, asides, seconds, stopped, advice, exportCommand, next } = summary;
  const isDry = asides === null;
  const shown = STATUSES.filter((status) => counts[status] > 0);
  const width = Math.max(...shown.map((status) => thousands(counts[status]).length), 1);
  const lines = shown.map((status) => {
    const told = status === 'created' ? asidesText(asides) : '';
    return `  ${thousands(counts[status]).padStart(width)}  ${paint[STATUS[status].colour](status.padEnd(9))}  ${paint.dim(STATUS[status].meaning + told)}`;
  });
  const files: [string, string][] = [['log', printable(summary.log)]];
  const paths = summary.results.filter((path) => path !== '-');
  files.unshift(...paths.map((path): [string, string] => ['results', printable(path)]));
  return [
    `${stopped === null ? paint.bold(isDry ? 'Checked' : 'Done') : paint.yellow('Stopped')}: ${rowsText(rows)} in ${duration(seconds * 1000)}${isDry ? '; nothing was sent' : ''}`,
    ...(stopped === null ? [] : [`  ${printable(stopped.message)}`]),
    ...lines,
    ...aligned(files),
    ...(advice === null ? [] : [`${paint.bold('To do')}: ${printable(advice)}`]),
    ...(exportCommand === null ? [] : deliveredText(rows, exportCommand, advice)),
    ...(next === null ? [] : [`${paint.bold('Next')}: ${printable(next)}`]),
  ].join('\n');
}

function deliveredText(rows: number, exportCommand: string, advice: string | null): string[] {
  const all = rows === 1 ? 'The row is delivered. ' : `All ${thousands(rows)} rows are delivered. `;
  return [`${advice === null ? all : ''}For your CRM: ${printable(exportCommand)}`];
}

function asidesText(asides: ImportSummary['asides']): string {
  const { withoutIdentifier = 0 } = asides ?? {};
  const told = [...(withoutIdentifier > 0 ? [`${thousands(withoutIdentifier)} without an identifier`] : [])];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

/** Formats the result of one request as one or two lines. */
export function resultText(result: RowResult, paint: Paint): string {
  const ids = identifiersText(result.ids);
  const ref = result.ref === null ? '' : ` ${printable(result.ref)}`;
  const head = `${paint[STATUS[result.status].colour](result.status)}${ref}${ids === '' ? '' : `  ${ids}`}`;
  return result.message === null ? head : `${head}\n  ${printable(result.message)}`;
}

export function verdictText({ verdict, ids, message }: ValidateResult, paint: Paint): string {
  const head = verdict === 'clear' ? paint.green('clear') : paint[STATUS[verdict].colour](verdict);
  const found = identifiersText(ids);
  return `${head}${found === '' ? '' : `  ${found}`}${message === null ? '' : `\n  ${printable(message)}`}`;
}

export function identifiersText(ids: Identifiers): string {
  return Object.entries(ids)
    .map(([name, value]) => `${printable(name)}=${printable(value)}`)
    .join(' ');
}
