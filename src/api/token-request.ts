import type { TokenOperation } from '../model/contract.ts';
import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../model/wire.ts';
import { REDACTED } from './mask.ts';

/** Who asks. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface TokenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Never shown. */
  readonly secrets: readonly string[];
}

/** The client credentials grant (RFC 6749, 4.4) as the service wants it. */
export function tokenRequest(operation: TokenOperation, { clientId, clientSecret }: Credentials): TokenRequest {
  const { path, auth, encoding, extra } = operation;
  const inBody = auth === 'body' ? { client_id: clientId, client_secret: clientSecret } : {};
  const parameters = { grant_type: 'client_credentials', ...inBody, ...extra };
  const basic = auth === 'basic' ? basicCredentials(clientId, clientSecret) : null;
  const hiddenExtra = Object.entries(extra).flatMap(([name, value]) => (OPEN.test(name) ? [] : [value]));
  const isJson = encoding === 'json';
  return {
    path,
    headers: {
      'content-type': isJson ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE,
      accept: JSON_CONTENT_TYPE,
      ...(basic === null ? {} : { authorization: `Basic ${basic}` }),
    },
    body: isJson ? JSON.stringify(parameters) : new URLSearchParams(parameters).toString(),
    secrets: [clientSecret, ...(basic === null ? [] : [basic]), ...hiddenExtra],
  };
}

/** What it says openly, whatever the partner gave: who asks, and for what. */
const OPEN = /^(?:scope|audience|resource)$/;

/** The same with `***` for what may be a secret. */
export function shownTokenRequest(operation: TokenOperation, { clientId }: Credentials): TokenRequest {
  const extra = Object.entries(operation.extra).map(([name, value]) => [name, OPEN.test(name) ? value : REDACTED]);
  return tokenRequest({ ...operation, extra: Object.fromEntries(extra) }, { clientId, clientSecret: REDACTED });
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return Buffer.from(encoded.join(':')).toString('base64');
}
