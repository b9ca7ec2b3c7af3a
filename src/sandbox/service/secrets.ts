import type { PartnerCredentials } from './callers.ts';
import type { LocalMarketplace } from './marketplace.ts';

const REDACTED = '***';
const SECRET_NAME = /auth|key|token|secret|signature|cookie/i;
const SECRET_PARAMETER = /secret|password|assertion|token/i;
/** Matches the form of the sandbox's own tokens. */
const TOKEN_LIKE = /[\w-]{43}/g;

/** Tells whether a header or query parameter is secret, so that its value is never kept. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/**
 * Returns the value of a header in a form that may be shown. At most the scheme of a secret header is kept. `keyName`
 * is the name of the key that is sent with each call, or null.
 */
export function shownHeader(name: string, value: string, keyName: string | null): string {
  if (!isSecretName(name) && name.toLowerCase() !== keyName?.toLowerCase()) return value;
  const scheme = /^(?:Bearer|Basic)(?= )/i.exec(value)?.[0];
  return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
}

/** Returns a path with its query, in a form that may be shown. */
export function shownPath(path: string, keyName: string | null): string {
  return path.replace(/([?&])([^=&]*)=[^&]*/g, (pair, mark: string, name: string) =>
    isSecretName(name) || new URLSearchParams(`${name}=`).has(keyName ?? '') ? `${mark}${name}=${REDACTED}` : pair,
  );
}

/**
 * Returns the body of a token request in a form that may be shown, or null if a secret cannot be separated from the
 * rest.
 */
export function shownTokenBody(contentType: string | undefined, body: Buffer): Buffer | null {
  const text = body.toString('utf8');
  if (contentType?.includes('json')) return shownJson(text);
  if (!contentType?.includes('urlencoded')) return null;
  const pairs = text.split('&').map((pair) => {
    const [name = '', value] = pair.split('=', 2);
    if (value === undefined) return REDACTED;
    const [decoded = ''] = new URLSearchParams(`${name}=`).keys();
    return SECRET_PARAMETER.test(decoded) ? `${name}=${REDACTED}` : pair;
  });
  return Buffer.from(pairs.join('&'));
}

function shownJson(text: string): Buffer | null {
  try {
    const redacted = (name: string, value: unknown): unknown => (SECRET_PARAMETER.test(name) ? REDACTED : value);
    return Buffer.from(JSON.stringify(JSON.parse(text, redacted)));
  } catch {
    return null;
  }
}

/** Removes the client secret and all tokens that are still valid from a text of the sandbox itself. */
export function withoutCredentials(
  text: string,
  { credentials, marketplace }: { readonly credentials: PartnerCredentials; readonly marketplace: LocalMarketplace },
  nowMs: number,
): string {
  return text
    .replaceAll(credentials.clientSecret, REDACTED)
    .replace(TOKEN_LIKE, (found) => (marketplace.isTokenValid(found, nowMs) ? REDACTED : found));
}
