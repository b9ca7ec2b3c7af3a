import { folded } from './names.ts';

/**
 * This file recognises how names, codes and texts of a service report duplicates, in the languages of the markets. A
 * text that is a denial in any of the languages is never taken for a duplicate.
 */

const DUPLICATE = [
  String.raw`(?<!\b(?:non|un|de))dupli[ckq]\w*|\bdublett\w*|\bdoppelt\w*|\bdoublons?\b|\ben double\b|\bdoppion[ei]\b`,
  String.raw`\bseen before|\balready (?:exists?|submitted|created|received|sent)\b`,
  String.raw`\b(?:bereits|schon) (?:vorhanden|existier\w*|angelegt|erfasst|erstellt|gesendet|ubermittelt|eingereicht|eingegangen|registriert)|\bexistiert (?:bereits|schon)\b`,
  String.raw`\bya (?:existe\w*|(?:(?:fue|esta|estaba|ha sido|habia sido) )?(?:enviad|cread|registrad|recibid|ingresad)[oa]s?\b)`,
  String.raw`\bja (?:existe\w*|(?:(?:foi|esta|estava) )?(?:enviad|criad|regist[r]?ad|recebid|submetid|cadastrad)[oa]s?\b)`,
  String.raw`\bdeja (?:exist\w*|presente?s?\b|(?:ete )?(?:envoye|cree|enregistre|recu|soumis|transmis)e?s?\b)|\bexiste deja\b`,
  String.raw`\bgia (?:esist\w*|present[ei]\b|(?:stat[oa] )?(?:inviat|creat|registrat|ricevut|inserit)[oaie]\b)|\besiste gia\b`,
].join('|');
const SAYS_DUPLICATE = new RegExp(DUPLICATE);
/**
 * Matches the place behind a "no" that denies. Before these words it is the Portuguese "in the": a request that exists "no
 * sistema" does exist. Words that are English as well are not among them, because "no CRM duplicate" denies.
 */
const NOT_IN_THE = '(?! (?:sistema|banco|cadastro|nosso|dia|aplicativo|mes|ano|periodo|prazo)\\b)';
/** Matches the Italian "mai", which means "never", but not the month of German and French dates. */
const NEVER = String.raw`(?<!\d\W{0,3}|\b(?:am|im|vom|seit|ab|bis|anfang|mitte|ende|en|de|depuis|debut|fin) )mai(?!\W{0,2}\d)`;
/** Matches words that deny, as the source of a pattern. The text must be folded. */
const DENIAL = String.raw`(?:\b(?:no${NOT_IN_THE}|not|non|never|without|kein\w*|nicht|nie|niemals|ohne|weder|nao|nunca|sem|nem|nenhum\w*|sin|ni|ningun\w*|tampoco|ne|pas|jamais|aucun\w*|sans|${NEVER}|nessun\w*|senza)\b|\bn['’]|n['’]t\b)`;
const DENYING = new RegExp(DENIAL);
const DENIED = new RegExp(`${DENIAL}[^.;:]{0,80}?(?:${DUPLICATE})`);
/** Matches a value that is named after duplicates and says that there is none. */
const SET_TO_NO = new RegExp(
  `(?:${DUPLICATE})\\W{0,3}[:=]\\W{0,3}(?:no|none|null|false|0|nein|falsch|nao|falso|non|faux)\\b`,
);
/**
 * Matches texts that name an alternative to a duplicate, as with `or`, or that mention the idempotency key of an
 * earlier call. An `o` at the beginning of a text is the Portuguese article.
 */
const PERHAPS = /\bor\b|\boder\b|\bou\b|\boppure\b|(?<=\S )o\b|idempoten/;
/**
 * Matches other things that may exist already. An existing customer, account or address does not make the request a
 * duplicate.
 */
const OF_ANOTHER =
  /\b(?:e?-?mails?|phones?|accounts?|users?|customers?|clients?|partners?|contacts?|persons?|keys?|headers?|parameters?|fields?|categor(?:y|ies)|correos?|telefon[oe]?s?|telefones?|usuari[oa]s?|utilizador(?:es)?|clientes?|cuentas?|contas?|contatt[oi]|contatos?|contact[oe]s?|benutzer|kunden?|kundin|konto|konten|kontakte?|utilisateurs?|comptes?|utent[ei])\b/g;
