import { platform } from 'node:os';
import { ERRORS, type ErrorCode, type ErrorReason } from './error-codes.ts';

export type { ErrorCode };

/**
 * An error that ends a command. A row that cannot be sent is a value, not an error.
 *
 * `message` says what happened. `hint` says what to do about it and ends in the literal next command if there is one.
 * Neither ever contains a secret or personal data.
 */
export class SrqError extends Error {
  /** The kind of the error, which decides the exit code. */
  readonly code: ErrorCode;
  /** The stable code of this error. */
  readonly reason: ErrorReason;
  /** What to do about it, or null. */
  readonly hint: string | null;

  constructor(reason: ErrorReason, message: string, hint: string | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SrqError';
    this.reason = reason;
    this.code = ERRORS[reason].kind;
    this.hint = hint;
  }
}

/** Returns an error that ends a command. Throws any other one again, because it is a fault in srq. */
export function expected(error: unknown): SrqError {
  if (error instanceof SrqError) return error;
  throw error;
}

/** An error in the form that documents and events have. */
export type Failure = Pick<SrqError, 'code' | 'reason' | 'message' | 'hint'>;

/** Converts an error to the form that documents and events have. `inFull` completes the commands in its hint. */
export function failureOf(error: SrqError, inFull: (hint: string) => string): Failure {
  const { code, reason, message, hint } = error;
  return { code, reason, message, hint: hint && inFull(hint) };
}

/** Returns the `code` of a Node.js system error (`ENOENT`, `ECONNREFUSED`, …), or an empty string. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Quotes a word so that it can be pasted into a POSIX shell, or on Windows (`win32`) into PowerShell. */
export function shellWord(word: string, system: string = platform()): string {
  if (system === 'win32') return powerShellWord(word);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Quotes a word for PowerShell. Double quotes are preferred, because the older command prompt understands them too.
 * Single quotes are used if PowerShell would interpret something within double quotes. It knows four kinds of them. A
 * comma or an @ must be quoted.
 */
function powerShellWord(word: string): string {
  if (/^[\w+=:./\\-]+$/.test(word)) return word;
  return /^[^"“”„$`%!]+$/.test(word) ? `"${word}"` : `'${word.replace(/['‘’‚‛]/g, '$&$&')}'`;
}
