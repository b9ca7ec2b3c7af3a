import { type Counts, STATUS, STATUSES } from '../request/log/status.ts';
import type { ErrorCode } from '../request/words/errors.ts';

/**
 * The exit codes, the one first that counts if several apply. The sentence on it in docs/scripts.md is that of
 * {@link precedenceText}.
 */
const PRECEDENCE = [130, 143, 1, 9, 4, 7, 6, 5, 3, 8, 2, 0] as const;

interface ExitCode {
  /** A new number needs its place in {@link PRECEDENCE}. */
  readonly number: (typeof PRECEDENCE)[number];
  readonly meaning: string;
}

const NOTHING_SENT: ExitCode = { number: 2, meaning: 'wrong usage, settings or input file; nothing was sent' };
const NOT_TAKEN: ExitCode = {
  number: 5,
  meaning: 'the service could not be reached or used; what failed was not taken',
};

/** The exit codes and their meanings. This is the only table. A test compares the copy in docs/scripts.md with it. */
export const EXIT_CODES: Readonly<Record<ErrorCode | 'ok', ExitCode>> = {
  ok: { number: 0, meaning: 'everything worked (in bulk, duplicates and repeats count as well)' },
  fault: { number: 1, meaning: 'an error in srq itself' },
  usage: NOTHING_SENT,
  settings: NOTHING_SENT,
  input: NOTHING_SENT,
  'platform.no-lock': NOTHING_SENT,
  rejected: { number: 3, meaning: 'some rows are invalid or were rejected (for one request: the service refused it)' },
  auth: { number: 4, meaning: 'not logged in, or credentials refused' },
  unreachable: NOT_TAKEN,
  service: NOT_TAKEN,
  stopped: { number: 6, meaning: 'stopped early: too many rows refused, or the service kept failing' },
  unknown: { number: 7, meaning: 'some outcomes are unknown' },
  duplicate: { number: 8, meaning: 'validate and create: the request is a duplicate' },
  log: { number: 9, meaning: 'the log cannot be used: full disk, damaged, held by another run' },
  interrupted: { number: 130, meaning: 'interrupted by Ctrl-C' },
  terminated: { number: 143, meaning: 'ended by SIGTERM' },
};

/** Returns the exit code that takes precedence. What did not happen has no code. */
export function exitNumber(codes: readonly (ErrorCode | 'ok' | null | undefined)[]): number {
  return firstExitNumber(codes.map((code) => EXIT_CODES[code ?? 'ok'].number));
}

/** Returns the exit code that takes precedence, of those of several parts of a command. */
export function firstExitNumber(numbers: readonly number[]): number {
  return PRECEDENCE.find((number) => numbers.includes(number)) ?? EXIT_CODES.ok.number;
}

/** Says which exit code it is if several apply. It leaves out the one of wrong usage, with which nothing was sent. */
export function precedenceText(): string {
  const { ok, usage, interrupted, terminated } = EXIT_CODES;
  const apart: readonly number[] = [ok, usage, interrupted, terminated].map(({ number }) => number);
  const others = PRECEDENCE.filter((number) => !apart.includes(number)).join(', ');
  return `the first in this order counts: ${others}. An interrupted run keeps ${interrupted.number} or ${terminated.number}.`;
}

/** Returns the codes that follow from the statuses of an import's rows. */
export function codesOfCounts(counts: Counts): (ErrorCode | 'ok')[] {
  const left = STATUSES.filter((status) => counts[status] > 0 && STATUS[status].left !== 'nothing');
  return left.map((status) => STATUS[status].ends);
}
