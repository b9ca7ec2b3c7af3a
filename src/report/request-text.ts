import type { ChalkInstance } from 'chalk';
import type { Identifiers, RowResult } from '../model/outcome.ts';
import type { ValidateResult } from '../model/ports.ts';
import { STATUS } from '../model/status.ts';
import { printable } from './output.ts';

/** Formats the result of one request as one or two lines. */
export function resultText(result: RowResult, paint: ChalkInstance): string {
  const ids = identifiersText(result.ids);
  const ref = result.ref === null ? '' : ` ${printable(result.ref)}`;
  const head = `${paint[STATUS[result.status].colour](result.status)}${ref}${ids === '' ? '' : `  ${ids}`}`;
  return result.message === null ? head : `${head}\n  ${printable(result.message)}`;
}

export function verdictText({ verdict, ids, message }: ValidateResult, paint: ChalkInstance): string {
  const head = verdict === 'clear' ? paint.green('clear') : paint[STATUS[verdict].colour](verdict);
  const found = identifiersText(ids);
  return `${head}${found === '' ? '' : `  ${found}`}${message === null ? '' : `\n  ${printable(message)}`}`;
}

export function identifiersText(ids: Identifiers): string {
  return Object.entries(ids)
    .map(([name, value]) => `${printable(name)}=${printable(value)}`)
    .join(' ');
}
