import type { ChalkInstance } from 'chalk';
import type { Identifiers, RowResult, Status } from '../model/outcome.ts';
import type { LogRecord, ValidateResult } from '../model/ports.ts';
import { clip, printable } from './output.ts';
import { colour } from './summary-text.ts';

const REFERENCE_WIDTH = 20;
const KEY_WIDTH = 12;

/** One request's end in a line or two. */
export function resultText(result: RowResult, paint: ChalkInstance): string {
  const ids = identifiersText(result.ids);
  const ref = result.ref === null ? '' : ` ${printable(result.ref)}`;
  const head = `${colour(result.status, paint)(result.status)}${ref}${ids === '' ? '' : `  ${ids}`}`;
  return result.message === null ? head : `${head}\n  ${printable(result.message)}`;
}

export function verdictText({ verdict, ids, message }: ValidateResult, paint: ChalkInstance): string {
  const head =
    verdict === 'clear'
      ? paint.green('clear')
      : verdict === 'duplicate'
        ? paint.cyan('duplicate')
        : paint.yellow('unknown');
  const found = identifiersText(ids);
  return `${head}${found === '' ? '' : `  ${found}`}${message === null ? '' : `\n  ${printable(message)}`}`;
}

/** A request of the log in one line. */
export function logLine(record: Omit<LogRecord, 'event'> & { status: Status }, paint: ChalkInstance): string {
  const { status } = record;
  const ref = clip(printable(record.ref ?? '-'), REFERENCE_WIDTH).padEnd(REFERENCE_WIDTH);
  const head = `${record.at.slice(0, 19)}  ${colour(status, paint)(status.padEnd(9))}  ${String(record.row).padStart(6)}  ${ref}`;
  return `${head}  ${identifiersText(record.ids) || printable(record.message ?? '')}`.trimEnd();
}

/** A request in doubt: with its key, by which `resolve` is told which one is meant. */
export function doubtLine({ key, at, row, ref, message }: LogRecord): string {
  const head = `${key.slice(0, KEY_WIDTH)}  ${at.slice(0, 19)}  ${String(row).padStart(6)}`;
  return `${head}  ${clip(printable(ref ?? '-'), REFERENCE_WIDTH).padEnd(REFERENCE_WIDTH)}  ${printable(message ?? '')}`.trimEnd();
}

function identifiersText(ids: Identifiers): string {
  return Object.entries(ids)
    .map(([name, value]) => `${printable(name)}=${printable(value)}`)
    .join(' ');
}
