import type { ErrorCode } from '../request/errors.ts';
import type { RowResult } from '../request/outcome.ts';
import { type Counts, STATUS, STATUSES } from '../request/status.ts';

/** The exit codes and their meanings. This is the only table. A test compares the README's copy with it. */
export const EXIT_CODES: Readonly<Record<ErrorCode | 'ok', { readonly number: number; readonly meaning: string }>> = {
  ok: { number: 0, meaning: 'everything worked (in bulk, duplicates and repeats count as well)' },
  fault: { number: 1, meaning: 'an error in srq itself' },
  usage: { number: 2, meaning: 'wrong usage, settings or input file; nothing was sent' },
  settings: { number: 2, meaning: 'wrong usage, settings or input file; nothing was sent' },
  input: { number: 2, meaning: 'wrong usage, settings or input file; nothing was sent' },
  'platform.no-lock': { number: 2, meaning: 'wrong usage, settings or input file; nothing was sent' },
  rejected: { number: 3, meaning: 'some rows are invalid or were rejected (for one request: the service refused it)' },
  auth: { number: 4, meaning: 'not logged in, or credentials refused' },
  unreachable: {
    number: 5,
    meaning: 'the service could not be reached or used; what failed was not taken',
  },
  service: { number: 5, meaning: 'the service could not be reached or used; what failed was not taken' },
  stopped: { number: 6, meaning: 'stopped early: too many rows refused, or the service kept failing' },
  unknown: { number: 7, meaning: 'some outcomes are unknown' },
  duplicate: { number: 8, meaning: 'validate and create: the request is a duplicate' },
  log: { number: 9, meaning: 'the log cannot be used: full disk, damaged, held by another run' },
  interrupted: { number: 130, meaning: 'interrupted by Ctrl-C' },
  terminated: { number: 143, meaning: 'ended by SIGTERM' },
};

/** Precedence of the codes if several apply. */
const ORDER: readonly (ErrorCode | 'ok')[] = [
  'interrupted',
  'terminated',
  'fault',
  'log',
  'auth',
  'unknown',
  'stopped',
  'unreachable',
  'service',
  'rejected',
  'duplicate',
  'usage',
  'settings',
  'input',
  'platform.no-lock',
];

/** Returns the exit code for the code that takes precedence. */
export function exitNumber(codes: readonly (ErrorCode | 'ok')[]): number {
  return EXIT_CODES[ORDER.find((code) => codes.includes(code)) ?? 'ok'].number;
}

/** Returns the codes that follow from the statuses of an import's rows. */
export function codesOfCounts(counts: Counts): (ErrorCode | 'ok')[] {
  return STATUSES.filter((status) => counts[status] > 0).map((status) => STATUS[status].endsImport);
}

/** Returns the code that follows from the status of one request, for `create`. */
export function codeOfResult({ status }: RowResult): ErrorCode | 'ok' {
  return STATUS[status].endsCreate;
}
