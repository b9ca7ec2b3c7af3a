import type { ErrorReason } from '../request/words/error-codes.ts';
import { SrqError } from '../request/words/errors.ts';

/** What a program can do about errors whose hints name flags or commands, in the words of its options and methods. */
const HINTS: Partial<Readonly<Record<ErrorReason, string>>> = {
  'auth.refused': 'Check clientId and clientSecret.',
  'auth.token-refused': 'Check clientId, clientSecret and baseUrl with the marketplace.',
  'auth.denied': 'Ask the marketplace whether this client may use the request API.',
  'certificate.unchecked': 'Leave the checks of Node.js on, and name the certificate authority in NODE_EXTRA_CA_CERTS.',
  'doubt.unknown': 'The method log lists them: log({ status: "unknown" }).',
  'doubt.several': 'Give each request its own call of resolve, with its whole key.',
  'answer.unproven': 'Check baseUrl. Look the request up at the service, then settle it with resolve.',
  'answer.same-identifier': 'Look both up at the service, then settle them with resolve.',
  'rows.same-refusal': 'The fields are probably wrong: compare the requests with what the service wants.',
  'service.unreachable': 'Check baseUrl, the network and, if there is one, the proxy.',
  'service.redirects': 'srq never follows redirects. If the service has moved, give its new baseUrl.',
  'service.wrong-address': 'Check baseUrl.',
  'token.unusable-answer': 'Try again later. If that does not help, check baseUrl.',
  'log.in-use':
    'Wait until it has ended. Another stateFolder does not know what was sent here and could send it again.',
  'log.under-way': 'Wait until it has ended, then call resolve again.',
  'log.unwritable': 'Correct the access rights, or use another stateFolder.',
  'store.bad-address': 'It looks like this: postgres://USER@HOST:5432/DATABASE',
  'store.other': 'Give the store that this profile has sent through, or begin with this one once: freshStore.',
  'store.log-unknown': 'Let a person move the log into the store, or begin without it once: freshStore.',
  'store.behind': 'Look up at the service what was created last. A person then has to release the store.',
  'contract.unusable': 'Give contractFile the file that was learned for a profile.',
  'rows.error-budget': 'Correct the rows, or give another maxErrors.',
};

const COMMAND = /\bsrq [a-z]|(?:^|[\s(])--?[a-z]/;

/**
 * Turns an error of any kind into an `SrqError` for the program. Hints name options and methods in place of flags and
 * commands.
 */
export function forProgram(error: unknown): SrqError {
  if (!(error instanceof SrqError)) {
    return new SrqError('srq.fault', 'srq failed unexpectedly. Please report it.', 'Its error is the cause.', error);
  }
  const message = error.message.replaceAll('--max-errors', 'maxErrors');
  const needsWords = error.hint !== null && COMMAND.test(error.hint);
  if (!needsWords && message === error.message) return error;
  const hint = needsWords ? (HINTS[error.reason] ?? null) : error.hint;
  return Object.assign(new SrqError(error.reason, message, hint, error.cause), { stack: error.stack });
}