/** Matches words for a request. */
const OF_REQUEST =
  /\b(?:requests?|leads?|orders?|jobs?|tickets?|bookings?|submissions?|enquir(?:y|ies)|inquir(?:y|ies)|solicitud(?:es)?|solicitac(?:ao|oes)|pedidos?|anfragen?|auftrag|demandes?|richiest[ae]|ordin[ei]|commandes?)\b/;
const NOTHING: ReadonlySet<string> = new Set();

/**
 * Tells whether a part of a text says that something other than the request, or than what the request creates, exists.
 */
function isAboutAnother(part: string, created: ReadonlySet<string>): boolean {
  const others = [...part.matchAll(OF_ANOTHER)].map(([word]) => word);
  const isOfRequest = OF_REQUEST.test(part) || others.some((word) => created.has(word));
  return others.length > 0 && !isOfRequest;
}

function sentencesOf(text: string): string[] {
  return text
    .slice(0, MAX_LENGTH)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split('.')
    .map((sentence) => folded(sentence.replace(/[_\-\s]+/g, ' ')));
}

/** Maximum length of the text that is examined. */
const MAX_LENGTH = 4000;

/**
 * Reads what a text, or a code such as `DUPLICATE_REQUEST`, says about a duplicate. Returns `yes` if it is one, `no` if
 * it is none, `another` if it is one of something else than the request, such as the customer, `perhaps` if the text says
 * both or something else besides, and null if it does not mention duplicates. `created` are the words for what the request
 * creates, where that is known.
 */
export function duplicateStatement(
  text: string,
  created: ReadonlySet<string> = NOTHING,
): 'yes' | 'no' | 'another' | 'perhaps' | null {
  const words = sentencesOf(text).join('. ');
  if (!SAYS_DUPLICATE.test(words)) return null;
  if (DENIED.test(words) || SET_TO_NO.test(words)) return 'no';
  const told = words.split(/[.;:,]/).filter((part) => SAYS_DUPLICATE.test(part));
  if (told.every((part) => isAboutAnother(part, created))) return 'another';
  return PERHAPS.test(words) || told.some((part) => DENYING.test(part)) ? 'perhaps' : 'yes';
}

const DENIED_FIND =
  /\b(?:match\w*|found|exist\w*|seen|known|hits?|gefunden|vorhanden|encontrad[oa]|trouvee?|trovat[oa]|esist\w*|present[ei])\b/;
const CLEAR_WORDS =
  /^(?:unique|new|clear|none|ok|okay|free|fresh|first|pass|passed|accept|accepted|unic[oa]|nuev[oa]|nov[oa]|neue?[rs]?|nouveau|nouvelle|nuov[oa]|eindeutig|einmalig|libre|livre|frei|libero|inedit[oa]?|nonexistent|inexistente?|inesistente)$/;
/** Matches words that do not change the meaning of the words beside them. */
const BESIDE_CLEAR = /^(?:is|a|the|status|requests?|leads?|orders?|jobs?|pedido|solicitud|anfrage|demande|richiesta)$/;

/**
 * Tells whether a code says that there is no duplicate. A denial counts only if it denies a duplicate or a match:
 * neither `NOT_VALID` nor `NEW_PHONE_REQUIRED` says anything.
 */
export function saysClear(code: string): boolean {
  const told = folded(code.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_\-\s]+/g, ' '));
  const statement = duplicateStatement(code);
  if (statement !== null) return statement === 'no';
  if (DENYING.test(told)) return DENIED_FIND.test(told);
  const words = told.split(/[^a-z\d]+/).filter((word) => word !== '');
  return (
    words.some((word) => CLEAR_WORDS.test(word)) &&
    words.every((word) => CLEAR_WORDS.test(word) || BESIDE_CLEAR.test(word))
  );
}
