import type { Authorization, Observations } from '../../request/contract.ts';
import { SrqError } from '../../request/errors.ts';
import type { Credentials, Tokens } from './token.ts';
import { credentialsRefused, tokenRefused } from './token-answer.ts';

/** What authorizes one call, and what becomes of its answer. */
export interface AuthorizedCall {
  readonly headers: Readonly<Record<string, string>>;
  /** The parameter of the query that holds a key, or null if there is none. */
  readonly query: { readonly name: string; readonly value: string } | null;
  /** Values that are never shown. */
  readonly secrets: readonly string[];
  /**
   * Judges the status of the answer. Returns true if it refuses these credentials and others may do; the call is then
   * sent again. `refusals` counts those of the same call before. Throws `SrqError('auth')` if others will not do.
   */
  isRefused(status: number, refusals: number): boolean;
}

/** The credentials of the calls that carry a request. */
export interface Authorizer {
  /** Returns what authorizes the next call. Throws `SrqError` (`auth`, `unreachable`, `service`) if nothing does. */
  authorize(): Promise<AuthorizedCall>;
  /** How often answers agreed with what the contract says of the credentials. */
  readonly observations: Observations;
}

/**
 * Number of refused tokens in a row for one request before the credentials are blamed. A token shared by another
 * process may be as old as the one before, and one that has worked may expire while the request is on its way.
 */
const MAX_TOKEN_REFUSALS = { own: 1, shared: 2, ended: 4 } as const;

/** Authorizes calls by tokens. A 401 is answered with a new token, as often as `MAX_TOKEN_REFUSALS` allows. */
export function bearerAuthorizer(tokens: Tokens): Authorizer {
  return {
    async authorize() {
      const token = await tokens.get();
      return {
        headers: { authorization: `Bearer ${token}` },
        query: null,
        secrets: [token],
        isRefused(status, refusals) {
          if (status !== 401) tokens.accepted(token);
          else if (refusals >= MAX_TOKEN_REFUSALS[tokens.refused(token)]) throw tokenRefused();
          return status === 401;
        },
      };
    },
    get observations() {
      return tokens.observations;
    },
  };
}

/** A way to authorize calls that needs no token. */
export type FixedAuthorization = Exclude<Authorization, { kind: 'bearer' }>;

/** Authorizes calls by credentials that do not change. Throws `SrqError('auth')` for a key that no header can hold. */
export function fixedAuthorizer(authorization: FixedAuthorization, credentials: Credentials): Authorizer {
  const parts = authorization.kind === 'basic' ? basicParts(credentials) : keyParts(authorization, credentials);
  // A service may refuse a wrong key with 403. Once it has accepted the key, a 403 is about the request.
  let isProven = false;
  const call: AuthorizedCall = {
    ...parts,
    isRefused(status) {
      if (status === 401 || (status === 403 && !isProven)) throw credentialsRefused(status);
      isProven ||= PROVING.has(status) || (status >= 200 && status <= 299);
      return false;
    },
  };
  return { authorize: () => Promise.resolve(call), observations: {} };
}

/** Refusals of a request by a service that knows who has sent it. */
const PROVING: ReadonlySet<number> = new Set([400, 409, 422]);

type AuthorizedParts = Pick<AuthorizedCall, 'headers' | 'query' | 'secrets'>;

/** Joins both as UTF-8 (RFC 7617). Unlike at a token endpoint, they are not form-encoded before. */
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
    throw new SrqError('auth', message, 'Check the key that you were given, then log in again: srq login');
  }
  // A key that was copied with the word before it is not given it twice.
  const text = key.toLowerCase().startsWith(prefix.toLowerCase()) ? key : prefix + key;
  return { headers: { [name.toLowerCase()]: text }, query: null, secrets: [key, text] };
}
