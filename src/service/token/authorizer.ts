import type { Authorization } from '../../request/contract/contract.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Credentials, Tokens } from './token.ts';
import { credentialsRefused, tokenRefused } from './token-answer.ts';

/** The credentials of one call. They also judge whether the service has refused them. */
export interface AuthorizedCall {
  readonly headers: Readonly<Record<string, string>>;
  /** The parameter of the query that holds a key, or null if there is none. */
  readonly query: { readonly name: string; readonly value: string } | null;
  /** Values that are never shown. */
  readonly secrets: readonly string[];
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

/** A kind of authorization that needs no token. */
export type FixedAuthorization = Exclude<Authorization, { kind: 'bearer' }>;

/**
 * Authorizes calls with credentials that do not change. Throws `SrqError('auth')` for a key that no header can hold.
 */
export function fixedAuthorizer(authorization: FixedAuthorization, credentials: Credentials): Authorizer {
  const parts = authorization.kind === 'basic' ? basicParts(credentials) : keyParts(authorization, credentials);
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
  return { authorize: () => Promise.resolve(call) };
}

/**
 * Statuses of refusals that concern the request itself, which a service sends only after it has accepted the
 * credentials.
 */
const PROVING: ReadonlySet<number> = new Set([400, 409, 422]);

type AuthorizedParts = Pick<AuthorizedCall, 'headers' | 'query' | 'secrets'>;

/**
 * Joins the client id and the secret as UTF-8 (RFC 7617). Basic authentication at a token endpoint form-encodes both
 * first; here they are sent unchanged.
 */
function basicParts({ clientId, clientSecret }: Credentials): AuthorizedParts {
  const encoded = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return { headers: { authorization: `Basic ${encoded}` }, query: null, secrets: [clientSecret, encoded] };
}

function keyParts(
  { in: place, name, prefix, value }: Extract<Authorization, { kind: 'apiKey' }>,
  { clientSecret }: Credentials,
): AuthorizedParts {
  const key = value ?? clientSecret;
  if (place === 'query') return { headers: {}, query: { name, value: key }, secrets: [key] };
  if (!/^[\x20-\x7e]+$/.test(key)) {
    const message = `The key for ${name} holds characters that no header can hold.`;
    throw new SrqError('auth.refused', message, 'Check the key that you were given, then log in again: srq login');
  }
  // A user may have copied the key with its prefix. The prefix is then not added again.
  const text = key.toLowerCase().startsWith(prefix.toLowerCase()) ? key : prefix + key;
  return { headers: { [name.toLowerCase()]: text }, query: null, secrets: [key, text] };
}
