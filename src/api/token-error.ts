import { SrqError } from '../model/errors.ts';
import { readErrorText } from './error-text.ts';
import type { Exchange } from './exchange.ts';
import type { Redactor } from './mask.ts';
import { clientCertificateFailure, failureName, networkFailure } from './network-failure.ts';

/** Explains why there is no token. `passing` means that asking again may help. */
export function tokenError(exchange: Exchange, sent: Redactor): { error: SrqError; passing: boolean } {
  if (!exchange.answer) {
    const { reason, hint, final } = networkFailure(exchange.error);
    const lost = `The service gave no answer to the token request (${failureName(exchange.error)}).`;
    const message = exchange.written && !final ? lost : reason;
    const next = `${hint} See where it fails: srq doctor`;
    return { error: new SrqError('unreachable', message, next, exchange.error), passing: !final };
  }
  const certificate = clientCertificateFailure(exchange.answer);
  if (certificate) {
    return { error: new SrqError('unreachable', certificate.reason, certificate.hint), passing: false };
  }
  const { status } = exchange.answer;
  const said = readErrorText(exchange.answer, sent);
  const words = said === null ? '' : `: ${said}`;
  if (status === 400 || status === 401 || status === 403) {
    const hint = 'Check client id and secret, then log in again: srq login';
    return {
      error: new SrqError('auth', `The service refused the credentials (HTTP ${status})${words}.`, hint),
      passing: false,
    };
  }
  const passing = status === 408 || status === 429 || status >= 500;
  const hint = passing
    ? 'The service has a problem; try again later.'
    : 'This does not look like the token endpoint. Check the base URL with: srq status';
  return { error: new SrqError('service', `The token endpoint answered HTTP ${status}${words}.`, hint), passing };
}

/** Creates the error for a new token that is refused at once. */
export function tokenRefused(): SrqError {
  return new SrqError(
    'auth',
    'The service refused a token it had just issued (HTTP 401).',
    'Ask the marketplace whether this client may use the request API, then log in again: srq login',
  );
}
