import { isSuccess } from '../../request/log/outcome.ts';
import { type Credentials, type FixedAuthorization, type FixedParts, fixedParts, type Tokens } from './token.ts';
import { credentialsRefused, tokenRefused } from './token-answer.ts';

/** The credentials of one call. They also judge whether the service has refused them. */
export interface AuthorizedCall extends FixedParts {
  /** Tells whether another call was accepted with these credentials, so that they are not wrong as such. */
  isAccepted(): boolean;
  /**
   * Judges the status of the answer. Returns true if the service refused these credentials and the call may be sent
   * again with new ones. `refusals` is the number of earlier refusals of the same call. Throws `SrqError('auth')` if
   * new credentials would not help.
   */
  isRefused(status: number, refusals: number): boolean;
}

/** Provides the credentials of the calls that carry a request. */
export interface Authorizer {
  /** Values that are never shown, whatever answer they come back in. */
  readonly secrets: readonly string[];
  /**
   * Returns the credentials for the next call. Throws `SrqError` (`auth`, `unreachable`, `service`) if there are none.
   */
  authorize(): Promise<AuthorizedCall>;
}

/**
 * Number of refused tokens in a row that one request survives before the credentials are blamed. A token that was issued
 * just now may be refused, too: it may have been revoked together with the one that it replaces, or have ended while a
 * busy machine or store delayed the request. Where many processes share a token, one end of it is met by all of them.
 */
const MAX_TOKEN_REFUSALS = 4;

/**
 * Authorizes calls with bearer tokens. After a 401 the call is sent again with a new token, at most as often as
 * `MAX_TOKEN_REFUSALS` allows.
 */
export function bearerAuthorizer(tokens: Tokens): Authorizer {
  let accepted = '';
  return {
    secrets: tokens.secrets,
    async authorize() {
      const token = await tokens.get();
      return {
        isAccepted: () => accepted === token,
        headers: { authorization: `Bearer ${token}` },
        query: null,
        secrets: [token],
        isRefused(status, refusals) {
          if (status !== 401) {
            if (isSuccess(status)) accepted = token;
            return false;
          }
          tokens.refused(token);
          if (refusals >= MAX_TOKEN_REFUSALS) throw tokenRefused();
          return true;
        },
      };
    },
  };
}

/**
 * Authorizes calls with credentials that do not change. Throws `SrqError('auth')` for a key that no header can hold.
 */
export function fixedAuthorizer(authorization: FixedAuthorization, credentials: Credentials): Authorizer {
  const parts = fixedParts(authorization, credentials);
  // A service may refuse a wrong key with 403. Once it has accepted the key, a 403 is about the request.
  let isProven = false;
  const call: AuthorizedCall = {
    ...parts,
    isAccepted: () => isProven,
    isRefused(status) {
      if (status === 401 || (status === 403 && !isProven)) throw credentialsRefused(status);
      isProven ||= PROVING.has(status) || isSuccess(status);
      return false;
    },
  };
  return { secrets: parts.secrets, authorize: () => Promise.resolve(call) };
}

/**
 * Statuses of refusals that concern the request itself, which a service sends only after it has accepted the
 * credentials.
 */
const PROVING: ReadonlySet<number> = new Set([400, 409, 422]);
