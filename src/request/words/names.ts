/**
 * Splits a name into lower-case words without accents: `requestId`, `request_id` and `Request-ID` all give `['request',
 * 'id']`.
 */
export function nameWords(name: string): string[] {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** Normalises a name for comparison by removing case, accents, points and repeated blanks. */
export function folded(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s.]+/g, ' ')
    .trim();
}

const IDENTIFYING =
  /^(?:id|uid|uuid|guid|reference|ref|number|code|identifier|identifiant|identificador|identificativo|identificatie|kennung)$/;
/** Words that precede what they identify, as in Romance languages: `id_pedido`. */
const IDENTIFYING_FIRST = /^(?:id|ref|referencia|reference|riferimento)$/;
/**
 * Words of names that look like identifiers but do not identify the request: `phone_number`, `status_code`, `user_id`,
 * `incident_id`.
 */
const NOT_IDENTIFYING =
  /^(?:phone|mobile|tel|telephone|fax|post|postal|zip|country|market|lang|language|locale|status|error|http|response|result|user|client|customer|partner|account|category|page|house|street|trace|correlation|contact|currency|region|area|city|dial|calling|incident|support|event|ray|span|session|log|node|server|host|instance|tenant|version|build|debug|app|application|usuari[oa]|utilizador|utente|utilisateur|benutzer|cliente?|kunde|conta(?:ct|t|tt)o|kontakt|cuenta|conta|compte|konto|socio|parceiro|categori[ae]|kategorie|pais|paese|pays|land|idioma|lingua|langue|sprache|estado|stato|statut|err(?:o|eur|ore)|fehler|respuesta|resposta|reponse|risposta|antwort|sesion|sessao|sessione|sitzung|seguimiento|rastreio|pagina|servidor|serveur|ciudad|cidade|citta|ville|stadt|calle|rua|via|rue|strasse|telefon[oe]?|evento)$/;

/**
 * Tells whether a member of an answer with this name may identify the request. `words` are the words of its name, in
 * lower case.
 */
export function isIdentifyingName(words: readonly string[]): boolean {
  if (IDENTIFYING.test(words.at(-1) ?? '')) return !words.slice(0, -1).some((word) => NOT_IDENTIFYING.test(word));
  return IDENTIFYING_FIRST.test(words[0] ?? '') && !words.slice(1).some((word) => NOT_IDENTIFYING.test(word));
}

/** The placeholder that replaces a secret. */
export const SECRET = '<secret>';

const SECRET_WORDS =
  /secret|passw(?:or)?d|passphrase|token|apikey|authorization|credential|signature|cookie|jwt|bearer|sessionid|.key$/;
/** Names that contain a secret's word but are no secrets, such as `token_url`, `token_type` or `Idempotency-Key`. */
const NO_SECRET =
  /(?:type|url|uri|host|server|domain|endpoint|path|name|expiry|expires|expiresin|expiresat|life|lifetime|validity|duration|seconds|ttl|header|prefix|method|format|location)$|(?:idempotenc\w*|public|primary|foreign|sort|dedup\w*)key$/;

/**
 * Maximum length of a name that is tested. Longer ones are no names, and the pattern would take time in the square of
 * their length.
 */
const MAX_NAME = 200;

/** Tells whether the value under this name is a secret. */
export function isSecretName(name: string): boolean {
  const folded = name.toLowerCase().replace(/[^a-z\d]/g, '');
  return SECRET_WORDS.test(folded) && (folded.length > MAX_NAME || !NO_SECRET.test(folded));
}

/**
 * Returns the secrets in a JSON value: all of its texts and numbers if it is under the name of a secret, or else those of
 * its members with such names.
 */
export function secretTexts(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => secretTexts(name, each));
  const isSecret = isSecretName(name);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([member, each]) => secretTexts(isSecret ? name : member, each));
  const isText = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isSecret && isText ? [String(value)] : [];
}
