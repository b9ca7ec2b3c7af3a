import type { ChalkInstance } from 'chalk';
import type { ImportSummary } from '../model/import-plan.ts';
import { STATUSES, type Status } from '../model/outcome.ts';
import { aligned, duration, printable, thousands } from './output.ts';

const MEANINGS: Readonly<Record<Status, string>> = {
  created: 'the service took them',
  duplicate: 'the service knows them already',
  repeated: 'the same content came earlier, in this file or in the log',
  invalid: 'cannot be sent as they are',
  rejected: 'refused by the service',
  failed: 'certainly not taken; the next run sends them',
  unknown: 'may have been taken; not sent again before that is settled',
  ready: 'would be sent',
};

/** Formats the summary of an import for people. */
export function summaryText(summary: ImportSummary, paint: ChalkInstance): string {
  const { rows, counts, notTried, asides, seconds, stopped, advice, next } = summary;
  const shown = STATUSES.filter((status) => counts[status] > 0);
  const width = Math.max(...shown.map((status) => thousands(counts[status]).length), 1);
  const lines = shown.map((status) => {
    const untried = status === 'failed' && notTried > 0 ? ` (${thousands(notTried)} of them not tried)` : '';
    const told = status === 'created' ? asidesText(asides) : '';
    return `  ${thousands(counts[status]).padStart(width)}  ${colour(status, paint)(status.padEnd(9))}  ${paint.dim(MEANINGS[status] + untried + told)}`;
  });
  const files: [string, string][] = [['log', printable(summary.log)]];
  if (summary.results !== null) files.unshift(['results', printable(summary.results)]);
  return [
    `${stopped === null ? paint.bold('Done') : paint.yellow('Stopped')}: ${thousands(rows)} rows in ${duration(seconds * 1000)}`,
    ...(stopped === null ? [] : [`  ${printable(stopped)}`]),
    ...lines,
    ...aligned(files),
    ...(advice === null ? [] : [`${paint.bold('To do')}: ${printable(advice)}`]),
    ...(next === null ? [] : [`${paint.bold('Next')}: ${printable(next)}`]),
  ].join('\n');
}

function asidesText(asides: ImportSummary['asides']): string {
  const { withoutIdentifier = 0, withRemark = 0 } = asides ?? {};
  const told = [
    ...(withoutIdentifier > 0 ? [`${thousands(withoutIdentifier)} without an identifier`] : []),
    ...(withRemark > 0 ? [`${thousands(withRemark)} with a remark of the service`] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

export function colour(status: Status, paint: ChalkInstance): ChalkInstance {
  if (status === 'created' || status === 'ready') return paint.green;
  if (status === 'invalid' || status === 'rejected' || status === 'failed') return paint.red;
  return status === 'unknown' ? paint.yellow : paint.cyan;
}
