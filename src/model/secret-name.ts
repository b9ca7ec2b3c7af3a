/** Stands where a secret stood. */
export const SECRET = '<secret>';

const SECRET_WORDS =
  /secret|passw(?:or)?d|passphrase|token|apikey|authorization|credential|signature|cookie|jwt|bearer|sessionid|.key$/;
/** `token_url`, `token_type`, `Idempotency-Key` say something about a secret, or are none. */
const NO_SECRET =
  /(?:type|url|uri|host|server|domain|endpoint|path|name|expiry|expires|expiresin|expiresat|life|lifetime|validity|duration|seconds|ttl|header|prefix|method|format|location)$|(?:idempotenc\w*|public|primary|foreign|sort|dedup\w*)key$/;

/** Longer ones are no names, and the pattern would take the square of their length. */
const MAX_NAME = 200;

/** Whether what stands under this name is to be kept from everyone. */
export function isSecretName(name: string): boolean {
  const folded = name.toLowerCase().replace(/[^a-z\d]/g, '');
  return SECRET_WORDS.test(folded) && (folded.length > MAX_NAME || !NO_SECRET.test(folded));
}

/** A value as it may be shown. */
export function shownValue(name: string, value: string): string {
  return isSecretName(name) ? SECRET : value;
}
