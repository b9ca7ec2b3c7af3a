const REDACTED = '***';
const SECRET_NAME = /auth|key|token|secret|signature|cookie/i;
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

/** Removes the client secret and all that looks like a token from a text of the sandbox itself. */
export const withoutCredentials = (text: string, clientSecret: string): string =>
  text.replaceAll(clientSecret, REDACTED).replace(TOKEN_LIKE, REDACTED);
