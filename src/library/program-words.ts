import { SrqError } from '../request/words/errors.ts';

const COMMAND = /\bsrq [a-z]|(?:^|[\s(])--?[a-z]/;

/** Turns an error of any kind into an `SrqError` for the program, without a hint that names flags or commands. */
export function forProgram(error: unknown): SrqError {
  if (!(error instanceof SrqError)) {
    return new SrqError('srq.fault', 'srq failed unexpectedly. Please report it.', 'Its error is the cause.', error);
  }
  const message = error.message.replaceAll('--max-errors', 'maxErrors');
  const hint = error.hint !== null && COMMAND.test(error.hint) ? null : error.hint;
  if (hint === error.hint && message === error.message) return error;
  return Object.assign(new SrqError(error.reason, message, hint, error.cause), { stack: error.stack });
}
