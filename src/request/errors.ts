/** Every way a command can end other than well. The number for each is in `cli/exit-codes.ts`. */
export type ErrorCode =
  | 'fault'
  | 'usage'
  | 'settings'
  | 'input'
  | 'rejected'
  | 'auth'
  | 'unreachable'
  | 'service'
  | 'stopped'
  | 'unknown'
  | 'duplicate'
  | 'log'
  | 'interrupted'
  | 'terminated';

/**
 * Something that ends a command. A row that cannot be sent is a value, not one of these.
 *
 * `message` says what happened, `hint` what to do about it, ending in the literal next command where there is one.
 * Neither ever holds a secret or a person's data.
 */
export class SrqError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, hint: string | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SrqError';
    this.code = code;
    this.hint = hint;
  }
}

/** The `code` of a Node.js system error (`ENOENT`, `ECONNREFUSED`, …), or an empty string. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
