/** `requestId`, `request_id` and `Request-ID` are all `['request', 'id']`. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** A word without case, accents, points and doubled blanks: how names are compared. */
export function folded(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s.]+/g, ' ')
    .trim();
}

const IDENTIFYING = new Set(['id', 'uuid', 'guid', 'reference', 'ref', 'number', 'code']);
/** `phone_number`, `status_code`, `user_id`, `incident_id`: named alike, but not what names the request. */
const NOT_IDENTIFYING =
  /^(?:phone|mobile|tel|telephone|fax|post|postal|zip|country|market|lang|language|locale|status|error|http|response|result|user|client|customer|partner|account|category|page|house|street|trace|correlation|contact|currency|region|area|city|dial|calling|incident|support|event|ray|span|session|log|node|server|host|instance|tenant|version|build|debug|app|application)$/;

/** Whether a member of an answer that is called so may name the request. `words`: of its name, in lower case. */
export function isIdentifyingName(words: readonly string[]): boolean {
  return IDENTIFYING.has(words.at(-1) ?? '') && !words.slice(0, -1).some((word) => NOT_IDENTIFYING.test(word));
}

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

const DUPLICATE =
  /dupli[ck]|already (?:exists?|submitted|created|received|sent)\b|seen before|dublette|bereits vorhanden/i;
/** The longest text that is looked at. */
const MAX_LENGTH = 4000;
const DENIAL = "\\b(?:no|not|non|never|without|isn['’]t|aren['’]t)\\b";
const DENIED = new RegExp(`${DENIAL}[^.;:]{0,80}?(?:${DUPLICATE.source})`, 'i');
const DENYING = new RegExp(DENIAL, 'i');
/** A duplicate is not all that is spoken of, or it is the key of the call that was there before. */
const PERHAPS = /\bor\b|\boder\b|idempoten/i;

/**
 * What words, or a code such as `DUPLICATE_REQUEST`, say of a duplicate: that it is one, that it is none, both or
 * something else besides, nothing at all.
 */
export function saidOfDuplicate(text: string): 'yes' | 'no' | 'perhaps' | null {
  const words = text
    .slice(0, MAX_LENGTH)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_\-\s]+/g, ' ');
  if (!DUPLICATE.test(words)) return null;
  if (DENIED.test(words)) return 'no';
  const told = words.split(/[.;:,]/).filter((part) => DUPLICATE.test(part));
  return PERHAPS.test(words) || told.some((part) => DENYING.test(part)) ? 'perhaps' : 'yes';
}
