import type { DocumentOf } from '../../request/documents/types.ts';
import type { Identifiers, RowResult } from '../../request/log/outcome.ts';
import { type Counts, STATUS, STATUSES } from '../../request/log/status.ts';
import type { Failure } from '../../request/words/errors.ts';
import { aligned, duration, type Paint, printable, rowsText, thousands } from '../output.ts';

/** The result of an import, for people and scripts. */
export interface ImportSummary {
  readonly rows: number;
  readonly counts: Counts;
  /** Number of created rows without an identifier. Null if nothing was sent. */
  readonly asides: { readonly withoutIdentifier: number } | null;
  readonly seconds: number;
  /** Null for the log of a rehearsal, which ends with it. */
  readonly log: string | null;
  /** The path of the results, or null if there are none. */
  readonly results: string | null;
  readonly stopped: Failure | null;
  /** The command that exports the identifiers, if nothing is left to do. */
  readonly exportCommand: string | null;
  /** What the user has to do before `next`. */
  readonly advice: string | null;
  /** The literal next command, if there is something left to do. */
  readonly next: string | null;
}

/** Formats the summary of an import for people. */
export function summaryText(summary: ImportSummary, paint: Paint): string {
  const { rows, counts, asides, seconds, log, results, stopped, advice, exportCommand, next } = summary;
  const isDry = asides === null;
  const all = rows === 1 ? 'The row is delivered. ' : `All ${thousands(rows)} rows are delivered. `;
  const shown = STATUSES.filter((status) => counts[status] > 0);
  const width = Math.max(...shown.map((status) => thousands(counts[status]).length), 1);
  const lines = shown.map((status) => {
    const nameless = status === 'created' ? (asides?.withoutIdentifier ?? 0) : 0;
    const told = nameless > 0 ? ` (${thousands(nameless)} without an identifier)` : '';
    return `  ${thousands(counts[status]).padStart(width)}  ${paint[STATUS[status].colour](status.padEnd(9))}  ${paint.dim(STATUS[status].meaning + told)}`;
  });
  const places = [
    ['results', results],
    ['log', log],
  ] as const;
  return [
    `${stopped === null ? paint.bold(isDry ? 'Checked' : 'Done') : paint.yellow('Stopped')}: ${rowsText(rows)} in ${duration(seconds * 1000)}${isDry ? '; nothing was sent' : ''}`,
    ...(stopped === null ? [] : [`  ${printable(stopped.message)}`]),
    ...lines,
    ...aligned(places.flatMap(([name, path]) => (path === null ? [] : [[name, printable(path)] as const]))),
    ...(advice === null ? [] : [`${paint.bold('To do')}: ${printable(advice)}`]),
    ...(exportCommand === null ? [] : [`${advice === null ? all : ''}For your CRM: ${printable(exportCommand)}`]),
    ...(next === null ? [] : [`${paint.bold('Next')}: ${printable(next)}`]),
  ].join('\n');
}

/** Formats the result of one request as one or two lines. */
export function resultText(result: RowResult, paint: Paint): string {
  const ids = identifiersText(result.ids);
  const ref = result.ref === null ? '' : ` ${printable(result.ref)}`;
  const head = `${paint[STATUS[result.status].colour](result.status)}${ref}${ids === '' ? '' : `  ${ids}`}`;
  return result.message === null ? head : `${head}\n  ${printable(result.message)}`;
}

export function verdictText({ verdict, ids, message }: DocumentOf<'validate'>, paint: Paint): string {
  const head = verdict === 'clear' ? paint.green('clear') : paint[STATUS[verdict].colour](verdict);
  const found = identifiersText(ids);
  return `${head}${found === '' ? '' : `  ${found}`}${message === null ? '' : `\n  ${printable(message)}`}`;
}

export function identifiersText(ids: Identifiers): string {
  return Object.entries(ids)
    .map(([name, value]) => `${printable(name)}=${printable(value)}`)
    .join(' ');
}
